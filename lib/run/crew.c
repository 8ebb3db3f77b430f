/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/crew.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "run/gate.h"
#include "run/hists.h"
#include "run/job.h"
#include "run/more.h"
#include "run/pin.h"
#include "run/progress.h"
#include "run/share.h"
#include "run/tally.h"

/* In memory that the processes of a play share with this one. */
struct shared {
	_Alignas(JOB_ALIGN) struct gate gate;
	struct reset reset;
	_Alignas(JOB_ALIGN) struct play_result result[]; /* a copy of each job's, in a row */
};

struct crew {
	struct crew_work work;
	unsigned jobs, running;
	uint64_t all, limit;       /* requests of the play without limits, and with them */
	int64_t median_gap, span;  /* of the timing, ns */
	struct tick tick;
	size_t size;               /* of the shared memory */
	struct shared *shared;
	struct job *job;
	struct hist *hist;         /* a row for each job, and one for the whole: see hist_at() */
	unsigned hists;            /* of a row */
};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Those of a job, or of the whole, which has the row behind theirs. */
static void hist_at(const struct crew *c, unsigned row, struct hists *out)
{
	hists_at(out, c->work.play, c->work.plan, c->hist + (size_t)row * c->hists);
}

static int map_shared(struct crew *c)
{
	size_t jobs_at = round_up(sizeof(struct shared) + c->jobs * sizeof(struct play_result), JOB_ALIGN);
	size_t hists_at = round_up(jobs_at + c->jobs * sizeof(struct job), JOB_ALIGN), rows = c->jobs + 1;
	char *memory;

	c->hists = hists_count(c->work.play, c->work.plan);
	c->size = hists_at + rows * c->hists * sizeof(struct hist);
	/* Populated, so that the faults of its pages are not counted as the play's. */
	memory = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	c->shared = (struct shared *)(void *)memory;
	c->job = (struct job *)(void *)(memory + jobs_at);
	c->hist = (struct hist *)(void *)(memory + hists_at);
	for (size_t i = 0; i < rows * c->hists; i++)
		hist_clear(&c->hist[i]);
	return 0;
}

static void open_tick(struct crew *c)
{
	const struct play_params *p = c->work.play;

	if (p->timing == TIMING_NONE && (p->latency || p->log))
		tick_open(&c->tick);
	else
		tick_open_clock(&c->tick);
	if (p->timing != TIMING_NONE)
		c->tick.why = "requests are due by it";
}

static void set_up_job(struct crew *c, unsigned i)
{
	const struct play_params *p = c->work.play;
	const struct play_plan *plan = c->work.plan;
	struct job *j = &c->job[i];
	struct hists hists;

	*j = (struct job){
		.play = p,
		.engine = plan->engine,
		.params = plan->params,
		.buf_align = plan->buf_align,
		.rules = plan->rules,
		.gate = &c->shared->gate,
		.cache_state = c->work.cache,
		.reset = cache_state_is_of_loops(c->work.cache) ? &c->shared->reset : NULL,
		.index = i,
		.tick = c->tick,
		.median_gap = c->median_gap,
		.log = p->log ? log_ring(p->log, i) : NULL,
		.think_last = c->limit == c->all,
		.tells_loops = c->work.loop_told != NULL,
		.call = p->max_ns <= 0,
		.stop = p->max_ns <= 0,
		.result.job_cpu = p->cpu_count ? (int)p->cpus[i % p->cpu_count] : -1,
	};
	if (plan->rules.targets && plan->engine->flags & ENGINE_FILES) {
		j->params.files = plan->targets->file;
		j->params.file_count = plan->targets->count;
	}
	hist_at(c, i, &hists);
	memcpy(j->latency, hists.latency, sizeof(j->latency));
	j->lag = hists.lag;
	j->hits = plan->hits;
	j->hit = hists.hit;
	j->miss = hists.miss;
	pace_init(&j->pace, p, c->span, i);
	rng_init(&j->rng, p->seed + i);
	share_of_job(&j->source, p, c->work.trace, c->limit, i);
	if (p->more && c->limit == c->all) {
		j->source.more = p->more->ring;
		j->source.reader = i;
		j->source.share = j->source.step > 1 ? i : 0;
	}
}

int crew_new(struct crew **out, const struct crew_work *work, struct fault *fault)
{
	_cleanup_(crew_freep) struct crew *c = calloc(1, sizeof(*c));

	if (!c)
		return fault_set(fault, -ENOMEM, "no memory for the jobs");
	c->work = *work;
	c->jobs = work->play->jobs;
	c->all = share_all(work->play, work->trace);
	c->limit = share_limit(work->play, work->trace, work->plan->targets);
	if (map_shared(c) < 0 || pace_median_gap(work->play, work->trace, &c->median_gap) < 0)
		return fault_set(fault, -ENOMEM, "no memory for %u jobs", c->jobs);
	c->span = pace_span(work->trace);
	open_tick(c);
	gate_init(&c->shared->gate, c->jobs);
	for (unsigned i = 0; i < c->jobs; i++)
		set_up_job(c, i);
	*out = TAKE_PTR(c);
	return 0;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	if (c->shared)
		munmap(c->shared, c->size);
	free(c);
}

