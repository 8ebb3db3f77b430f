/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of engines that have several requests in flight. */
#include "run/job.h"

#include <errno.h>

#include "base/clock.h"

/* Times are ticks of the job; due and issue of each flight have the same index as it. */
struct times {
	uint64_t due, issue;
};

struct async {
	struct job *j;
	struct times *times;    /* NULL: none are taken */
	struct flight *flights; /* one a slot */
	struct io **done;       /* what reap brings */
	unsigned *idle;         /* stack of slots without a request */
	unsigned *ready;        /* stack of slots whose io waits: next pieces, and what found the queue full */
	unsigned depth, idle_count, ready_count;
	struct batch batch;
	size_t position;        /* in the batch */
	int64_t due;            /* when the request there is, under a timing; DUE_UNKNOWN: not asked yet */
	uint64_t syncs;         /* to be added */
	uint64_t last_write;    /* number of the write before */
	uint32_t last_file;     /* its target */
	bool paced;
	bool closing;           /* the batch was a loop: what follows one, when nothing is in flight */
	int error;              /* of the advice behind, which has ended it; -errno */
	bool ended;             /* no further requests are taken */
	bool cut;               /* an error ended it: no further pieces of those in flight are issued either */
};

#define DUE_UNKNOWN INT64_MIN

static void async_fini(struct async *a)
{
	free(a->flights);
	free(a->done);
	free(a->idle);
	free(a->ready);
	free(a->times);
}

static int async_init(struct async *a, struct job *j)
{
	unsigned depth = j->params.depth;

	*a = (struct async){
		.j = j,
		.depth = depth,
		.idle_count = depth,
		.flights = calloc(depth, sizeof(*a->flights)),
		.done = calloc(depth, sizeof(struct io *)),
		.idle = calloc(depth, sizeof(*a->idle)),
		.ready = calloc(depth, sizeof(*a->ready)),
		.times = job_takes_times(j) ? calloc(depth, sizeof(*a->times)) : NULL,
		.due = DUE_UNKNOWN,
		.paced = j->play->timing != TIMING_NONE,
	};
	if (!a->flights || !a->done || !a->idle || !a->ready || (job_takes_times(j) && !a->times))
		return fault_set(&j->fault, -ENOMEM, "no memory for %u requests in flight", depth);
	for (unsigned i = 0; i < depth; i++) {
		struct io *io = &a->flights[i].io;

		io->slot = i;
		io->buf = j->params.buffers ? j->params.buffers + (size_t)i * j->params.buf_size : NULL;
		a->idle[i] = depth - 1 - i;
	}
	return 0;
}

static unsigned in_flight(const struct async *a)
{
	return a->depth - a->idle_count - a->ready_count;
}

/* Is the job called, and to end? */
static bool called_to_end(struct async *a)
{
	struct job *j = a->j;

	if (likely(!job_called(j)))
		return false;
	j->in_flight = a->depth - a->idle_count;
	return job_stopped(j);
}

static void finish(struct async *a, struct flight *f, enum flight_state how)
{
	struct times *t = a->times ? &a->times[f->io.slot] : NULL;

	a->idle[a->idle_count++] = f->io.slot;
	if (t)
		job_record(a->j, f, t->due, t->issue, a->j->now);
	if (how == FLIGHT_DONE && job_adds_sync(a->j, f)) {
		a->syncs++;
		a->last_write = f->number;
		a->last_file = f->io.file;
	}
	if (!job_done(a->j, f, how))
		a->ended = a->cut = true;
	if (unlikely(a->j->play->behind_bytes > 0) && how == FLIGHT_DONE && a->error == 0) {
		a->error = job_pass(a->j, f, f->io.file);
		a->cut |= a->error < 0;
		a->ended |= a->error < 0;
	}
}

