/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux native AIO: a batch of requests in one io_submit(2), completions by io_getevents(2). It has no trim, so one is
 * done when it is submitted.
 */
#include <errno.h>
#include <inttypes.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "io/backend.h"

#define AIO_DEPTH 32768

struct aio {
	io_context_t ctx;
	struct iocb *cbs;          /* of each slot */
	struct iocb **queue;       /* submitted by the caller, not yet by us: queue[0..queued) */
	struct io_event *events;
	struct io **ended;         /* what the kernel did not take, and trims: to be reaped */
	unsigned depth, queued, in_flight, ended_count;
	struct plain *plain;       /* of each file */
	struct rwf rwf;
	size_t buf_size;
	struct vectors vectors;
};

static int setup_error(int err, unsigned depth, struct fault *why)
{
	if (err == -EAGAIN)
		return fault_set(
		    why, err, "libaio: no room for %u more requests: fs.aio-max-nr is used up (see fs.aio-nr)", depth);
	if (err == -ENOSYS)
		return fault_set(why, err, "libaio: not implemented by this kernel, or forbidden (seccomp)");
	if (err == -EPERM || err == -EACCES)
		return fault_set(why, err, "libaio: not permitted (seccomp)");
	return fault_set(why, err, "libaio: %s", strerror(-err));
}

/*
 * A context of no events is refused by a kernel that would make others; to destroy one takes it tens of milliseconds.
 */
static int aio_probe(struct fault *why)
{
	io_context_t ctx = NULL;
	int r = io_setup(0, &ctx);

	return r == -EINVAL ? 0 : setup_error(r, 0, why);
}

static void aio_close(void *state)
{
	struct aio *s = state;

	if (s->ctx)
		io_destroy(s->ctx);
	vectors_fini(&s->vectors);
	free(s->plain);
	free(s->cbs);
	free(s->queue);
	free(s->events);
	free(s->ended);
	free(s);
}

static void aio_closep(struct aio **s)
{
	if (*s)
		aio_close(*s);
}

static int aio_open(const struct engine_params *p, void **state, struct fault *why)
{
	_cleanup_(aio_closep) struct aio *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	s->depth = p->depth;
	s->buf_size = p->buf_size;
	s->cbs = calloc(p->depth, sizeof(*s->cbs));
	s->queue = calloc(p->depth, sizeof(struct iocb *));
	s->events = calloc(p->depth, sizeof(*s->events));
	s->ended = calloc(p->depth, sizeof(struct io *));
	if (!s->cbs || !s->queue || !s->events || !s->ended)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	r = plain_init_all(&s->plain, p, why);
	if (r == 0)
		r = rwf_init(&s->rwf, p, why);
	if (r == 0)
		r = vectors_init(&s->vectors, p, why);
	if (r < 0)
		return r;
	r = io_setup((int)p->depth, &s->ctx);
	if (r < 0)
		return setup_error(r, p->depth, why);
	*state = TAKE_PTR(s);
	return 0;
}

static void prepare_vector(struct iocb *cb, int fd, const struct io *io, const struct iovec *iov, unsigned pieces)
{
	if (io->op == IO_READ)
		io_prep_preadv(cb, fd, iov, (int)pieces, (long long)io->offset);
	else
		io_prep_pwritev(cb, fd, iov, (int)pieces, (long long)io->offset);
}

