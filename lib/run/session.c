/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"

static int cannot_start(int r, struct fault *fault)
{
	return r < 0 ? fault_set(fault, r, "cannot start sampling: %s", strerror(-r)) : 0;
}

int session_start(struct session *s, struct fault *fault)
{
	int r;

	if (!s->sampler || s->sampling)
		return 0;
	r = sampler_start(s->sampler);
	s->sampling = r == 0;
	return cannot_start(r, fault);
}

static int tell(int r, const char *what, struct fault *fault)
{
	return r < 0 ? fault_set(fault, r, "cannot sample the %s of the play: %s", what, strerror(-r)) : 0;
}

static int begin(struct session *s, struct fault *fault)
{
	int r = s->sampler ? sampler_begin(s->sampler) : 0;

	if (r == 0 && s->begin)
		r = vmstat_read(s->begin);
	return tell(r, "begin", fault);
}

static int end(struct session *s, struct fault *fault)
{
	int r = s->sampler ? sampler_end(s->sampler) : 0;

	if (r == 0 && s->end)
		r = vmstat_read(s->end);
	return tell(r, "end", fault);
}

/* In the thread of session_play(). A mark that fails is missed; that of the end will fail too, and is told. */
static void on_loop(void *ctx, uint64_t done)
{
	struct session *s = ctx;
	char name[MARK_TEXT];

	snprintf(name, sizeof(name), "loop %" PRIu64, done + 1);
	sampler_mark(s->sampler, name, name);
}

int session_play(struct session *s, struct play *p, struct play_result *out, struct fault *fault)
{
	int r, played;

	*out = (struct play_result){.cache_left = UINT64_MAX};
	r = session_start(s, fault);
	if (s->sampler)
		play_watch_loops(p, on_loop, s);
	if (r == 0)
		r = play_prepare(p, fault);
	if (r == 0)
		r = begin(s, fault);
	if (r < 0)
		return r;
	replayed_begin(s->replayed, p);
	played = play_run(p, s->progress, out, fault);
	replayed_end(s->replayed);
	/* The end is marked after a failure too, but the play's own fault is the one to be told. */
	r = end(s, played < 0 ? &(struct fault){0} : fault);
	return played < 0 ? played : r;
}

int session_sleep(struct session *s, int64_t ns, struct fault *fault)
{
	int64_t now = clock_now(), deadline = ns > INT64_MAX - now ? INT64_MAX : now + ns;
	int r = session_start(s, fault);

	if (r < 0)
		return r;
	for (;;) {
		uint32_t seen = event_seen(stop_event());

		if (stop_signal() != 0 || clock_now() >= deadline)
			return 0;
		event_wait(stop_event(), seen, deadline);
	}
}

int session_wait(struct session *s, struct fault *fault)
{
	int r = s->sampler ? sampler_run(s->sampler) : 0;

	s->sampling = s->sampler && r == 0;
	return cannot_start(r, fault);
}

int session_stop(struct session *s)
{
	return s->sampler ? sampler_stop(s->sampler) : 0;
}
