/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of engines that complete a request when it is submitted: as fast as possible, with a clock or without, and
 * with all that may lie between two requests. Those of many requests in a call are in many.c.
 */
#include "run/hits.h"
#include "run/sync.h"

int sync_one(struct job *j, struct flight *f, struct req r, uint64_t number, bool issued)
{
	enum flight_state how = FLIGHT_DONE;
	int err;

	job_take(j, r);
	if (!flight_begin(f, &j->rules, r, number, &j->result)) {
		j->count.unissued++;
		return job_done(j, f, how);
	}
	j->in_flight = 1;
	do {
		if (f->io.op == IO_WRITE && !issued)
			job_fill(j, f);
		else
			f->filled = false;
		if (issued) {
			issued = false;
		} else {
			err = j->engine->submit(j->state, &f->io);
			if (err < 0)
				return job_engine_failed(j, err, "issue a request");
		}
		how = flight_land(f, &j->rules, &j->result);
	} while (how == FLIGHT_AGAIN && !(job_called(j) && (j->cut = job_stopped(j))));
	j->in_flight = 0;
	return job_done(j, f, how);
}

/* Look at what the job is called for: true when the play ends. */
static bool called_to_end(struct job *j)
{
	j->cut = job_stopped(j);
	return j->cut;
}

/*
 * The requests of a batch: 1 when they are done, 0 when the play ends, -errno. timed: take the time of each by one
 * reading of the clock, as the end of one is the start of the next.
 *
 * This is the loop whose cost is measured against a bare loop of the same calls: plain requests that move all their
 * bytes stay in here.
 */
static inline __attribute__((always_inline)) int each_by_call(struct job *j, const struct batch *b, const bool timed)
{
	int (*submit)(void *, struct io *) = j->engine->submit;
	void *state = j->state;
	const struct flight_rules rules = j->rules;
	const struct tick tick = j->tick;
	struct hist *latency = j->hit ? j->hit : j->latency[OP_READ];
	struct flight *f = &j->flight;
	struct io io = f->io;
	struct job_count c = j->count;
	uint64_t slow_bytes = j->result.bytes, before = j->now;
	const struct req *req = b->req;

	io.wait = false;
	for (size_t i = 0; i < b->count; i++, req += b->step) {
		uint64_t offset = req->offset_op, length = req->length_op, now;
		bool issued = false;
		int r = 0;

		if (unlikely(job_called(j))) {
			j->count = c;
			if (called_to_end(j))
				return 0;
		}
		if (likely(is_plain(&rules, offset, length))) {
			io.op = IO_READ;
			io.offset = offset;
			io.length = length;
			r = submit(state, &io);
			issued = true;
		}
		if (likely(issued && r == 0 && io.res == (int64_t)length)) {
			count_plain(&c, offset, length);
			job_show(j, c.requests, c.bytes + slow_bytes);
			if (timed) {
				now = tick_now(&tick);
				hist_record(latency, tick_ns(&tick, now - before));
				before = now;
			}
			continue;
		}
		if (r < 0)
			return j->count = c, job_engine_failed(j, r, "issue a request");
		j->count = c;
		f->io = io;
		job_turn_to(j, b, i);
		r = sync_one(j, f, *req, b->first + i * b->step + 1, issued);
		if (timed) {
			j->now = tick_now(&tick);
			if (f->issues)
				job_record(j, f, before, before, j->now);
			before = j->now;
		}
		if (r <= 0)
			return r;
		c = j->count;
		slow_bytes = j->result.bytes;
	}
	j->count = c;
	j->now = before;
	return 1;
}

static int each_untimed(struct job *j, const struct batch *b)
{
	return each_by_call(j, b, false);
}

static int each_timed(struct job *j, const struct batch *b)
{
	return each_by_call(j, b, true);
}

