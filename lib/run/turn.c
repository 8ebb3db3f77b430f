/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the loops do about each request beside issuing it: its turn, its data, its place in the figures. */
#include <string.h>

#include "base/clock.h"
#include "run/hits.h"
#include "run/job.h"
#include "run/payload.h"
#include "run/targets.h"

void job_turn(struct job *j, const struct batch *b, size_t i)
{
	const struct targets *all = j->rules.targets;
	unsigned number = targets_of(all, b->file ? b->file[i * b->step] : 0);

	if (number == j->target)
		return;
	j->target = number;
	j->rules.size = all->file[number].size;
	/* the first request on another file is a seek, wherever it is */
	j->count.expect = UINT64_MAX;
	if (j->states)
		j->state = j->states[number];
}

void job_take(struct job *j, struct req r)
{
	uint64_t offset = req_offset(r);

	j->count.requests++;
	if (req_is_sync(r))
		return;
	j->count.seeks += offset != j->count.expect;
	j->count.expect = offset + req_length(r);
}

bool job_done(struct job *j, const struct flight *f, enum flight_state how)
{
	uint64_t lost = atomic_load_explicit(&j->shown_lost, memory_order_relaxed);

	atomic_store_explicit(&j->shown_lost, lost + f->length - f->moved, memory_order_relaxed);
	job_show(j, j->count.requests, j->count.bytes + j->result.bytes);
	if (f->io.op != IO_READ && !f->added)
		j->result.op[f->io.op].requests++;
	if (how != FLIGHT_FAILED || j->play->continue_on_error)
		return true;
	j->result.stopped_by_error = true;
	return false;
}

static void put_log(struct job *j, const struct flight *f, uint64_t issue, uint64_t latency, bool told)
{
	if (!j->log)
		return;
	log_put(j->log, &(struct log_record){
		.start = tick_clock(&j->tick, issue) - j->start,
		.latency = latency,
		.offset = f->offset,
		.length = f->length,
		.result = f->error ? f->error : (int64_t)f->moved,
		.op = (enum op)f->io.op,
		.cache = told ? (f->missed ? LOG_MISS : LOG_HIT) : LOG_NOT_TOLD,
	});
}

void job_pass_over(struct job *j, const struct flight *f)
{
	put_log(j, f, j->now, 0, false);
}

void job_record(struct job *j, struct flight *f, uint64_t due, uint64_t issue, uint64_t end)
{
	struct hist *h = j->latency[f->io.op];
	uint64_t latency = end > due ? tick_ns(&j->tick, end - due) : 0;
	bool told;

	if (unlikely(j->hits == HITS_FAULTS))
		hits_look(j, f, end - issue);
	told = (j->hits != HITS_NONE || j->rules.nowait) && f->io.op == IO_READ && !f->error;
	if (told && j->hit)
		h = f->missed ? j->miss : j->hit;
	if (h)
		hist_record(h, latency);
	put_log(j, f, issue, latency, told);
}

int64_t job_due(struct job *j, const struct batch *b, size_t i)
{
	struct req r = b->req[i * b->step];
	uint64_t bytes = req_is_sync(r) ? 0 : flight_inside(j->rules.size, req_offset(r), req_length(r));
	bool timed;
	int64_t due = pace_next(&j->pace, b, i, bytes, &timed);

	j->result.fidelity.untimed += !timed;
	j->result.fidelity.inversions += j->pace.inverted;
	return j->start + due;
}

void job_issued(struct job *j, int64_t due, int64_t at)
{
	struct play_fidelity *f = &j->result.fidelity;
	int64_t lag = MAX(at - due, 0);

	hist_record(j->lag, (uint64_t)lag);
	f->late += lag > j->median_gap;
	if (due - j->start >= f->due_ns) {
		f->due_ns = due - j->start;
		f->issue_ns = MAX(at, due) - j->start;
	}
}

bool job_wait_until(struct job *j, int64_t due, int64_t *now)
{
	int64_t sleep = due - (j->play->spin ? JOB_SPIN_NS : 0);

	while ((*now = clock_now()) < sleep) {
		uint32_t seen = event_seen(&j->halt);

		if (job_called(j))
			return false;
		event_wait(&j->halt, seen, sleep);
	}
	while (*now < due) {
		if (job_called(j))
			return false;
		*now = clock_now();
	}
	return true;
}

void job_fill(struct job *j, struct flight *f)
{
	enum play_data data = j->play->data;

	if (!f->io.buf)
		return;
	/* The whole of it once, for requests may be longer than it is, and the next ones longer than this one. */
	if (!f->filled && data != DATA_OFFSET)
		payload_fill(f->io.buf, j->params.buf_size, data, f->io.offset, &j->rng, false);
	f->filled = data != DATA_OFFSET;
	payload_fill(f->io.buf, MIN(f->io.length, j->params.buf_size), data, f->io.offset, &j->rng, true);
}

void job_think(struct job *j)
{
	uint32_t seen = event_seen(&j->halt);
	int64_t now = clock_now(), pause = j->play->think_ns, end = pause > INT64_MAX - now ? INT64_MAX : now + pause;

	/* The end of the ramp wakes it too, and is seen to when the pause is over. */
	while (!atomic_load(&j->stop) && event_wait(&j->halt, seen, end))
		seen = event_seen(&j->halt);
}

int job_engine_failed(struct job *j, int err, const char *what)
{
	return fault_set(&j->fault, err, "engine %s cannot %s: %s", j->engine->name, what, strerror(-err));
}
