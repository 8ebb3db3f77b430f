/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of engines that have several requests in flight. */
#include "run/job.h"

#include <errno.h>

struct async {
	struct job *j;
	struct flight *flights; /* one a slot */
	struct io **done;       /* what reap brings */
	unsigned *idle;         /* stack of slots without a request */
	unsigned *ready;        /* stack of slots whose io waits: next pieces, and what found the queue full */
	unsigned depth, idle_count, ready_count;
	struct batch batch;
	size_t position;        /* in the batch */
	bool meeting;           /* batch is to begin when nothing is in flight and all jobs have come so far */
	bool ended;             /* no further requests are taken */
	bool cut;               /* an error ended it: no further pieces of those in flight are issued either */
};

static void async_fini(struct async *a)
{
	free(a->flights);
	free(a->done);
	free(a->idle);
	free(a->ready);
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
	};
	if (!a->flights || !a->done || !a->idle || !a->ready)
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

static void finish(struct async *a, struct flight *f, enum flight_state how)
{
	a->idle[a->idle_count++] = f->io.slot;
	if (!job_done(a->j, f, how))
		a->ended = a->cut = true;
}

/* Take what has come back, waiting for one at least. 0 or -errno. */
static int reap(struct async *a)
{
	int n = a->j->engine->reap(a->j->state, a->done, 1, a->depth, -1);

	if (n < 0)
		return job_engine_failed(a->j, n, "wait for requests");
	for (int i = 0; i < n; i++) {
		struct flight *f = &a->flights[a->done[i]->slot];
		enum flight_state how = flight_land(f, &a->j->rules, &a->j->result);

		if (how == FLIGHT_AGAIN)
			a->ready[a->ready_count++] = f->io.slot;
		else
			finish(a, f, how);
	}
	return 0;
}

/* Submit what is ready. 1: all of it, 0: the engine's queue is full, -errno. */
static int submit_ready(struct async *a)
{
	struct job *j = a->j;

	while (a->ready_count > 0) {
		struct flight *f = &a->flights[a->ready[a->ready_count - 1]];
		int r;

		if (a->cut || (job_called(j) && job_stopped(j))) {
			j->cut |= !a->cut;
			a->ready_count--;
			finish(a, f, FLIGHT_DONE);
			continue;
		}
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

/* 1: a->position stands on a request that may be taken, 0: not now (something is in flight) or the play ends. */
static int look_ahead(struct async *a)
{
	struct job *j = a->j;

	if (job_called(j) && job_stopped(j)) {
		j->cut = true;
		a->ended = true;
		return 0;
	}
	if (a->position == a->batch.count) {
		a->ended = !source_next(&j->source, &a->batch);
		if (a->ended)
			return 0;
		a->position = 0;
		a->meeting = job_meets(j, &a->batch);
	}
	if (a->meeting) {
		if (a->idle_count < a->depth)
			return 0;
		a->meeting = false;
		job_meet(j);
	}
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
			r = reap(a);
		if (r < 0)
			return r;
	}
	if (!a->ended && job_thinks(a->j, a->position - 1, a->batch.count))
		job_think(a->j);
	return 0;
}

/* Put requests into flight while there is room. 0 or -errno. */
static int fill(struct async *a)
{
	struct job *j = a->j;
	int r;

	for (;;) {
		struct flight *f;
		size_t at;

		r = submit_ready(a);
		if (r <= 0)
			return r;
		if (a->ended || a->idle_count == 0)
			return 0;
		r = look_ahead(a);
		if (r <= 0)
			return r;
		at = a->position * a->batch.step;
		f = &a->flights[a->idle[a->idle_count - 1]];
		job_take(j, a->batch.req[at]);
		if (flight_begin(f, &j->rules, a->batch.req[at], a->batch.first + at + 1, &j->result)) {
			a->idle_count--;
			a->ready[a->ready_count++] = f->io.slot;
			r = submit_ready(a);
			if (r < 0)
				return r;
		} else {
			job_done(j, f, FLIGHT_DONE);
		}
		if (++a->position == a->batch.count)
			j->result.loops += a->batch.count == j->source.each;
		if (unlikely(j->play->think_ns > 0)) {
			r = pause_after(a);
			if (r < 0)
				return r;
		}
	}
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
		if (r == 0 && in_flight(&a) > 0)
			r = reap(&a);
	} while (r == 0 && (!a.ended || in_flight(&a) + a.ready_count > 0));

	/* The engine failed: what it can still bring back must not be written into buffers that are gone. */
	first = j->fault;
	while (r < 0 && in_flight(&a) > 0 && reap(&a) == 0)
		;
	j->fault = first;
	return r;
}
