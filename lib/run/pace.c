/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/pace.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/hist.h"

/* A later time would not be reached, and sums of two do not overflow. */
#define NEVER (INT64_MAX / 4)

static int64_t ns_of(double ns)
{
	return ns < (double)NEVER ? (int64_t)ns : NEVER;
}

int64_t pace_span(const struct trace *t)
{
	int64_t span = 0;

	for (size_t i = 0; t->time && i < t->count; i++)
		span = MAX(span, t->time[i]); /* TIME_NONE is less than all */
	return span;
}

void pace_init(struct pace *pace, const struct play_params *p, int64_t span, unsigned job)
{
	*pace = (struct pace){.timing = p->timing, .arrival = p->arrival, .speed = p->speed, .span = span};
	if (p->timing == TIMING_NONE || p->timing == TIMING_TRACE)
		return;
	/* One seed gives each job other gaps. */
	rng_init(&pace->rng, p->seed + UINT64_C(0x9e3779b97f4a7c15) * (job + 1));
	pace->gap = (double)NS_PER_SEC / (double)p->rate * p->jobs;
	if (p->timing == TIMING_RATE && p->arrival == ARRIVAL_EVEN)
		pace->at = pace->gap / p->jobs * job;
}

static int64_t trace_time(struct pace *pace, const struct batch *b, size_t i, bool *timed)
{
	int64_t time = b->time ? b->time[i * b->step] : TIME_NONE;

	*timed = time != TIME_NONE;
	pace->inverted = false;
	if (*timed) {
		int64_t due = ns_of(((double)pace->span * (double)b->loop + (double)time) / pace->speed);

		pace->inverted = due < pace->last;
		pace->last = MAX(pace->last, due);
	}
	return pace->last;
}

int64_t pace_next(struct pace *pace, const struct batch *b, size_t i, uint64_t bytes, bool *timed)
{
	uint64_t units = pace->timing == TIMING_RATE ? 1 : bytes;

	if (pace->timing == TIMING_TRACE)
		return trace_time(pace, b, i, timed);
	*timed = true;
	if (pace->arrival == ARRIVAL_POISSON) {
		pace->at -= log1p(-rng_unit(&pace->rng)) * pace->gap * (double)units;
		pace->last = ns_of(pace->at);
	} else {
		/* Multiplied, not summed up, so that errors do not either. */
		pace->last = ns_of(pace->at + pace->gap * (double)pace->units);
		pace->units += units;
	}
	return pace->last;
}

static int median_of_trace(const struct trace *t, double speed, int64_t *ns)
{
	_cleanup_(hist_freep) struct hist *h = hist_new();
	int64_t last = TIME_NONE;

	if (!h)
		return -ENOMEM;
	for (size_t i = 0; t->time && i < t->count; i++) {
		if (t->time[i] == TIME_NONE)
			continue;
		if (last != TIME_NONE && t->time[i] >= last)
			hist_record(h, (uint64_t)(t->time[i] - last));
		last = t->time[i];
	}
	*ns = ns_of((double)hist_percentile(h, 500000) / speed);
	return 0;
}

int pace_median_gap(const struct play_params *p, const struct trace *t, int64_t *ns)
{
	struct trace_extent extent;
	double mean = (double)NS_PER_SEC / (double)MAX(p->rate, 1);

	*ns = 0;
	switch (p->timing) {
	case TIMING_NONE:
		break;
	case TIMING_TRACE:
		return median_of_trace(t, p->speed, ns);
	case TIMING_BYTE_RATE:
		trace_extent(t, &extent);
		*ns = t->count ? ns_of(mean * (double)extent.bytes_sum / (double)t->count) : 0;
		break;
	case TIMING_RATE:
		*ns = ns_of(p->arrival == ARRIVAL_POISSON ? mean * M_LN2 : mean);
		break;
	}
	return 0;
}
