/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io_uring through liburing: registered file, registered buffers where the limit on locked memory allows them, and one
 * system call to submit a batch and wait.
 *
 * The completion queue cannot overflow: it has twice the entries of the submission queue, and no more than depth
 * requests are ever out.
 *
 * A ring that polls the device takes reads and writes alone, and to discard a part of a device is no request of a ring:
 * such trims and syncs are done when they are submitted.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <liburing.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "io/backend.h"

#define URING_DEPTH 32768 /* IORING_MAX_ENTRIES of io_uring/io_uring.c */

/* The kernel's limit for one registered buffer, and enough memory to pin: larger requests gain nothing from it. */
#define FIXED_MAX (UINT64_C(1) << 30)

struct uring {
	struct io_uring ring;
	bool ready;                /* ring is there */
	bool fixed;                /* buffers are registered, all as one */
	const char *unfixed;       /* else why not */
	unsigned flags;            /* of the setup */
	unsigned depth, out;       /* out: submitted by the caller and not reaped */
	unsigned char *tries;      /* of each slot: how often its request was given again */
	struct io **ended;         /* of these, done when they were submitted */
	unsigned ended_count;
	struct plain *plain;       /* of each file */
	struct rwf rwf;
	size_t buf_size;
	struct vectors vectors;
};

/* A request that is interrupted so often has another reason for it. */
#define TRIES 100

/*
 * From what is best to what every kernel has: DEFER_TASKRUN came with 6.1, SINGLE_ISSUER with 6.0, COOP_TASKRUN with
 * 5.19.
 */
static const unsigned setups[] = {
	IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN,
	IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN,
	0,
};

/* The same where the kernel's thread submits: the completions are its own work, not left to us. */
static const unsigned polled_setups[] = {
	IORING_SETUP_SQPOLL | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER,
	IORING_SETUP_SQPOLL | IORING_SETUP_SUBMIT_ALL,
	IORING_SETUP_SQPOLL,
};

/* A ring of no entries is refused by a kernel that would make others, behind all questions of permission. */
static int uring_probe(struct fault *why)
{
	struct io_uring ring;
	int r = io_uring_queue_init(0, &ring, 0);

	return r == -EINVAL ? 0 : uring_refused(r, 0, why);
}

static void uring_close(void *state)
{
	struct uring *s = state;

	if (s->ready) {
		/* A ring goes some time after its exit, and would hold the file until then: a device stays in use. */
		io_uring_unregister_files(&s->ring);
		io_uring_queue_exit(&s->ring);
	}
	vectors_fini(&s->vectors);
	free(s->tries);
	free(s->plain);
	free(s->ended);
	free(s);
}

static void uring_closep(struct uring **s)
{
	if (*s)
		uring_close(*s);
}

static int set_up_ring(struct uring *s, unsigned use)
{
	const unsigned *flags = use & USE_SQPOLL ? polled_setups : setups;
	int r = -EINVAL;

	_Static_assert(sizeof(setups) == sizeof(polled_setups), "one loop for both");
	for (size_t i = 0; i < ARRAY_SIZE(setups) && r == -EINVAL; i++) {
		struct io_uring_params params = {.flags = flags[i] | (use & USE_IOPOLL ? IORING_SETUP_IOPOLL : 0)};

		s->flags = params.flags;
		r = io_uring_queue_init_params(s->depth, &s->ring, &params);
	}
	s->ready = r >= 0;
	return r;
}

static int register_files(struct uring *s, const struct engine_params *p)
{
	_cleanup_free_ int *fd = calloc(p->files ? p->file_count : 1, sizeof(*fd));

	if (!fd)
		return -ENOMEM;
	fd[0] = p->fd;
	for (unsigned i = 1; i < p->file_count; i++)
		fd[i] = p->files[i].fd;
	return io_uring_register_files(&s->ring, fd, p->files ? p->file_count : 1);
}

