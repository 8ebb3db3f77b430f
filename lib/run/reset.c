/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/reset.h"

#include "base/clock.h"
#include "base/event.h"
#include "run/advice.h"
#include "run/job.h"
#include "run/targets.h"

int64_t reset_stood(const struct reset *r, int64_t now)
{
	int64_t began = atomic_load(&r->began), took = atomic_load(&r->took);

	return took + (began && now > began ? now - began : 0);
}

/* Mapped pages cannot be dropped. Anonymous memory is no cache. */
static int let_go(struct job *j)
{
	const struct io_hint all = {.advice = ADVISE_DONTNEED, .length = HINT_TO_END};
	unsigned n = j->states ? j->rules.targets->count : 1;
	int r = 0;

	if (!j->engine->advise || j->play->cache == CACHE_WARM)
		return 0;
	for (unsigned i = 0; i < n && r == 0; i++)
		if ((j->states ? j->rules.targets->file[i].fd : j->params.fd) >= 0)
			r = j->engine->advise(j->states ? j->states[i] : j->state, &all);
	return r < 0 ? job_engine_failed(j, r, "let go of what it maps") : 0;
}

static void exclude(struct job *j, const struct rusage *before, const struct rusage *after)
{
	j->excluded.user_ns += timeval_ns(after->ru_utime) - timeval_ns(before->ru_utime);
	j->excluded.system_ns += timeval_ns(after->ru_stime) - timeval_ns(before->ru_stime);
	j->excluded.minor += (uint64_t)(after->ru_minflt - before->ru_minflt);
	j->excluded.major += (uint64_t)(after->ru_majflt - before->ru_majflt);
}

static int set(struct job *j)
{
	struct reset *all = j->reset;
	struct rusage before, after;
	int r;

	getrusage(RUSAGE_THREAD, &before);
	atomic_store(&all->began, clock_now());
	r = cache_state_set(j->cache_state, &all->done, &all->left, &j->stop, &j->fault);
	if (r == 0)
		r = advice_give(j->play, j->engine, j->cache_state->targets, &j->fault);
	all->last = clock_now() - atomic_load(&all->began);
	/* In this order: the clock of the play never runs ahead. */
	atomic_fetch_add(&all->took, all->last);
	atomic_store(&all->began, 0);
	event_post(stop_event());
	getrusage(RUSAGE_THREAD, &after);
	exclude(j, &before, &after);
	return r;
}

int job_reset(struct job *j, uint64_t loop)
{
	uint64_t before = loop - 1;
	int r = let_go(j);

	if (r < 0)
		return r;
	if (!job_meet(j))
		return 0;
	/* Whoever comes first; a job that has ended its share is not there to do it. */
	if (atomic_compare_exchange_strong(&j->reset->loop, &before, loop))
		r = set(j);
	if (r < 0)
		return r;
	if (!job_meet(j))
		return 0;
	j->stood += j->reset->last;
	j->start += j->reset->last;
	j->now = tick_now(&j->tick);
	return 1;
}
