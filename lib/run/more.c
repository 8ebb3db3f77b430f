/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/more.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/event.h"
#include "run/flight.h"

static uint64_t moves(const struct more *m, const struct trace *t, size_t i)
{
	struct req r = t->req[i];

	return req_is_sync(r) ? 0 : flight_inside(targets_size(m->plan->targets, t, i), req_offset(r), req_length(r));
}

int more_begin(struct more *m, const struct play_plan *plan, const struct play_params *params, const struct trace *t,
	       struct fault *fault)
{
	int r;

	m->plan = plan;
	m->params = params;
	m->file = targets_default_file(plan->targets, t, 0);
	m->requests = params->max_requests;
	m->bytes = params->max_bytes;
	if (m->requests != PLAY_UNLIMITED)
		m->requests -= MIN(m->requests, t->count);
	for (size_t i = 0; m->bytes != PLAY_UNLIMITED && i < t->count; i++)
		m->bytes -= MIN(m->bytes, moves(m, t, i));
	r = m->rehearse ? m->rehearse(m->ctx, fault) : 0;
	if (r < 0)
		return r;
	atomic_store_explicit(&m->begun, true, memory_order_release);
	event_post(stop_event());
	return 0;
}

const char *more_failure(const struct more *m, char *buf, size_t cap)
{
	const struct fault *why = atomic_load(&m->failed);

	if (!why)
		return NULL;
	if (why->line || why->request)
		snprintf(buf, cap, "%s %" PRIu64 " of the trace: %s", why->line ? "line" : "request",
			 why->line ? why->line : why->request, why->text);
	else
		snprintf(buf, cap, "the trace: %s", why->text);
	return buf;
}

void more_begin_again(struct more *m, const struct more *begun)
{
	*m = (struct more){.plan = begun->plan, .params = begun->params, .file = TARGETS_NO_FILE};
	m->requests = m->params->max_requests;
	m->bytes = m->params->max_bytes;
}

int more_admit(struct more *m, struct trace *t, uint64_t first, struct fault *fault)
{
	size_t n = (size_t)MIN(m->requests, t->count);
	bool all;

	if (targets_learn(m->plan->targets, t, fault) < 0)
		return -EINVAL;
	for (size_t i = 0; m->bytes != PLAY_UNLIMITED && i < n; i++) {
		uint64_t bytes = moves(m, t, i);

		if (bytes > m->bytes)
			n = i;
		else
			m->bytes -= bytes;
	}
	if (m->requests != PLAY_UNLIMITED)
		m->requests -= n;
	all = n == t->count;
	t->count = n;
	if (!all)
		atomic_store_explicit(&m->limited, true, memory_order_release);
	if (m->file == TARGETS_NO_FILE)
		m->file = targets_default_file(m->plan->targets, t, 0);
	return plan_part(m->plan, m->params, t, first, m->file, fault) < 0 ? -EINVAL : all;
}
