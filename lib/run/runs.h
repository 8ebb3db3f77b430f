/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runs of a play that is repeated (--repeat): each figure's mean and deviation over them. Figures of time, and
 * those of which the kernel has its own mind; what the trace decides is the same in all.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "mon/hist.h"
#include "mon/stats.h"
#include "run/json.h"
#include "run/play.h"

enum runs_figure {
	RUNS_ELAPSED,     /* ns */
	RUNS_REQUESTS,    /* a second */
	RUNS_BYTES,       /* a second */
	RUNS_USER,        /* ns */
	RUNS_SYSTEM,      /* ns */
	RUNS_MINOR,       /* faults */
	RUNS_MAJOR,
	RUNS_FAULTS,      /* of both kinds, a second */
	RUNS_FIGURES
};

struct runs {
	size_t count;
	double *value[RUNS_FIGURES];          /* of each run */
	struct stats stats[RUNS_FIGURES];
	struct hist *latency[OP_COUNT];       /* of all runs together; NULL: none taken */
	struct hist *hit, *miss;              /* likewise */
};

/* All zero is empty; also of one on which runs_add() failed. */
void runs_fini(struct runs *r);

/* 0 or -ENOMEM. */
int runs_add(struct runs *r, const struct play_result *result);

/*
 * runs N
 * repeat FIGURE mean N stddev N percent N median N min N max N     with percent as perf stat --repeat has it behind
 * "+-" repeat latency_ns OP ...                                         of all runs, as report_time.h repeat
 * latency_hit_ns ... repeat latency_miss_ns ...             likewise
 */
void runs_report(struct runs *r, FILE *f);

/* The object "repeat": by figure, integers; percent in millionths (ppm) of the mean. */
void runs_json(struct runs *r, struct json *j);