/* Take what has come back, waiting for one at least, but no longer than timeout_ns unless that is -1. 0 or -errno. */
static int reap(struct async *a, int64_t timeout_ns)
{
	struct job *j = a->j;
	int n;

	j->result.most_in_flight = MAX(j->result.most_in_flight, in_flight(a));
	n = j->engine->reap(j->state, a->done, 1, a->depth, timeout_ns);
	if (n < 0)
		return job_engine_failed(j, n, "wait for requests");
	/* One reading for all: they came back together, and those that take their places start now. */
	if (a->times)
		j->now = tick_now(&j->tick);
	for (int i = 0; i < n; i++) {
		struct flight *f = &a->flights[a->done[i]->slot];
		enum flight_state how = flight_land(f, &a->j->rules, &a->j->result);

		if (how == FLIGHT_AGAIN)
			a->ready[a->ready_count++] = f->io.slot;
		else
			finish(a, f, how);
	}
	/* Advice behind is no part of the next latency. */
	if (a->times && j->play->behind_bytes)
		j->now = tick_now(&j->tick);
	return 0;
}

/* Submit what is ready. 1: all of it, 0: the engine's queue is full, -errno. */
static int submit_ready(struct async *a)
{
	struct job *j = a->j;

	while (a->ready_count > 0) {
		struct flight *f = &a->flights[a->ready[a->ready_count - 1]];
		int r;

		/* What was taken is issued, or it would be counted and not done. */
		if (f->moved > 0 && (a->cut || called_to_end(a))) {
			j->cut |= !a->cut;
			a->ready_count--;
			finish(a, f, FLIGHT_DONE);
			continue;
		}
		if (f->io.op == IO_WRITE)
			job_fill(j, f);
		else
			f->filled = false;
		r = j->engine->submit(j->state, &f->io);
		/* A full queue with nothing in it is a failure, or this would go on for ever. */
		if (r == -EAGAIN && in_flight(a) > 0)
			return 0;
		if (r < 0)
			return job_engine_failed(j, r, "issue a request");
		a->ready_count--;
	}
	return 1;
}

/* When the request at a->position is due. */
static int64_t turn_and_ask(struct async *a)
{
	job_turn_to(a->j, &a->batch, a->position);
	return job_due(a->j, &a->batch, a->position);
}

/* 1: a->position stands on a request that may be issued, 0: not now, or the play ends. Or -errno. */
static int look_ahead(struct async *a)
{
	struct job *j = a->j;
	int64_t now;
	int r;

	if (called_to_end(a)) {
		j->cut = true;
		a->ended = true;
		return 0;
	}
	if (a->closing) {
		if (a->idle_count < a->depth)
			return 0;
		a->closing = false;
		r = job_end_loop(j);
		a->ended = r <= 0;
		if (r <= 0)
			return r;
	}
	if (a->position == a->batch.count) {
		if (in_flight(a) > 0 && !source_ready(&j->source))
			return 0;
		a->ended = !source_next(&j->source, &a->batch);
		if (a->ended)
			return 0;
		if (j->source.more || j->play->after_count > 0)
			j->now = tick_now(&j->tick);
		a->position = 0;
		if (j->reset && a->batch.loop > 0) {
			r = job_reset(j, a->batch.loop);
			a->ended = r <= 0;
			if (r <= 0)
				return r;
		}
	}
	if (!a->paced)
		return 1;
	if (a->due == DUE_UNKNOWN)
		a->due = turn_and_ask(a);
	now = clock_now();
	if (now < a->due)
		return 0;
	job_issued(j, a->due, now);
	j->now = (uint64_t)now;
	return 1;
}

/*
 * After a submission under think time: the pause begins when the next request could be issued, so at depth 1 it lies
 * between the end of one and the start of the next, as with a synchronous engine. 0 or -errno.
 */
