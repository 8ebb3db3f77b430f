/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of engines that complete a request when it is submitted. */
#include "run/job.h"

/*
 * One request with everything that can be about it: cut at the end, long, short, failed. issued: io was
 * issued already, with an unusual result, and only the rest is to be done. 1: go on, 0: the play ends, -errno.
 */
static int one_request(struct job *j, struct io *io, struct req r, uint64_t number, bool issued)
{
	struct flight f = {.io = *io};
	enum flight_state how = FLIGHT_DONE;
	int err;

	if (!job_take(j, r))
		return 0;
	if (!flight_begin(&f, &j->rules, r, number, &j->result))
		return job_done(j, &f, how);
	do {
		if (issued) {
			issued = false;
		} else {
			err = j->engine->submit(j->state, &f.io);
			if (err < 0)
				return job_engine_failed(j, err, "issue a request");
		}
		how = flight_land(&f, &j->rules, &j->result);
	} while (how == FLIGHT_AGAIN && !(j->cut = job_stopped(j)));
	return job_done(j, &f, how);
}

/*
 * The first n requests of a batch: 1 when they are done, 0 when the play ends, -errno.
 *
 * This is the loop whose cost is measured against a bare loop of the same calls. A request that lies whole
 * inside the target, fits one call and moves all its bytes stays in here; its op is a read, for the bits of other ops
 * make offset or length look too large.
 */
static int batch_requests(struct job *j, const struct batch *b, size_t n)
{
	int (*submit)(void *, struct io *) = j->engine->submit;
	void *state = j->state;
	const uint64_t piece_max = j->rules.piece_max, end = j->rules.size & ~(j->rules.align - 1);
	const bool think = j->think_ns > 0;
	struct io io = {.buf = j->params.buffers, .op = IO_READ};
	struct job_count c = j->count;
	uint64_t slow_bytes = j->result.bytes;

	for (size_t i = 0; i < n; i++) {
		uint64_t offset = b->req[i].offset_op, length = b->req[i].length_op;
		bool issued = false;
		int r;

		if (unlikely(job_stopped(j))) {
			j->count = c;
			j->cut = true;
			return 0;
		}
		if (likely(length - 1 < piece_max && offset + length <= end && length <= c.room)) {
			io.offset = offset;
			io.length = length;
			r = submit(state, &io);
			if (unlikely(r < 0)) {
				j->count = c;
				return job_engine_failed(j, r, "issue a request");
			}
			issued = true;
		}
		if (likely(issued && io.res == (int64_t)length)) {
			c.requests++;
			c.bytes += length;
			c.room -= length;
			c.seeks += offset != c.expect;
			c.expect = offset + length;
			job_show(j, c.requests, c.bytes + slow_bytes);
		} else {
			j->count = c;
			r = one_request(j, &io, b->req[i], b->first + i + 1, issued);
			if (r <= 0)
				return r;
			c = j->count;
			slow_bytes = j->result.bytes;
		}
		if (unlikely(think) && c.requests < j->max_requests)
			job_think(j);
	}
	j->count = c;
	return 1;
}

int job_loop_sync(struct job *j)
{
	struct batch b;
	int r;

	while ((r = source_next(&j->source, &b)) > 0) {
		size_t n = MIN(b.count, j->max_requests - j->count.requests);

		r = batch_requests(j, &b, n);
		if (r <= 0)
			return r;
		if (n < b.count) {
			j->result.hit_limit = true;
			return 0;
		}
	}
	return r < 0 ? job_engine_failed(j, r, "be given the next requests") : 0;
}
