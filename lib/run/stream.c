/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/stream.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/foreign.h"
#include "run/look.h"
#include "run/save.h"
#include "run/stream_read.h"
#include "run/targets.h"

/* Wait for the beginning. True: it is all. */
static bool wait_for_head(struct stream *s)
{
	bool waits = stream_may_wait(s->p, s->first, s->end);

	for (;;) {
		uint32_t seen = event_seen(stop_event());
		int64_t deadline = INT64_MAX;
		bool done;

		pthread_mutex_lock(&s->lock);
		if (waits && s->began)
			deadline = s->began + STREAM_WAIT_NS;
		done = s->ended || s->full || clock_now() >= deadline || stop_signal();
		s->going = done && !s->ended;
		pthread_mutex_unlock(&s->lock);
		if (done)
			return !s->going;
		event_wait(stop_event(), seen, deadline);
	}
}

static int start(struct stream *s, struct fault *fault)
{
	sigset_t block, old;
	int r;

	sigfillset(&block);
	sigdelset(&block, SIGBUS);
	sigdelset(&block, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &block, &old);
	r = pthread_create(&s->thread, NULL, stream_read, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r ? fault_set(fault, -r, "cannot start a thread: %s", strerror(r)) : 0;
}

/* The thread reads no more, or has come to its end. */
static void finish(struct stream *s)
{
	if (s->joined)
		return;
	atomic_store(&s->cancel, true);
	ring_stop(s->more.ring);
	event_post(stop_event());
	pthread_join(s->thread, NULL);
	s->joined = true;
}

/* Give all parts to put(), the first ones in p->trace. 0: that was all; 1: it ended before; or -errno with the text. */
static int put_all(struct stream *s, int (*put)(void *to, const struct trace *part, struct fault *fault), void *to,
		   struct fault *fault)
{
	const struct trace *part;
	uint64_t first;
	int r = put(to, &s->p->trace, fault);

	atomic_store(&s->more.begun, true);
	event_post(stop_event());
	while (r == 0 && !stop_signal() && (part = ring_next(s->more.ring, 0, &first)))
		r = put(to, part, fault);
	finish(s);
	return r == 0 && (s->err < 0 || stop_signal()) ? 1 : r;
}

static int put_saved(void *to, const struct trace *part, struct fault *fault)
{
	return save_put(to, part, fault);
}

static int save(struct stream *s, const struct step *step, struct fault *fault)
{
	_cleanup_(save_abort) struct save v = SAVE_NONE;
	int r = save_open(&v, s->p, step, false, fault);

	if (r == 0)
		r = put_all(s, put_saved, &v, fault);
	if (r)
		return MIN(r, 0);
	trace_clear(&s->shadow.trace);
	r = save_put(&v, &s->shadow.trace, fault);
	return r < 0 ? r : save_end(&v, &s->shadow.trace, fault);
}

static int put_looked(void *to, const struct trace *part, struct fault *fault)
{
	return look_put(to, part, fault);
}

static int look(struct stream *s, const struct step *step, struct fault *fault)
{
	_cleanup_(look_close) struct look l = {0};
	int r = look_open(&l, s->p, step, fault);

	if (r == 0)
		r = put_all(s, put_looked, &l, fault);
	return r ? MIN(r, 0) : look_end(&l, fault);
}

static int run_last(struct stream *s, const struct step *step, struct fault *fault)
{
	if (step->action->saves)
		return save(s, step, fault);
	return step->action->looks ? look(s, step, fault) : step->action->run(s->p, step, fault);
}

/* Of the steps of p from first to end, of which the last is no part. 0 or -ENOMEM. */
static int set_up(struct stream *s, struct program *p, size_t first, size_t end)
{
	*s = (struct stream){.p = p, .first = first, .end = end, .shadow = *p, .lock = PTHREAD_MUTEX_INITIALIZER};
	trace_init(&s->shadow.trace);
	s->import = calloc(end - first, sizeof(struct import *));
	s->left = calloc(end - first, sizeof(*s->left));
	s->seen = calloc(end - first, sizeof(*s->seen));
	if (!s->import || !s->left || !s->seen)
		return -ENOMEM;
	for (size_t k = first; k < end; k++) {
		const struct params *params = &p->step[k].params;

		s->left[k - first] = p->step[k].number;
		if (params->seed_number == s->shadow.seed_number)
			continue;
		rng_init(&s->shadow.rng, params->seed);
		s->shadow.seed_number = params->seed_number;
	}
	return 0;
}

static void stream_free(struct stream *s)
{
	for (size_t i = 0; s->import && i < s->end - s->first; i++)
		import_free(s->import[i]);
	free(s->import);
	free(s->left);
	free(s->seen);
	ring_free(s->more.ring);
	trace_fini(&s->shadow.trace);
}

/* What the play will be given, read once before, so that what is wrong with it is found before anything is issued. */
static int rehearse(void *stream, struct fault *fault)
{
	struct stream *s = stream;
	_cleanup_(stream_free) struct stream again;

	if (set_up(&again, s->p, s->first, s->end) < 0)
		return fault_set(fault, -ENOMEM, "no memory");
	again.rehearsal = true;
	more_begin_again(&again.more, &s->more);
	stream_read(&again);
	if (again.err < 0) {
		s->wrong = &s->p->step[again.at];
		*fault = again.fault;
		return again.err;
	}
	if (again.cut)
		return 0;
	/* for the thread, which goes on when the play begins */
	s->rehearsed = again.count;
	return targets_all_seen(s->more.plan->targets, fault);
}

/* The step that ends it, while the thread reads. As stream_run(). */
static int run_end(struct stream *s, size_t *at, int *status, struct fault *fault)
{
	struct program *p = s->p;
	const struct step *step = &p->step[s->end];
	int r;

	*at = s->end;
	p->more = &s->more;
	r = run_last(s, step, fault);
	p->more = NULL;
	if (r < 0 && s->wrong)
		*at = (size_t)(s->wrong - p->step);
	return r < 0 ? r : (*status = r, *at = s->end + 1, 1);
}

static void tell_imports(const struct stream *s)
{
	for (size_t i = s->first; i < s->end; i++)
		if (s->import[i - s->first] && (s->err == 0 || i < s->at))
			foreign_tell(s->p, &s->p->step[i], s->import[i - s->first]);
}

int stream_run(struct program *p, size_t i, size_t *at, int *status, struct fault *fault)
{
	_cleanup_(stream_free) struct stream s;
	int r;

	*at = i;
	r = set_up(&s, p, i, stream_end(p, i));
	s.more.ring = ring_new(MAX(p->step[s.end].params.play.jobs, 1));
	if (r < 0 || !s.more.ring)
		return fault_set(fault, -ENOMEM, "no memory");
	if (stream_can_again(p, s.first, s.end)) {
		s.more.rehearse = rehearse;
		s.more.ctx = &s;
	}
	r = start(&s, fault);
	if (r < 0)
		return r;
	if (!wait_for_head(&s))
		r = stop_signal() ? fault_set(fault, -EINTR, "interrupted") : run_end(&s, at, status, fault);
	finish(&s);
	p->rng = s.shadow.rng;
	p->seed_number = s.shadow.seed_number;
	if (r < 0)
		return r;
	tell_imports(&s);
	if (s.err < 0) {
		*at = s.at;
		*fault = s.fault;
		return s.err;
	}
	if (r == 0)
		*at = s.end;
	return r;
}
