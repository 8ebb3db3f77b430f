/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/more.h"

#include <errno.h>

#include "base/event.h"
#include "run/flight.h"

static uint64_t moves(struct req r, uint64_t size)
{
	return req_is_sync(r) ? 0 : flight_inside(size, req_offset(r), req_length(r));
}

void more_begin(struct more *m, const struct play_plan *plan, const struct play_params *params, const struct trace *t)
{
	uint64_t size = plan->rules.size;

	m->plan = plan;
	m->params = params;
	m->file = t->count && t->file ? t->file[0] : 0;
	m->requests = params->max_requests;
	m->bytes = params->max_bytes;
	if (m->requests != PLAY_UNLIMITED)
		m->requests -= MIN(m->requests, t->count);
	for (size_t i = 0; m->bytes != PLAY_UNLIMITED && i < t->count; i++)
		m->bytes -= MIN(m->bytes, moves(t->req[i], size));
	atomic_store_explicit(&m->begun, true, memory_order_release);
	event_post(stop_event());
}

int more_admit(struct more *m, struct trace *t, uint64_t first, struct fault *fault)
{
	uint64_t size = m->plan->rules.size;
	size_t n = (size_t)MIN(m->requests, t->count);
	bool all;

	for (size_t i = 0; m->bytes != PLAY_UNLIMITED && i < n; i++) {
		uint64_t bytes = moves(t->req[i], size);

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
	return plan_part(m->plan, m->params, t, first, m->file, fault) < 0 ? -EINVAL : all;
}
