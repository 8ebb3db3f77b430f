/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pread(2) or pwrite(2) a request; preadv(2) or pwritev(2) when it is longer than the buffer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/backend.h"

struct sync_io {
	int fd;
	bool block;
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
	struct stat st;
	int r;

	if (!s)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	if (fstat(p->fd, &st) < 0)
		return fault_set(why, -errno, "%s", strerror(errno));
	s->fd = p->fd;
	s->block = S_ISBLK(st.st_mode);
	s->buf_size = p->buf_size;
	r = vectors_init(&s->vectors, p, why);
	if (r < 0)
		return r;
	*state = TAKE_PTR(s);
	return 0;
}

static int trim(const struct sync_io *s, const struct io *io)
{
	uint64_t range[2] = {io->offset, io->length};

	if (s->block)
		return ioctl(s->fd, BLKDISCARD, range);
	return fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)io->offset, (off_t)io->length);
}

static ssize_t move(const struct sync_io *s, const struct io *io, const struct iovec *iov, unsigned pieces)
{
	off_t at = (off_t)io->offset;

	if (iov)
		return io->op == IO_READ ? preadv(s->fd, iov, (int)pieces, at) : pwritev(s->fd, iov, (int)pieces, at);
	return io->op == IO_READ ? pread(s->fd, io->buf, io->length, at) : pwrite(s->fd, io->buf, io->length, at);
}

static int submit_rare(const struct sync_io *s, struct io *io)
{
	struct iovec *iov = NULL;
	unsigned pieces = 0;
	ssize_t n = -1;

	if ((io->op == IO_READ || io->op == IO_WRITE) && io->length > s->buf_size) {
		iov = vectors_fill(&s->vectors, io, &pieces);
		if (!iov)
			return -EINVAL;
	}
	do {
		switch (io->op) {
		case IO_READ:
		case IO_WRITE:
			n = move(s, io, iov, pieces);
			break;
		case IO_TRIM:
			n = trim(s, io);
			break;
		case IO_SYNC:
			n = fsync(s->fd);
			break;
		case IO_DATASYNC:
			n = fdatasync(s->fd);
			break;
		}
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		io->res = -errno;
	else
		io->res = io->op == IO_TRIM ? (int64_t)io->length : n;
	return 0;
}

static int pread_submit(void *state, struct io *io)
{
	const struct sync_io *s = state;
	ssize_t n;

	if (unlikely(io->op != IO_READ || io->length > s->buf_size))
		return submit_rare(s, io);
	do
		n = pread(s->fd, io->buf, io->length, (off_t)io->offset);
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
