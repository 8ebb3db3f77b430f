/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a report about time. All is printed as "name value ...", times in nanoseconds, and only what there is.
 */
#pragma once

#include <stdio.h>

#include "mon/hist.h"
#include "run/play.h"

/*
 * "PREFIXlatency_ns OP count N min N mean N stddev N p50 N p90 N p99 N p99.9 N p99.99 N max N", for each op that has
 * some.
 */
void report_latency(FILE *f, const char *prefix, const struct play_result *result);

/* The same figures of one histogram, after what. */
void report_hist(FILE *f, const char *what, const struct hist *h);

/*
 * clock NAME (WHY)             by which the latencies were taken, and why not by the counter of the processor
 * clock_drift_ppm N            when it went wrong by 500 or more against CLOCK_MONOTONIC (positive: fast)
 * latency_sampled N of N       when only some touches were timed
 * stretch lag_ns late inversions untimed skipped timing    under a timing; the last is the verdict in words
 */
void report_clock(FILE *f, const struct play_result *result);
void report_fidelity(FILE *f, const struct play_result *result);

/* Its last line alone. */
void report_verdict(FILE *f, const struct play_result *result);