static void register_buffers(struct uring *s, const struct engine_params *p)
{
	struct iovec all = {.iov_base = p->buffers, .iov_len = p->depth * p->buf_size};
	int r;

	if (p->use & USE_PLAIN_BUFFERS) {
		s->unfixed = "as asked";
		return;
	}
	if (p->buf_size > FIXED_MAX / p->depth) {
		s->unfixed = "more than 1 GiB";
		return;
	}
	r = io_uring_register_buffers(&s->ring, &all, 1);
	s->fixed = r >= 0;
	s->unfixed = r == -ENOMEM ? "RLIMIT_MEMLOCK (ulimit -l)" : strerror(-r);
}

/*
 * A file or a queue that cannot be polled refuses each request (a queue since Linux 6.12), and nothing else tells: the
 * first block is read once.
 */
static int ask_iopoll(struct uring *s, const struct engine_params *p, struct fault *why)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);
	struct io_uring_cqe *cqe;
	int r;

	if (!sqe)
		return uring_refused(-EBUSY, 0, why);
	io_uring_prep_read(sqe, 0, p->buffers, (unsigned)MIN(p->buf_size, PAGE_BYTES), 0);
	sqe->flags |= IOSQE_FIXED_FILE;
	r = io_uring_submit(&s->ring);
	if (r >= 0)
		r = io_uring_wait_cqe(&s->ring, &cqe);
	if (r < 0)
		return uring_refused(r, 0, why);
	r = cqe->res;
	io_uring_cqe_seen(&s->ring, cqe);
	if (r == -EOPNOTSUPP)
		return fault_set(why, r,
				 "io_uring: iopoll is not supported, by this file system or for want of poll queues");
	return 0;
}

static int init(struct uring *s, const struct engine_params *p, struct fault *why)
{
	int r = plain_init_all(&s->plain, p, why);

	if (r == 0)
		r = rwf_init(&s->rwf, p, why);
	if (r == 0)
		r = vectors_init(&s->vectors, p, why);
	if (r < 0)
		return r;
	s->depth = p->depth;
	s->buf_size = p->buf_size;
	s->tries = calloc(p->depth, 1);
	s->ended = calloc(p->depth, sizeof(struct io *));
	return s->tries && s->ended ? 0 : fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
}

static int uring_open(const struct engine_params *p, void **state, struct fault *why)
{
	_cleanup_(uring_closep) struct uring *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	r = init(s, p, why);
	if (r < 0)
		return r;
	r = set_up_ring(s, p->use);
	if (r >= 0)
		r = register_files(s, p);
	if (r < 0)
		return uring_refused(r, p->use, why);
	register_buffers(s, p);
	/* Since 5.18; a lookup less in each system call. Without it all is well too. */
	(void)io_uring_register_ring_fd(&s->ring);
	if (p->use & USE_IOPOLL) {
		r = ask_iopoll(s, p, why);
		if (r < 0)
			return r;
	}
	*state = TAKE_PTR(s);
	return 0;
}

static void prepare_move(const struct uring *s, struct io_uring_sqe *sqe, const struct io *io)
{
	unsigned length = (unsigned)io->length;
	int file = (int)io->file;

	if (io->op == IO_READ && likely(s->fixed))
		io_uring_prep_read_fixed(sqe, file, io->buf, length, io->offset, 0);
	else if (io->op == IO_READ)
		io_uring_prep_read(sqe, file, io->buf, length, io->offset);
	else if (s->fixed)
		io_uring_prep_write_fixed(sqe, file, io->buf, length, io->offset, 0);
	else
		io_uring_prep_write(sqe, file, io->buf, length, io->offset);
}

static void prepare_vector(struct io_uring_sqe *sqe, const struct io *io, const struct iovec *iov, unsigned pieces)
{
	int file = (int)io->file;

	if (io->op == IO_READ)
		io_uring_prep_readv(sqe, file, iov, pieces, io->offset);
	else
		io_uring_prep_writev(sqe, file, iov, pieces, io->offset);
}

