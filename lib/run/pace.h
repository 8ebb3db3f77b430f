/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the requests of a job are due, in ns from the start of the play. Due times are absolute: none depends on when
 * an earlier request was issued or done.
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "run/play.h"
#include "trace/source.h"
#include "trace/trace.h"

struct pace {
	enum play_timing timing;
	enum play_arrival arrival;
	double gap;          /* ns between requests of this job, or for each byte of them */
	double speed;
	double at;           /* when the first one is due; ARRIVAL_POISSON: the one before */
	uint64_t units;      /* ARRIVAL_EVEN: requests before, or their bytes */
	int64_t span;        /* TIMING_TRACE: the greatest time of the trace, by which each loop is later */
	int64_t last;        /* when the one before was due */
	bool inverted;       /* the time of the last one is earlier than that */
	struct rng rng;
};

/* The greatest time of a trace, ns; 0 without any. */
int64_t pace_span(const struct trace *t);

/* For job number job of p->jobs, and a trace of that span. Requests of a rate alternate between the jobs. */
void pace_init(struct pace *pace, const struct play_params *p, int64_t span, unsigned job);

/*
 * When request i of the batch is due: bytes long, for TIMING_BYTE_RATE. To be called once for each, in order. *timed:
 * false when it has no time and is due with the one before. So is one whose time is earlier: the order is kept, and
 * nobody is late for what could not be.
 */
int64_t pace_next(struct pace *pace, const struct batch *b, size_t i, uint64_t bytes, bool *timed);

/* The median of the gaps between consecutive due times of the whole play (for byte rates, the mean). 0 or -ENOMEM. */
int pace_median_gap(const struct play_params *p, const struct trace *t, int64_t *ns);