void crew_freep(struct crew **c)
{
	crew_free(*c);
}

static int64_t time_after(int64_t start, int64_t ns)
{
	return ns > INT64_MAX - start ? INT64_MAX : start + ns;
}

/* How far all jobs are. */
struct progress {
	uint64_t requests, bytes, lost;
};

static struct progress look(const struct crew *c)
{
	struct progress sum = {0};

	for (unsigned i = 0; i < c->jobs; i++) {
		const struct job *j = &c->job[i];

		sum.requests += atomic_load_explicit(&j->shown_requests, memory_order_relaxed);
		sum.bytes += atomic_load_explicit(&j->shown_bytes, memory_order_relaxed);
		sum.lost += atomic_load_explicit(&j->shown_lost, memory_order_relaxed);
	}
	return sum;
}

void crew_shown(const struct crew *c, uint64_t *requests, uint64_t *bytes)
{
	const struct progress sum = look(c);

	*requests = sum.requests;
	*bytes = sum.bytes;
}

/* The part of the play that is done, by whatever ends it first. */
static double part_done(const struct crew *c, const struct progress *at, int64_t elapsed)
{
	const struct play_params *p = c->work.play;
	double rounds =
	    c->work.trace->count && c->all != UINT64_MAX ? (double)c->all / (double)c->work.trace->count : 0;
	double bytes = (double)c->work.plan->extent.bytes_sum * rounds, done = 0;

	if (p->more) {
		/* How much is to come is not known, but for the limits. */
		done = (double)at->requests / (double)p->max_requests;
		done = MAX(done, (double)at->bytes / (double)p->max_bytes);
		return MAX(done, (double)elapsed / (double)p->max_ns);
	}
	if (bytes > 0)
		done = (double)(at->bytes + at->lost) / bytes;
	if (c->limit != UINT64_MAX && c->limit > 0 && (bytes <= 0 || c->limit < c->all))
		done = MAX(done, (double)at->requests / (double)c->limit);
	if (p->max_ns != INT64_MAX)
		done = MAX(done, (double)elapsed / (double)p->max_ns);
	return done;
}

static void stop_all(struct crew *c)
{
	for (unsigned i = 0; i < c->running; i++)
		job_stop(&c->job[i]);
	if (c->work.play->more)
		ring_stop(c->work.play->more->ring);
	gate_break(&c->shared->gate);
}

static void end_ramp(struct crew *c)
{
	for (unsigned i = 0; i < c->running; i++)
		job_end_ramp(&c->job[i]);
}

/* Have all ended (true), and has one failed? */
static bool look_at_ends(const struct crew *c, bool *failed)
{
	unsigned ended = 0;

	*failed = false;
	for (unsigned i = 0; i < c->running; i++) {
		const struct job *j = &c->job[i];

		if (!atomic_load_explicit(&j->ended, memory_order_acquire))
			continue;
		ended++;
		*failed |= j->error < 0 || j->result.stopped_by_error;
	}
	return ended == c->running;
}

/* Tell of loops that all jobs have finished since; *told: how many were told before. */
static void look_at_loops(const struct crew *c, uint64_t *told)
{
	uint64_t done = c->work.play->loops - 1;

	/* a job that has no requests has no loops either */
	for (unsigned i = 0; i < c->running; i++)
		if (c->job[i].source.each)
			done = MIN(done, atomic_load_explicit(&c->job[i].shown_loops, memory_order_acquire));
	if (done > *told)
		c->work.loop_told(c->work.loop_ctx, *told = done);
}