static void prepare_other(struct io_uring_sqe *sqe, const struct io *io)
{
	int file = (int)io->file;

	if (io->op == IO_TRIM)
		io_uring_prep_fallocate(sqe, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)io->offset,
					(off_t)io->length);
	else
		io_uring_prep_fsync(sqe, file, io->op == IO_DATASYNC ? IORING_FSYNC_DATASYNC : 0);
}

/* Put a request into the submission queue. 0, -EAGAIN: no room, or -EINVAL. */
static inline int queue(struct uring *s, struct io *io, bool moves)
{
	struct io_uring_sqe *sqe;
	struct iovec *iov = NULL;
	unsigned pieces = 0;

	if (unlikely(moves && io->length > s->buf_size)) {
		iov = vectors_fill(&s->vectors, io, &pieces);
		if (!iov)
			return -EINVAL;
	}
	sqe = io_uring_get_sqe(&s->ring);
	/*
	 * The thread of the kernel gives places back after a whole batch, when requests of it may have ended already.
	 */
	if (unlikely(!sqe) && s->ring.flags & IORING_SETUP_SQPOLL && io_uring_sqring_wait(&s->ring) >= 0)
		sqe = io_uring_get_sqe(&s->ring);
	if (unlikely(!sqe)) /* the kernel took only a part of the last batch */
		return -EAGAIN;
	if (unlikely(!moves))
		prepare_other(sqe, io);
	else if (unlikely(iov))
		prepare_vector(sqe, io, iov, pieces);
	else
		prepare_move(s, sqe, io);
	if (likely(moves))
		sqe->rw_flags = io->op == IO_READ && !io->wait ? s->rwf.read : s->rwf.wait;
	sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, io);
	return 0;
}

static int uring_submit(void *state, struct io *io)
{
	struct uring *s = state;
	bool moves = io->op == IO_READ || io->op == IO_WRITE;
	const struct plain *plain = &s->plain[io->file];
	int r;

	if (s->out >= s->depth)
		return -EAGAIN;
	if (unlikely(!moves && (s->flags & IORING_SETUP_IOPOLL || (io->op == IO_TRIM && plain->block)))) {
		plain_do(plain, io);
		s->ended[s->ended_count++] = io;
		s->out++;
		return 0;
	}
	s->tries[io->slot] = 0;
	r = queue(s, io, moves);
	if (likely(r == 0))
		s->out++;
	return r;
}

/*
 * A signal, or a tracer, that comes while the kernel makes the thread which shall do a request that would block: the
 * request is cancelled or interrupted, and not begun (seen on 6.18). It is for us to give it again, as after EINTR.
 */
static bool is_given_again(struct uring *s, struct io *io)
{
	if (io->res != -ECANCELED && io->res != -EINTR)
		return false;
	if (s->tries[io->slot] == TRIES)
		return false;
	s->tries[io->slot]++;
	return queue(s, io, io->op == IO_READ || io->op == IO_WRITE) == 0;
}

/* The kernel lacks memory for a moment, or a signal came: no failure of the engine while something is out. */
static int soften(struct uring *s, int r)
{
	if (r >= 0 || r == -EINTR || r == -ETIME)
		return 0;
	if ((r == -EAGAIN || r == -EBUSY) && s->out > io_uring_sq_ready(&s->ring)) {
		(void)io_uring_get_events(&s->ring);
		return 0;
	}
	return r;
}

static int uring_flush(void *state)
{
	struct uring *s = state;

	return soften(s, io_uring_submit(&s->ring));
}

/* The kernel does not look at a timeout while it polls a device, so here the clock is ours. */
static int poll_for(struct uring *s, unsigned need, int64_t timeout_ns)
{
	int64_t end = clock_now() + timeout_ns;
	int r;

	do
		r = io_uring_submit_and_get_events(&s->ring);
	while (r >= 0 && io_uring_cq_ready(&s->ring) < need && clock_now() < end);
	return r;
}

