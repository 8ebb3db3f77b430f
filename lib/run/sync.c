/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of engines that complete a request when it is submitted. */
#include "run/job.h"

#define RUN 64

/*
 * One request with everything that can be about it: cut at the end, long, short, failed. issued: io was
 * issued already, with an unusual result, and only the rest is to be done. 1: go on, 0: the play ends, -errno.
 */
__attribute__((noinline)) static int one_request(struct job *j, struct io *io, struct req r, uint64_t number,
						 bool issued)
{
	struct flight f = {.io = *io};
	enum flight_state how = FLIGHT_DONE;
	int err;

	job_take(j, r);
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
	} while (how == FLIGHT_AGAIN && !(job_called(j) && (j->cut = job_stopped(j))));
	return job_done(j, &f, how);
}

static inline void count(struct job_count *c, uint64_t offset, uint64_t length)
{
	c->requests++;
	c->bytes += length;
	c->seeks += offset != c->expect;
	c->expect = offset + length;
}

/*
 * Does a request lie whole inside the target and fit one call? One that is no read does not: the bits of other ops make
 * offset or length look too large.
 */
static inline bool is_plain(const struct flight_rules *rules, uint64_t offset, uint64_t length)
{
	return length - 1 < rules->piece_max && offset + length <= rules->plain_end;
}

/*
 * The requests of a batch: 1 when they are done, 0 when the play ends, -errno.
 *
 * This is the loop whose cost is measured against a bare loop of the same calls: plain requests that move all their
 * bytes stay in here.
 */
static int each_by_call(struct job *j, const struct batch *b)
{
	int (*submit)(void *, struct io *) = j->engine->submit;
	void *state = j->state;
	const struct flight_rules rules = j->rules;
	const bool think = j->play->think_ns > 0;
	struct io io = {.buf = j->params.buffers, .op = IO_READ};
	struct job_count c = j->count;
	uint64_t slow_bytes = j->result.bytes;
	const struct req *req = b->req;

	for (size_t i = 0; i < b->count; i++, req += b->step) {
		uint64_t offset = req->offset_op, length = req->length_op;
		bool issued = false;
		int r = 0;

		if (unlikely(job_called(j))) {
			j->count = c;
			if (job_stopped(j)) {
				j->cut = true;
				return 0;
			}
		}
		if (likely(is_plain(&rules, offset, length))) {
			io.offset = offset;
			io.length = length;
			r = submit(state, &io);
			issued = true;
		}
		if (likely(issued && r == 0 && io.res == (int64_t)length)) {
			count(&c, offset, length);
			job_show(j, c.requests, c.bytes + slow_bytes);
		} else {
			j->count = c;
			r = r < 0 ? job_engine_failed(j, r, "issue a request") :
				    one_request(j, &io, *req, b->first + i * b->step + 1, issued);
			if (r <= 0)
				return r;
			c = j->count;
			slow_bytes = j->result.bytes;
		}
		if (unlikely(think) && job_thinks(j, i, b->count))
			job_think(j);
	}
	j->count = c;
	return 1;
}

/*
 * At most RUN requests by one call of the engine. Returns how many are done; when less than n, the next one is not plain
 * or went wrong, or the job is called.
 */
static size_t one_run(struct job *j, const struct req *req, size_t step, size_t n)
{
	const struct flight_rules rules = j->rules;
	struct job_count c = j->count;
	struct span spans[RUN];
	size_t plain, done;

	for (plain = 0; plain < n; plain++, req += step) {
		uint64_t offset = req->offset_op, length = req->length_op;

		if (unlikely(!is_plain(&rules, offset, length)))
			break;
		spans[plain] = (struct span){.offset = offset, .length = length};
		count(&c, offset, length);
	}
	if (plain == 0)
		return 0;
	done = j->engine->read_many(j->state, spans, plain, &j->call);
	if (unlikely(done < plain)) {
		c = j->count;
		for (size_t i = 0; i < done; i++)
			count(&c, spans[i].offset, spans[i].length);
	}
	j->count = c;
	job_show(j, c.requests, c.bytes + j->result.bytes);
	return done;
}

/* The same as each_by_call() for engines that read many at once: for a touch of memory, a call is most of the cost. */
static int many_by_call(struct job *j, const struct batch *b)
{
	struct io io = {.buf = j->params.buffers, .op = IO_READ};

	for (size_t i = 0; i < b->count;) {
		size_t want = MIN(b->count - i, (size_t)RUN), done = one_run(j, b->req + i * b->step, b->step, want);
		int r;

		i += done;
		if (likely(done == want))
			continue;
		if (job_called(j) && job_stopped(j)) {
			j->cut = true;
			return 0;
		}
		r = one_request(j, &io, b->req[i * b->step], b->first + i * b->step + 1, false);
		if (r <= 0)
			return r;
		i++;
	}
	return 1;
}

int job_loop_sync(struct job *j)
{
	const bool many = j->engine->read_many && j->play->think_ns == 0;
	struct batch b;
	int r = 1;

	while (r > 0 && source_next(&j->source, &b)) {
		if (job_meets(j, &b))
			job_meet(j);
		r = many ? many_by_call(j, &b) : each_by_call(j, &b);
		if (r > 0 && b.count == j->source.each)
			j->result.loops++;
	}
	return MIN(r, 0);
}
