/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of engines that read many at once: for a touch of memory, a call for each, or two looks at the clock, would
 * be most of its cost.
 */
#include "run/sync.h"

/* Between two calls the misses of the one drain before those of the next begin; more than this gains nothing. */
#define RUN 256

/*
 * At most RUN reads, or writes, by one call of the engine. Returns how many are done; when less than n, the next one is
 * not plain, or another op, or went wrong, or the job is called.
 */
static inline __attribute__((always_inline)) size_t one_run(struct job *j, const struct req *req, size_t step, size_t n,
							    const bool write)
{
	const struct flight_rules rules = j->rules;
	struct job_count c = j->count;
	struct span spans[RUN], *to = spans;
	size_t done;

	for (; to < spans + n; to++, req += step) {
		to->offset = req->offset_op;
		to->length = write ? req->length_op ^ REQ_BIT_HIGH : req->length_op;
		if (unlikely(!(write ? is_plain_write : is_plain)(&rules, to->offset, to->length)))
			break;
	}
	if (to == spans)
		return 0;
	done = (write ? j->engine->write_many : j->engine->read_many)(j->state, spans, (size_t)(to - spans), &j->call);
	for (size_t i = 0; i < done; i++)
		count_plain(&c, spans[i].offset, spans[i].length);
	if (write) {
		j->result.op[OP_WRITE].requests += done;
		j->result.op[OP_WRITE].bytes += c.bytes - j->count.bytes;
	}
	j->count = c;
	job_show(j, c.requests, c.bytes + j->result.bytes);
	return done;
}

static size_t read_run(struct job *j, const struct req *req, size_t step, size_t n)
{
	return one_run(j, req, step, n, false);
}

static size_t write_run(struct job *j, const struct req *req, size_t step, size_t n)
{
	return one_run(j, req, step, n, true);
}

static size_t (*run_of(const struct job *j, struct req r))(struct job *, const struct req *, size_t, size_t)
{
	return unlikely(j->rules.zero_end > 0) && req_op(r) == OP_WRITE ? write_run : read_run;
}

/* Requests from to end of the batch. */
static int part(struct job *j, const struct batch *b, size_t from, size_t end)
{
	for (size_t i = from; i < end;) {
		const struct req *req = b->req + i * b->step;
		size_t want = MIN(end - i, (size_t)RUN), done = run_of(j, *req)(j, req, b->step, want);
		int r;

		i += done;
		/* The next run may be of another op. */
		if (likely(done == want) || (done > 0 && j->rules.zero_end > 0 && !job_called(j)))
			continue;
		if (job_called(j)) {
			j->cut = job_stopped(j);
			if (j->cut)
				return 0;
		}
		r = sync_one(j, &j->flight, b->req[i * b->step], b->first + i * b->step + 1, false);
		if (r <= 0)
			return r;
		i++;
	}
	return 1;
}

int many_untimed(struct job *j, const struct batch *b)
{
	return part(j, b, 0, b->count);
}

/* What sampling may cost is 1/SHARE of the time of the requests, 2.5 %. */
#define SHARE 40
#define WINDOW_MAX 4096

/* What the three readings of the clock in a window cost, ns. */
static uint64_t cost_of_readings(const struct tick *t)
{
	uint64_t from = tick_now(t), to = from;

	for (int i = 0; i < 16; i++)
		to = tick_now_after_loads(t);
	return 3 * tick_ns(t, to - from) / 16;
}

/*
 * What a sample costs beside: its touch waits for those before it and overlaps with none, so it takes longer than
 * others do, each about twice over. Averaged; one that was interrupted counts little.
 */
static void learn_cost(struct job *j, uint64_t timed, uint64_t window_ns, size_t n)
{
	uint64_t others = window_ns / n, lost = timed > others ? 2 * (timed - others) : 0;

	lost = MIN(lost, 4 * j->sample_cost) + j->readings_cost;
	j->sample_cost += lost / 8 - j->sample_cost / 8;
}

/* As many requests as take SHARE times the cost of a sample. */
static size_t next_window(uint64_t cost, uint64_t ns, size_t n)
{
	uint64_t window = cost * SHARE * n / MAX(ns, 1);

	return (size_t)MIN(MAX(window, 1), (uint64_t)WINDOW_MAX);
}

enum op many_op(const struct job *j)
{
	enum op only = OP_COUNT;

	for (enum op op = OP_READ; op < OP_COUNT; op++) {
		if (!j->latency[op])
			continue;
		if (only != OP_COUNT)
			return OP_COUNT;
		only = op;
	}
	return only == OP_READ || only == OP_WRITE ? only : OP_COUNT;
}

/* Requests that have been issued, so that they have a latency. */
static uint64_t issued(const struct job_count *c)
{
	return c->requests - c->unissued;
}

/*
 * The requests of a window that began behind so many, ended or not, last as long as the one of them that was timed, or
 * as the one before. What came before the end of the ramp is not in the figures.
 */
static void record_window(struct job *j, struct hist *latency, uint64_t before, uint64_t start)
{
	uint64_t n;

	if (j->ramped)
		before = MAX(before, issued(&j->base));
	n = issued(&j->count) - before;
	/* Nothing was issued where one was to be timed, and none has been. */
	if (unlikely(j->sample == 0))
		j->sample = tick_ns(&j->tick, tick_now(&j->tick) - start) / MAX(n, 1);
	hist_record_many(latency, j->sample, n);
}

/* The request to be timed, from a time to *to. As part(). */
static int timed_one(struct job *j, const struct batch *b, size_t pick, uint64_t from, uint64_t *to)
{
	uint64_t before = issued(&j->count);
	int r = part(j, b, pick, pick + 1);

	*to = tick_now_after_loads(&j->tick);
	if (likely(issued(&j->count) > before)) {
		j->sample = *to > from ? tick_ns(&j->tick, *to - from) : 0;
		j->result.timed++;
	}
	return r;
}

/*
 * One request of each window, at random so that no pattern of the trace agrees with it, is timed and stands for all of
 * them. How long windows are follows from the time that they take: touches of present pages are timed rarely,
 * faults each.
 */
int many_sampled(struct job *j, const struct batch *b)
{
	const struct tick tick = j->tick;
	struct hist *latency = j->latency[many_op(j)];
	uint64_t start, to;
	int r = 1;

	if (j->window == 0) {
		j->window = WINDOW_MAX / 64;
		j->readings_cost = cost_of_readings(&tick);
		j->sample_cost = 4 * j->readings_cost;
	}
	start = tick_now(&tick);
	for (size_t i = 0, n; i < b->count; i += n) {
		uint64_t before = issued(&j->count);
		size_t pick;

		n = MIN(j->window, b->count - i);
		/* the first of all, so that there is one to go by */
		pick = n == 1 || j->result.timed == 0 ? i : i + (size_t)(rng_next(&j->rng) >> 32) % n;
		r = part(j, b, i, pick);
		to = start;
		if (r > 0)
			r = timed_one(j, b, pick, n == 1 ? start : tick_now_after_loads(&tick), &to);
		if (r > 0)
			r = part(j, b, pick + 1, i + n);
		record_window(j, latency, before, start);
		if (r <= 0)
			break;
		if (n > 1)
			to = tick_now(&tick);
		learn_cost(j, j->sample, tick_ns(&tick, to - start), n);
		j->window = next_window(j->sample_cost, tick_ns(&tick, to - start), n);
		start = to;
	}
	return r;
}