static int aio_submit(void *state, struct io *io)
{
	struct aio *s = state;
	struct iocb *cb = &s->cbs[io->slot];
	const struct plain *plain = &s->plain[io->file];
	int fd = plain->fd;
	struct iovec *iov;
	unsigned pieces;

	if (s->queued + s->in_flight + s->ended_count >= s->depth)
		return -EAGAIN;
	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		if (unlikely(io->length > s->buf_size)) {
			iov = vectors_fill(&s->vectors, io, &pieces);
			if (!iov)
				return -EINVAL;
			prepare_vector(cb, fd, io, iov, pieces);
		} else if (io->op == IO_READ) {
			io_prep_pread(cb, fd, io->buf, io->length, (long long)io->offset);
		} else {
			io_prep_pwrite(cb, fd, io->buf, io->length, (long long)io->offset);
		}
		cb->aio_rw_flags = (unsigned)(io->op == IO_READ && !io->wait ? s->rwf.read : s->rwf.wait);
		break;
	case IO_SYNC:
		io_prep_fsync(cb, fd);
		break;
	case IO_DATASYNC:
		io_prep_fdsync(cb, fd);
		break;
	case IO_TRIM:
		plain_do(plain, io);
		s->ended[s->ended_count++] = io;
		return 0;
	}
	cb->data = io;
	s->queue[s->queued++] = cb;
	return 0;
}

static int aio_flush(void *state)
{
	struct aio *s = state;
	unsigned done = 0;
	int r = 0;

	while (done < s->queued) {
		r = io_submit(s->ctx, (long)(s->queued - done), s->queue + done);
		if (r > 0) {
			done += (unsigned)r;
			s->in_flight += (unsigned)r;
			continue;
		}
		/* No memory or no room in the kernel now. When nothing is out, nothing will free any. */
		if (r == -EAGAIN || r == 0)
			break;
		if (r == -EINTR)
			continue;
		/* The first of those handed over is at fault, and it alone: its error is its result. */
		struct io *io = s->queue[done++]->data;

		io->res = r;
		s->ended[s->ended_count++] = io;
	}
	s->queued -= done;
	memmove(s->queue, s->queue + done, s->queued * sizeof(struct iocb *));
	return s->queued && s->in_flight + s->ended_count == 0 ? -EAGAIN : 0;
}

static int get_events(struct aio *s, unsigned min, unsigned max, int64_t timeout_ns)
{
	struct timespec ts = {.tv_sec = timeout_ns / NS_PER_SEC, .tv_nsec = timeout_ns % NS_PER_SEC};
	int r;

	do
		r = io_getevents(s->ctx, (long)min, (long)max, s->events, timeout_ns < 0 ? NULL : &ts);
	while (r == -EINTR && timeout_ns < 0);
	return r == -EINTR ? 0 : r;
}

static int aio_reap(void *state, struct io **done, unsigned min, unsigned max, int64_t timeout_ns)
{
	struct aio *s = state;
	unsigned n = 0;

	for (;;) {
		int r = aio_flush(s);

		if (r < 0)
			return n ? (int)n : r;
		while (s->ended_count && n < max)
			done[n++] = s->ended[--s->ended_count];
		if (n == max || s->in_flight == 0)
			return (int)n;
		r = get_events(s, n < min ? MIN(MIN(min, max) - n, s->in_flight) : 0, max - n, timeout_ns);
		if (r < 0)
			return n ? (int)n : r;
		for (int i = 0; i < r; i++) {
			struct io *io = s->events[i].data;

			io->res = (long)s->events[i].res;
			done[n++] = io;
		}
		s->in_flight -= (unsigned)r;
		if (n >= min || timeout_ns >= 0)
			return (int)n;
		/* Interrupted, or the kernel had no room for all at once. */
	}
}

static void aio_describe(const void *state, char *text, size_t cap)
{
	const struct aio *s = state;

	rwf_describe(&s->rwf, text, cap);
}

const struct engine engine_libaio = {
	.name = "libaio",
	.help = "Linux native AIO, in batches",
	.flags = ENGINE_ASYNC | ENGINE_BUFFER | ENGINE_WRITE | ENGINE_TRIM | ENGINE_DIRECT | ENGINE_FILES,
	.uses = USE_NOWAIT | USE_DONTCACHE,
	.max_depth = AIO_DEPTH,
	.probe = aio_probe,
	.open = aio_open,
	.close = aio_close,
	.submit = aio_submit,
	.flush = aio_flush,
	.reap = aio_reap,
	.describe = aio_describe,
};
