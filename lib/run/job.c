/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/job.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/clock.h"

bool job_take(struct job *j, struct req r)
{
	uint64_t offset = req_offset(r), length = req_length(r);
	uint64_t inside = flight_inside(j->rules.size, offset, length);

	if (inside > j->count.room) {
		j->result.hit_limit = true;
		return false;
	}
	if (j->max_bytes != PLAY_UNLIMITED)
		j->count.room -= inside;
	j->count.requests++;
	j->count.seeks += offset != j->count.expect;
	j->count.expect = offset + length;
	return true;
}

bool job_done(struct job *j, const struct flight *f, enum flight_state how)
{
	uint64_t lost = atomic_load_explicit(&j->shown_lost, memory_order_relaxed);

	atomic_store_explicit(&j->shown_lost, lost + f->length - f->moved, memory_order_relaxed);
	job_show(j, j->count.requests, j->count.bytes + j->result.bytes);
	if (how != FLIGHT_FAILED || j->continue_on_error)
		return true;
	j->result.stopped_by_error = true;
	return false;
}

void job_think(struct job *j)
{
	uint32_t seen = event_seen(&j->halt);
	int64_t now;

	if (job_stopped(j))
		return;
	now = clock_now();
	event_wait(&j->halt, seen, j->think_ns > INT64_MAX - now ? INT64_MAX : now + j->think_ns);
}

int job_engine_failed(struct job *j, int err, const char *what)
{
	return fault_set(&j->fault, err, "engine %s cannot %s: %s", j->engine->name, what, strerror(-err));
}

static int64_t timeval_ns(struct timeval tv)
{
	return tv.tv_sec * NS_PER_SEC + tv.tv_usec * NS_PER_USEC;
}

static void issue(struct job *j)
{
	struct play_result *r = &j->result;
	struct rusage before, after;
	int64_t begin, end;

	atomic_store_explicit(&j->began, clock_now(), memory_order_release);
	event_post(stop_event());
	getrusage(RUSAGE_THREAD, &before);
	begin = clock_now();
	j->error = j->engine->flags & ENGINE_ASYNC ? job_loop_async(j) : job_loop_sync(j);
	end = clock_now();
	getrusage(RUSAGE_THREAD, &after);

	r->elapsed_ns = end - begin;
	r->minor_faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	r->major_faults = (uint64_t)(after.ru_majflt - before.ru_majflt);
	r->user_ns = timeval_ns(after.ru_utime) - timeval_ns(before.ru_utime);
	r->system_ns = timeval_ns(after.ru_stime) - timeval_ns(before.ru_stime);
	r->requests = j->count.requests;
	r->bytes += j->count.bytes;
	r->seeks = j->count.seeks;
}

static void *job_main(void *arg)
{
	struct job *j = arg;

	/* Pauses end at their deadline, not up to 50 us later (prctl(2)). */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	j->error = j->engine->open(&j->params, &j->state, &j->fault);
	if (j->error == 0) {
		issue(j);
		j->engine->close(j->state);
	}
	atomic_store_explicit(&j->ended, true, memory_order_release);
	event_post(stop_event());
	return NULL;
}

int job_start(struct job *j, struct fault *fault)
{
	static const int raised_by_faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
	sigset_t block, old;
	int r;

	j->count = (struct job_count){.expect = UINT64_MAX, .room = j->max_bytes};
	sigfillset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(raised_by_faults); i++)
		sigdelset(&block, raised_by_faults[i]);
	pthread_sigmask(SIG_SETMASK, &block, &old);
	r = pthread_create(&j->thread, NULL, job_main, j);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0)
		return fault_set(fault, -r, "cannot start a thread: %s", strerror(r));
	return 0;
}

void job_stop(struct job *j)
{
	atomic_store_explicit(&j->stop, true, memory_order_release);
	event_post(&j->halt);
}

void job_join(struct job *j)
{
	pthread_join(j->thread, NULL);
}
