/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One preadv2(2) or pwritev2(2) a request, with the flags that these alone take. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/backend.h"

struct flagged {
	struct plain plain;
	struct rwf rwf;
	size_t buf_size;
	struct vectors vectors;
};

/* Linux 4.6 has the calls. Without them the C library refuses any flag before anybody looks at the descriptor. */
static int preadv2_probe(struct fault *why)
{
	if (preadv2(-1, NULL, 0, 0, RWF_HIPRI) < 0 && errno == EOPNOTSUPP)
		return fault_set(why, -ENOSYS, "preadv2: not implemented by this kernel, or forbidden (seccomp)");
	return 0;
}

static void preadv2_close(void *state)
{
	struct flagged *s = state;

	vectors_fini(&s->vectors);
	free(s);
}

static int preadv2_open(const struct engine_params *p, void **state, struct fault *why)
{
	_cleanup_free_ struct flagged *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	s->buf_size = p->buf_size;
	r = plain_init(&s->plain, p->fd, why);
	if (r == 0)
		r = rwf_init(&s->rwf, p, why);
	if (r == 0)
		r = vectors_init(&s->vectors, p, why);
	if (r < 0)
		return r;
	*state = TAKE_PTR(s);
	return 0;
}

/* Not by the C library, for the reason that pread.c has; the probe has found the call. */
static ssize_t read_at(int fd, const struct iovec *iov, unsigned pieces, uint64_t offset, int flags)
{
#if defined(__LP64__) && defined(SYS_preadv2)
	return syscall(SYS_preadv2, fd, iov, (long)pieces, (off_t)offset, 0L, flags);
#else
	return preadv2(fd, iov, (int)pieces, (off_t)offset, flags);
#endif
}

static int preadv2_submit(void *state, struct io *io)
{
	const struct flagged *s = state;
	struct iovec one = {.iov_base = io->buf, .iov_len = io->length}, *iov = &one;
	unsigned pieces = 1;
	ssize_t n;

	if (unlikely(io->op != IO_READ && io->op != IO_WRITE)) {
		plain_do(&s->plain, io);
		return 0;
	}
	if (unlikely(io->length > s->buf_size)) {
		iov = vectors_fill(&s->vectors, io, &pieces);
		if (!iov)
			return -EINVAL;
	}
	do {
		if (likely(io->op == IO_READ))
			n = read_at(s->plain.fd, iov, pieces, io->offset, io->wait ? s->rwf.wait : s->rwf.read);
		else
			n = pwritev2(s->plain.fd, iov, (int)pieces, (off_t)io->offset, s->rwf.wait);
	} while (unlikely(n < 0) && errno == EINTR);
	io->res = likely(n >= 0) ? n : -errno;
	return 0;
}

static void preadv2_describe(const void *state, char *text, size_t cap)
{
	const struct flagged *s = state;

	rwf_describe(&s->rwf, text, cap);
}

const struct engine engine_preadv2 = {
	.name = "preadv2",
	.help = "one preadv2 or pwritev2 a request, with flags",
	.flags = ENGINE_BUFFER | ENGINE_WRITE | ENGINE_TRIM | ENGINE_DIRECT,
	.uses = USE_NOWAIT | USE_DONTCACHE | USE_HIPRI,
	.max_depth = 1,
	.probe = preadv2_probe,
	.open = preadv2_open,
	.close = preadv2_close,
	.submit = preadv2_submit,
	.describe = preadv2_describe,
};
