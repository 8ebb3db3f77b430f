/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/play.h"

#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "run/advice.h"
#include "run/cache_state.h"
#include "run/crew.h"
#include "run/effect.h"
#include "run/more.h"
#include "run/plan.h"
#include "run/targets.h"

struct play {
	struct play_params params;
	const struct trace *trace;
	struct targets targets;
	struct play_plan plan;
	struct crew *crew;         /* of the last run, which has its results, or of the next */
	bool crew_is_new;
	struct effect effect;      /* begun, with crew_is_new */
	struct cache_state cache;
	struct play_cache_set cache_set; /* before the next run */
	uint64_t cache_left;
	uint64_t at_limit;         /* of the cgroup, before the run */
	play_loop_told *loop_told;
	void *loop_ctx;
};

void play_close(struct play *p)
{
	if (!p)
		return;
	cache_state_fini(&p->cache);
	targets_close(&p->targets);
	crew_free(p->crew);
	if (p->params.cgroup)
		cgroup_leave(p->params.cgroup, &(struct fault){0});
	free(p);
}

void play_closep(struct play **p)
{
	play_close(*p);
}

int play_open(struct play **out, const struct play_params *params, const struct trace *t, struct fault *fault)
{
	_cleanup_(play_closep) struct play *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return fault_set(fault, -ENOMEM, "no memory for a play");
	p->params = *params;
	p->params.jobs = MAX(params->jobs, 1);
	p->trace = t;
	p->cache_left = UINT64_MAX;
	params = &p->params;
	r = plan_engine(&p->plan, params, fault);
	if (r < 0)
		return r;
	r = targets_open(&p->targets, params, t, fault);
	if (r < 0)
		return r;
	r = plan_trace(&p->plan, params, t, &p->targets, fault);
	if (r < 0)
		return r;
	r = cache_state_init(&p->cache, params, t, &p->targets, fault);
	if (r < 0)
		return r;
	r = params->more ? more_begin(params->more, &p->plan, params, t, fault) : 0;
	if (r < 0)
		return r;
	*out = TAKE_PTR(p);
	return 0;
}

static bool reaches_past_end(const struct play *p)
{
	const struct trace *t = p->trace;

	if (!p->plan.rules.targets)
		return p->plan.extent.end > p->plan.rules.size;
	for (size_t i = 0; i < t->count; i++)
		if (req_passes(t->req[i], targets_size(&p->targets, t, i)))
			return true;
	return false;
}

void play_get_info(const struct play *p, struct play_info *info)
{
	*info = (struct play_info){
		.target = &p->targets.target[0],
		.targets = p->plan.rules.targets,
		.engine = p->plan.engine,
		.extent = p->plan.extent,
		.requests = p->trace->count,
		.past_end = reaches_past_end(p),
		.jobs = p->params.jobs,
	};
}

static int make_crew(struct play *p, struct fault *fault)
{
	const struct crew_work work = {
		.play = &p->params, .plan = &p->plan, .trace = p->trace, .cache = &p->cache,
		.loop_told = p->loop_told, .loop_ctx = p->loop_ctx};
	int r;

	crew_free(TAKE_PTR(p->crew));
	r = crew_new(&p->crew, &work, fault);
	p->crew_is_new = r == 0;
	return r;
}

static int enter_cgroup(struct play *p, struct fault *fault)
{
	struct cgroup *g = p->params.cgroup;
	struct cgroup_usage before;

	if (!g || g->home)
		return 0;
	cgroup_usage(g, &before);
	p->at_limit = before.at_limit;
	return cgroup_enter(g, "/proc", fault);
}

/* What is warm already belongs to the group around the new one. */
static int drop_for_cgroup(struct play *p, struct fault *fault)
{
	const struct cgroup *g = p->params.cgroup;
	uint64_t left;
	int r = g && g->made && p->params.cache == CACHE_WARM ? targets_drop_cache(&p->targets, &left) : 0;

	return r < 0 ? fault_set(fault, r, "cannot drop the cached pages: %s", strerror(-r)) : 0;
}

/* After a run that gave err, which is told rather than what goes wrong here. */
static int leave_cgroup(struct play *p, int err, struct play_result *out, struct fault *fault)
{
	struct cgroup *g = p->params.cgroup;
	struct fault why;
	int r;

	if (!g)
		return err;
	cgroup_usage(g, &out->cgroup);
	if (out->cgroup.at_limit != UINT64_MAX)
		out->cgroup.at_limit -= MIN(p->at_limit, out->cgroup.at_limit);
	r = cgroup_leave(g, &why);
	if (err < 0 || r == 0)
		return err;
	*fault = why;
	return r;
}

void play_watch_loops(struct play *p, play_loop_told *told, void *ctx)
{
	bool few = p->params.loops > 1 && p->params.loops <= PLAY_LOOPS_TOLD;

	p->loop_told = few && !p->params.processes ? told : NULL;
	p->loop_ctx = ctx;
}

int play_prepare(struct play *p, struct fault *fault)
{
	static const atomic_bool never = false;
	int r;

	p->cache_left = UINT64_MAX;
	p->cache_set = (struct play_cache_set){0};
	/*
	 * A clock is calibrated and memory filled for it: before what is measured, before the cache is dropped, and not
	 * in a cgroup that is measured.
	 */
	r = make_crew(p, fault);
	if (r == 0)
		r = enter_cgroup(p, fault);
	if (r < 0)
		return r;
	r = drop_for_cgroup(p, fault);
	if (r == 0)
		r = cache_state_set(&p->cache, &p->cache_set, &p->cache_left, &never, fault);
	if (r == 0)
		r = advice_give(&p->params, p->plan.engine, &p->targets, fault);
	if (r < 0)
		return r;
	effect_begin(&p->effect, &p->targets);
	return 0;
}

int play_run(struct play *p, bool progress, struct play_result *out, struct fault *fault)
{
	bool prepared = p->crew_is_new;
	int r;

	*out = (struct play_result){.cache_left = p->cache_left, .cache = p->cache_set};
	r = prepared ? 0 : make_crew(p, fault);
	p->crew_is_new = false;
	if (r == 0)
		r = enter_cgroup(p, fault);
	if (r < 0)
		return r;
	if (!prepared)
		effect_begin(&p->effect, &p->targets);
	r = crew_run(p->crew, progress, out, fault);
	effect_end(&p->effect, &out->effect);
	/* What was read to have it warm is in what was read meanwhile. */
	if (out->cache.times > p->cache_set.times && out->cache.warm)
		out->effect.process_told = out->effect.device_told = false;
	return leave_cgroup(p, r, out, fault);
}

void play_shown(const struct play *p, uint64_t *requests, uint64_t *bytes)
{
	crew_shown(p->crew, requests, bytes);
}