/* The waits are on stop_event(), which signals and jobs post. */
static void control(struct crew *c, bool progress)
{
	const struct play_params *p = c->work.play;
	int64_t limit = INT64_MAX, show = INT64_MAX, ramp = INT64_MAX;
	bool begun = false, stopping = false, shown = false, failed;
	uint64_t loops = 0;

	for (;;) {
		uint32_t seen = event_seen(stop_event());
		/* The clock stands still while the cache is set. */
		int64_t clock = clock_now(), stood = reset_stood(&c->shared->reset, clock), now = clock - stood;
		int64_t began = atomic_load(&c->shared->gate.opened);

		if (look_at_ends(c, &failed))
			break;
		if (c->work.loop_told)
			look_at_loops(c, &loops);
		if (began != 0 && !begun) {
			begun = true;
			ramp = p->ramp_ns > 0 ? time_after(began, p->ramp_ns) : INT64_MAX;
			limit = time_after(time_after(began, MAX(p->ramp_ns, 0)), p->max_ns);
			if (progress)
				show = began + PROGRESS_INTERVAL_NS;
		}
		if (now >= ramp) {
			ramp = INT64_MAX;
			end_ramp(c);
		}
		if (!stopping && (failed || stop_signal() != 0 || now >= limit)) {
			stopping = true;
			limit = ramp = INT64_MAX;
			stop_all(c);
		}
		if (now >= show) {
			struct progress at = look(c);

			progress_show(part_done(c, &at, now - began), at.bytes, now - began);
			shown = true;
			show = now + PROGRESS_INTERVAL_NS;
		}
		event_wait(stop_event(), seen, time_after(MIN(MIN(limit, show), ramp), stood));
	}
	if (shown)
		progress_clear();
}

/* Loops that job i has finished. */
static uint64_t loops_of(const struct job *j)
{
	return j->source.each ? j->result.loops : UINT64_MAX;
}

/* Histograms and fidelity of the whole. */
static void collect_times(struct crew *c, struct play_result *out)
{
	struct hists all, own;
	struct play_fidelity *sum = &out->fidelity;

	hist_at(c, c->jobs, &all);
	for (unsigned i = 0; i < c->running; i++) {
		const struct play_fidelity *f = &c->job[i].result.fidelity;

		hist_at(c, i, &own);
		hists_merge(&all, &own);
		if (f->due_ns >= sum->due_ns) {
			sum->due_ns = f->due_ns;
			sum->issue_ns = f->issue_ns;
		}
		sum->late += f->late;
		sum->inversions += f->inversions;
		sum->untimed += f->untimed;
	}
	for (enum op op = OP_READ; op < OP_COUNT; op++)
		out->op[op].latency = all.latency[op];
	out->hits = c->work.plan->hits;
	out->hit = all.hit;
	out->miss = all.miss;
	if (all.lag) {
		sum->lag = all.lag;
		sum->median_gap_ns = c->median_gap;
		sum->skipped =
		    c->limit == UINT64_MAX || c->work.play->more ? 0 : c->limit - out->requests - out->ramp_requests;
	}
	out->clock = c->work.play->latency ? c->tick.name : NULL;
	out->clock_why = c->tick.why;
	out->clock_drift_ppb = tick_drift_ppb(&c->tick);
}

static int collect(struct crew *c, struct play_result *out, struct fault *fault)
{
	int64_t began = INT64_MAX, over = 0, stood = 0;
	uint64_t loops = UINT64_MAX;
	const struct more *more = c->work.play->more;
	bool cut = false, limited = c->limit < c->all || (more && atomic_load(&more->limited));
	int err = 0;

	for (unsigned i = 0; i < c->running; i++) {
		struct job *j = &c->job[i];

		tally_add(out, &j->result);
		if (j->began) {
			began = MIN(began, j->began);
			over = MAX(over, j->over);
			stood = MAX(stood, j->stood);
		}
		loops = MIN(loops, loops_of(j));
		cut |= j->cut;
		if (j->error < 0 && err == 0) {
			err = j->error;
			*fault = j->fault;
		}
		c->shared->result[i] = j->result;
	}
	collect_times(c, out);
	out->elapsed_ns = over ? over - began - stood : 0;
	out->cache = c->shared->reset.done;
	out->cache_left = c->shared->reset.left;
	out->loops = loops == UINT64_MAX ? 0 : loops;
	out->stopped_by = cut ? stop_signal() : 0;
	out->hit_limit = err == 0 && !out->stopped_by_error && out->stopped_by == 0 && (cut || limited);
	snprintf(out->engine_text, sizeof(out->engine_text), "%s", c->job[0].result.engine_text);
	out->job_cpu = -1;
	out->job = c->shared->result;
	out->jobs = c->running;
	return err;
}

int crew_run(struct crew *c, bool progress, struct play_result *out, struct fault *fault)
{
	int started = 0, r, before;

	c->shared->reset.done = out->cache;
	c->shared->reset.left = out->cache_left;
	*out = (struct play_result){.cache_left = UINT64_MAX};
	for (; c->running < c->jobs && started == 0; c->running += started == 0)
		started = job_start(&c->job[c->running], fault);
	if (started < 0)
		stop_all(c);
	before = pin_lead();
	control(c, progress);
	pin_lead_end(before);
	for (unsigned i = 0; i < c->running; i++)
		job_join(&c->job[i]);
	r = collect(c, out, fault);
	return started < 0 ? started : r;
}
