/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pread(2) or pwrite(2) a request; preadv(2) or pwritev(2) when it is longer than the buffer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/backend.h"

struct sync_io {
	struct plain plain;
	size_t buf_size;
	struct vectors vectors;
};

static int pread_probe(struct fault *why _unused_)
{
	return 0;
}

static void pread_close(void *state)
{
	struct sync_io *s = state;

	vectors_fini(&s->vectors);
	free(s);
}

static int pread_open(const struct engine_params *p, void **state, struct fault *why)
{
	_cleanup_free_ struct sync_io *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	s->buf_size = p->buf_size;
	r = plain_init(&s->plain, p->fd, why);
	if (r == 0)
		r = vectors_init(&s->vectors, p, why);
	if (r < 0)
		return r;
	*state = TAKE_PTR(s);
	return 0;
}

static ssize_t move(const struct sync_io *s, const struct io *io, const struct iovec *iov, unsigned pieces)
{
	off_t at = (off_t)io->offset;

	if (iov)
		return io->op == IO_READ ? preadv(s->plain.fd, iov, (int)pieces, at)
					 : pwritev(s->plain.fd, iov, (int)pieces, at);
	return io->op == IO_READ ? pread(s->plain.fd, io->buf, io->length, at)
				 : pwrite(s->plain.fd, io->buf, io->length, at);
}

static int submit_rare(const struct sync_io *s, struct io *io)
{
	struct iovec *iov = NULL;
	unsigned pieces = 0;
	ssize_t n;

	if (io->op != IO_READ && io->op != IO_WRITE) {
		plain_do(&s->plain, io);
		return 0;
	}
	if (io->length > s->buf_size) {
		iov = vectors_fill(&s->vectors, io, &pieces);
		if (!iov)
			return -EINVAL;
	}
	do
		n = move(s, io, iov, pieces);
	while (n < 0 && errno == EINTR);
	io->res = n < 0 ? -errno : n;
	return 0;
}

/*
 * pread(2) without the point of cancellation that it is in the C library: in a process with threads that costs two
 * locked instructions a call (glibc before 2.41, SYSCALL_CANCEL), and nobody cancels a thread here. Where an offset
 * does not fit one register it is left to the library to divide it.
 */
static ssize_t read_at(int fd, char *buf, size_t length, uint64_t offset)
{
#if defined(__LP64__) && defined(SYS_pread64)
	return syscall(SYS_pread64, fd, buf, length, (off_t)offset);
#else
	return pread(fd, buf, length, (off_t)offset);
#endif
}

static int pread_submit(void *state, struct io *io)
{
	const struct sync_io *s = state;
	ssize_t n;

	if (unlikely(io->op != IO_READ || io->length > s->buf_size))
		return submit_rare(s, io);
	do
		n = read_at(s->plain.fd, io->buf, io->length, io->offset);
	while (unlikely(n < 0) && errno == EINTR);
	io->res = likely(n >= 0) ? n : -errno;
	return 0;
}

const struct engine engine_pread = {
	.name = "pread",
	.help = "one pread or pwrite a request",
	.flags = ENGINE_BUFFER | ENGINE_WRITE | ENGINE_TRIM | ENGINE_DIRECT,
	.max_depth = 1,
	.probe = pread_probe,
	.open = pread_open,
	.close = pread_close,
	.submit = pread_submit,
};
