/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/play.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "run/job.h"
#include "run/plan.h"
#include "run/progress.h"

struct play {
	struct play_params params;
	const struct trace *trace;
	struct target target;
	struct play_plan plan;
	char *buffers;
	uint64_t cache_left;
};

void play_close(struct play *p)
{
	if (!p)
		return;
	target_close(&p->target);
	free(p->buffers);
	free(p);
}

void play_closep(struct play **p)
{
	play_close(*p);
}

static int make_buffers(struct play *p, struct fault *fault)
{
	size_t size = p->plan.buf_size * p->params.depth;
	void *block = NULL;

	if (size == 0)
		return 0;
	if (posix_memalign(&block, p->plan.buf_align, size) != 0)
		return fault_set(fault, -ENOMEM, "no memory for %u buffers of %zu bytes", p->params.depth,
				 p->plan.buf_size);
	/* Touched now, so that their first faults are not counted as the play's. */
	memset(block, 0, size);
	p->buffers = block;
	return 0;
}

int play_open(struct play **out, const struct play_params *params, const struct trace *t, struct fault *fault)
{
	_cleanup_(play_closep) struct play *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return fault_set(fault, -ENOMEM, "no memory for a play");
	p->params = *params;
	p->trace = t;
	p->target = TARGET_NONE;
	p->cache_left = UINT64_MAX;
	r = plan_engine(&p->plan, params, fault);
	if (r < 0)
		return r;
	r = target_open(&p->target, params->target, params->direct ? TARGET_DIRECT : 0, fault);
	if (r < 0)
		return r;
	r = plan_trace(&p->plan, params, t, &p->target, fault);
	if (r < 0)
		return r;
	r = make_buffers(p, fault);
	if (r < 0)
		return r;
	*out = TAKE_PTR(p);
	return 0;
}

void play_get_info(const struct play *p, struct play_info *info)
{
	*info = (struct play_info){
		.target = &p->target,
		.engine = p->plan.engine,
		.extent = p->plan.extent,
		.requests = p->trace->count,
		.past_end = p->plan.extent.end > p->target.size,
	};
}

int play_prepare(struct play *p, struct fault *fault)
{
	int r;

	p->cache_left = UINT64_MAX;
	if (p->params.keep_cache)
		return 0;
	r = target_drop_cache(&p->target, &p->cache_left);
	if (r < 0)
		return fault_set(fault, r, "cannot drop the cached pages: %s", strerror(-r));
	return 0;
}

/* The part of the play that is done, by whatever ends it first. */
static double part_done(const struct play *p, struct job *j, uint64_t bytes, int64_t elapsed)
{
	uint64_t lost = atomic_load_explicit(&j->shown_lost, memory_order_relaxed);
	uint64_t requests = atomic_load_explicit(&j->shown_requests, memory_order_relaxed);
	uint64_t all_bytes = p->plan.extent.bytes_sum, all_requests = p->trace->count;
	double done = 0;

	if (all_bytes > 0)
		done = (double)(bytes + lost) / (double)all_bytes;
	else if (all_requests > 0)
		done = (double)requests / (double)all_requests;
	if (p->params.max_bytes > 0 && p->params.max_bytes < all_bytes)
		done = MAX(done, (double)bytes / (double)p->params.max_bytes);
	if (p->params.max_requests > 0 && p->params.max_requests < all_requests)
		done = MAX(done, (double)requests / (double)p->params.max_requests);
	if (p->params.max_ns != INT64_MAX)
		done = MAX(done, (double)elapsed / (double)p->params.max_ns);
	return done;
}

static int64_t time_after(int64_t start, int64_t ns)
{
	return ns > INT64_MAX - start ? INT64_MAX : start + ns;
}

/*
 * Wait for the job's end; end it at a signal or at the time limit; show how far it is. The waits are on stop_event(),
 * which signals and the job post.
 */
static void control(const struct play *p, struct job *j, bool progress)
{
	int64_t limit = INT64_MAX, show = INT64_MAX;
	bool stopping = false, shown = false;

	for (;;) {
		uint32_t seen = event_seen(stop_event());
		int64_t now = clock_now(), began = atomic_load_explicit(&j->began, memory_order_acquire);

		if (atomic_load_explicit(&j->ended, memory_order_acquire))
			break;
		if (began != 0 && !stopping) {
			limit = time_after(began, p->params.max_ns);
			if (progress && show == INT64_MAX)
				show = began + PROGRESS_INTERVAL_NS;
		}
		if (!stopping && (stop_signal() != 0 || now >= limit)) {
			stopping = true;
			limit = INT64_MAX;
			job_stop(j);
		}
		if (now >= show) {
			uint64_t bytes = atomic_load_explicit(&j->shown_bytes, memory_order_relaxed);

			progress_show(part_done(p, j, bytes, now - began), bytes, now - began);
			shown = true;
			show = now + PROGRESS_INTERVAL_NS;
		}
		event_wait(stop_event(), seen, MIN(limit, show));
	}
	if (shown)
		progress_clear();
}

static void job_setup(struct job *j, struct play *p)
{
	const struct play_params *params = &p->params;

	*j = (struct job){
		.engine = p->plan.engine,
		.params = {
			.fd = p->target.fd,
			.size = p->target.size,
			.depth = params->depth,
			.buf_size = p->plan.buf_size,
			.buffers = p->buffers,
			.advice = params->advice,
			.max_length = p->plan.max_length,
		},
		.rules = p->plan.rules,
		.max_requests = params->max_requests,
		.max_bytes = params->max_bytes,
		.think_ns = params->think_ns,
		.continue_on_error = params->continue_on_error,
		.stop = params->max_ns <= 0,
	};
	source_of_trace(&j->source, p->trace);
}

int play_run(struct play *p, bool progress, struct play_result *out, struct fault *fault)
{
	_cleanup_free_ struct job *j = NULL;
	int r;

	*out = (struct play_result){.cache_left = p->cache_left};
	/* A cache line to itself: its flags are read with every request. */
	j = aligned_alloc(JOB_ALIGN, sizeof(*j));
	if (!j)
		return fault_set(fault, -ENOMEM, "no memory for a job");
	job_setup(j, p);
	r = job_start(j, fault);
	if (r < 0)
		return r;
	control(p, j, progress);
	job_join(j);

	*out = j->result;
	out->cache_left = p->cache_left;
	if (j->cut) {
		out->stopped_by = stop_signal();
		out->hit_limit = out->stopped_by == 0;
	}
	if (j->error < 0)
		*fault = j->fault;
	return j->error;
}