/* Submit what is queued and wait for need completions, all in one system call. */
static int submit_and_wait(struct uring *s, unsigned need, int64_t timeout_ns)
{
	struct __kernel_timespec ts = {.tv_sec = timeout_ns / NS_PER_SEC, .tv_nsec = timeout_ns % NS_PER_SEC};
	unsigned ready = io_uring_cq_ready(&s->ring);
	struct io_uring_cqe *cqe;

	if (need > ready && timeout_ns < 0)
		return io_uring_submit_and_wait(&s->ring, need);
	if (need > ready && timeout_ns > 0 && s->flags & IORING_SETUP_IOPOLL)
		return poll_for(s, need, timeout_ns);
	if (need > ready && timeout_ns > 0)
		return io_uring_submit_and_wait_timeout(&s->ring, &cqe, need, &ts, NULL);
	/* Completions are posted when this thread enters the kernel (COOP_TASKRUN, DEFER_TASKRUN), so look there. */
	if (ready == 0)
		return io_uring_submit_and_get_events(&s->ring);
	return io_uring_sq_ready(&s->ring) ? io_uring_submit(&s->ring) : 0;
}

static unsigned collect(struct uring *s, struct io **done, unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0, seen = 0;

	io_uring_for_each_cqe(&s->ring, head, cqe) {
		if (n == max)
			break;
		seen++;
		/* Kernels before 5.11 have no timeout of the wait itself; liburing then submits one as a request. */
		if (unlikely(cqe->user_data == LIBURING_UDATA_TIMEOUT))
			continue;
		struct io *io = io_uring_cqe_get_data(cqe);

		io->res = cqe->res;
		if (unlikely(io->res < 0) && is_given_again(s, io))
			continue;
		if (unlikely(io->op == IO_TRIM && io->res == 0))
			io->res = (int64_t)io->length;
		done[n++] = io;
	}
	io_uring_cq_advance(&s->ring, seen);
	s->out -= n;
	return n;
}

static int uring_reap(void *state, struct io **done, unsigned min, unsigned max, int64_t timeout_ns)
{
	struct uring *s = state;
	unsigned n = 0;

	while (unlikely(s->ended_count > 0) && n < max) {
		done[n++] = s->ended[--s->ended_count];
		s->out--;
	}
	while (s->out > 0 && n < max) {
		unsigned need = n < min ? MIN(MIN(min - n, s->out), max - n) : 0;
		int r = soften(s, submit_and_wait(s, need, timeout_ns));

		if (r < 0)
			return n ? (int)n : r;
		n += collect(s, done + n, max - n);
		if (n >= min || timeout_ns >= 0)
			break;
	}
	return (int)n;
}

static void uring_describe(const void *state, char *text, size_t cap)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {
		{IORING_SETUP_SQPOLL, "SQPOLL "},
		{IORING_SETUP_IOPOLL, "IOPOLL "},
		{IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER "},
		{IORING_SETUP_COOP_TASKRUN, "COOP_TASKRUN "},
		{IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN "},
	};
	const struct uring *s = state;
	char flags[128] = "", rwf[64];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (s->flags & names[i].flag)
			strcat(flags, names[i].name);
	rwf_describe(&s->rwf, rwf, sizeof(rwf));
	snprintf(text, cap, "%s%s%s%s%s", flags, rwf, rwf[0] ? " " : "",
		 s->fixed ? "registered file and buffers" : "registered file; buffers not registered: ",
		 s->fixed ? "" : s->unfixed);
}

const struct engine engine_io_uring = {
	.name = "io_uring",
	.help = "io_uring, submit and wait in one call",
	.flags = ENGINE_ASYNC | ENGINE_BUFFER | ENGINE_WRITE | ENGINE_TRIM | ENGINE_DIRECT | ENGINE_FILES,
	.uses = USE_NOWAIT | USE_DONTCACHE | USE_SQPOLL | USE_IOPOLL | USE_PLAIN_BUFFERS,
	.max_depth = URING_DEPTH,
	.probe = uring_probe,
	.open = uring_open,
	.close = uring_close,
	.submit = uring_submit,
	.flush = uring_flush,
	.reap = uring_reap,
	.describe = uring_describe,
};