static int pause_after(struct async *a)
{
	int r = a->j->engine->flush(a->j->state);

	if (r < 0)
		return job_engine_failed(a->j, r, "submit");
	while (a->idle_count == 0 || a->ready_count > 0) {
		r = submit_ready(a);
		if (r >= 0 && in_flight(a) > 0)
			r = reap(a, -1);
		if (r < 0)
			return r;
	}
	if (!a->ended && job_thinks(a->j, a->position - 1, a->batch.count)) {
		job_think(a->j);
		a->j->now = tick_now(&a->j->tick);
	}
	return 0;
}

/* The flight of an idle slot goes out. */
static void make_ready(struct async *a, struct flight *f)
{
	struct job *j = a->j;
	uint64_t due = a->paced && !f->added ? (uint64_t)a->due : j->now;

	a->idle_count--;
	a->ready[a->ready_count++] = f->io.slot;
	if (a->times)
		a->times[f->io.slot] = (struct times){.due = due, .issue = j->now};
}

/* Take the request at a->position. 0 or -errno. */
static int take(struct async *a)
{
	struct job *j = a->j;
	struct flight *f = &a->flights[a->idle[a->idle_count - 1]];
	size_t at = a->position * a->batch.step;
	int r;

	job_turn_to(j, &a->batch, a->position);
	f->io.file = j->target;
	job_take(j, a->batch.req[at]);
	if (flight_begin(f, &j->rules, a->batch.req[at], a->batch.first + at + 1, &j->result)) {
		make_ready(a, f);
		r = submit_ready(a);
		if (r < 0)
			return r;
	} else {
		job_done(j, f, FLIGHT_DONE);
		job_pass_over(j, f);
	}
	a->due = DUE_UNKNOWN;
	if (++a->position == a->batch.count && job_ends_loop(j, &a->batch)) {
		a->closing = j->play->after_count > 0 || j->reset;
		if (!a->closing)
			(void)job_end_loop(j);
	}
	return unlikely(j->play->think_ns > 0) ? pause_after(a) : 0;
}

/* Put requests into flight while there is room, and they are due. 0 or -errno. */
static int fill(struct async *a)
{
	struct job *j = a->j;
	int r;

	for (;;) {
		r = submit_ready(a);
		if (r <= 0)
			return r;
		if (a->cut || a->idle_count == 0)
			return 0;
		if (unlikely(a->syncs > 0)) {
			struct flight *f = &a->flights[a->idle[a->idle_count - 1]];

			a->syncs--;
			f->io.file = a->last_file;
			flight_begin_sync(f, a->last_write, &j->result);
			make_ready(a, f);
			continue;
		}
		if (a->ended)
			return 0;
		r = look_ahead(a);
		if (r > 0)
			r = take(a);
		else if (r == 0)
			return 0;
		if (r < 0)
			return r;
	}
}

/* Wait for what comes first: the end of a request, or that the next one is due. 0 or -errno. */
static int wait(struct async *a)
{
	bool for_turn = !a->ended && a->due != DUE_UNKNOWN && a->idle_count > 0;
	int64_t now, left = -1;

	if (for_turn && in_flight(a) == 0) {
		/* A call is looked at where the next request is. */
		(void)job_wait_until(a->j, a->due, &now);
		return 0;
	}
	if (for_turn)
		left = MAX(a->due - (a->j->play->spin ? JOB_SPIN_NS : 0) - clock_now(), 0);
	return in_flight(a) > 0 ? reap(a, left) : 0;
}

int job_loop_async(struct job *j)
{
	_cleanup_(async_fini) struct async a;
	int r = async_init(&a, j);
	struct fault first;

	if (r < 0)
		return r;
	do {
		r = fill(&a);
		if (r == 0)
			r = wait(&a);
	} while (r == 0 && (!a.ended || a.idle_count < a.depth || (a.syncs > 0 && !a.cut)));

	/* The engine failed: what it can still bring back must not be written into buffers that are gone. */
	first = j->fault;
	while (r < 0 && in_flight(&a) > 0 && reap(&a, -1) == 0)
		;
	j->fault = first;
	return r < 0 ? r : a.error;
}