/* A sync that is no request, behind the write of f. As sync_one(). */
static int add_sync(struct job *j, uint64_t number)
{
	struct flight f = {.io = {.op = IO_SYNC}};
	enum flight_state how;
	int r;

	flight_begin_sync(&f, number, &j->result);
	r = j->engine->submit(j->state, &f.io);
	if (r < 0)
		return job_engine_failed(j, r, "sync");
	how = flight_land(&f, &j->rules, &j->result);
	if (job_takes_times(j)) {
		uint64_t start = j->now;

		j->now = tick_now(&j->tick);
		job_record(j, &f, start, start, j->now);
	}
	return job_done(j, &f, how);
}

/* Wait until request i is due. False: the play ends. */
static bool wait_for_turn(struct job *j, const struct batch *b, size_t i, uint64_t *due, uint64_t *issue)
{
	int64_t at = job_due(j, b, i), now;

	while (!job_wait_until(j, at, &now))
		if (called_to_end(j))
			return false;
	job_issued(j, at, now);
	/* Under a timing a tick is a nanosecond of CLOCK_MONOTONIC. */
	*due = (uint64_t)at;
	*issue = (uint64_t)now;
	return true;
}

/* The same with all that may lie between requests: a timing, pauses, syncs, a log. */
static int each_spaced(struct job *j, const struct batch *b)
{
	const bool paced = j->play->timing != TIMING_NONE, timed = job_takes_times(j);
	struct flight *f = &j->flight;

	for (size_t i = 0; i < b->count; i++) {
		uint64_t number = b->first + i * b->step + 1, due = j->now, issue = j->now;
		int r;

		if (job_called(j) && called_to_end(j))
			return 0;
		job_turn_to(j, b, i);
		if (paced && !wait_for_turn(j, b, i, &due, &issue))
			return 0;
		hits_begin(j);
		r = sync_one(j, f, b->req[i * b->step], number, false);
		if (timed) {
			j->now = tick_now(&j->tick);
			if (f->issues)
				job_record(j, f, due, issue, j->now);
			else
				job_pass_over(j, f);
		}
		if (r > 0 && f->issues && job_adds_sync(j, f))
			r = add_sync(j, number);
		if (r > 0 && j->play->behind_bytes) {
			int err = job_pass(j, f, j->target);

			r = err < 0 ? err : r;
			j->now = tick_now(&j->tick);
		}
		if (r <= 0)
			return r;
		if (job_thinks(j, i, b->count)) {
			job_think(j);
			j->now = timed ? tick_now(&j->tick) : 0;
		}
	}
	return 1;
}

static bool reads_or_writes_many(const struct job *j)
{
	return (j->engine->read_many && j->rules.plain_end > 0) || j->rules.zero_end > 0;
}

static sync_loop *choose_loop(struct job *j)
{
	const struct play_params *p = j->play;

	if (p->timing != TIMING_NONE || p->think_ns > 0 || p->fsync_every > 0 || p->behind_bytes > 0 || j->log)
		return each_spaced;
	if (reads_or_writes_many(j) && (!p->latency || many_op(j) < OP_COUNT))
		return p->latency ? many_sampled : many_untimed;
	return p->latency ? each_timed : each_untimed;
}

int job_loop_sync(struct job *j)
{
	sync_loop *loop = choose_loop(j);
	struct batch b;
	int r = 1;

	j->flight.io = (struct io){.buf = j->params.buffers};
	while (r > 0 && source_next(&j->source, &b)) {
		if (j->reset && b.loop > 0) {
			r = job_reset(j, b.loop);
			if (r <= 0)
				break;
		}
		/* What follows a loop, or waiting for requests to come, is no part of a latency. */
		if (b.loop > 0 || j->source.more)
			j->now = tick_now(&j->tick);
		hits_begin(j);
		r = loop(j, &b);
		if (r > 0 && job_ends_loop(j, &b))
			r = job_end_loop(j);
	}
	return MIN(r, 0);
}
