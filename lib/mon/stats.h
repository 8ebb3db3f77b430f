/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mean and deviation of a few figures, as of runs that were repeated. A struct stats belongs to one thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct stats {
	uint64_t n;
	double mean;
	double squares;  /* sum of the squared distances from the mean (Welford's way, exact enough for any order) */
};

void stats_add(struct stats *s, double value);

/* Of what the values are a sample of: divided by n - 1. 0 below two values. */
double stats_stddev(const struct stats *s);

/*
 * What perf stat --repeat prints behind "+-": the standard error of the mean, which is the deviation divided by
 * the root of n, in percent of the mean. 0 when there are not two values or all are 0; infinite when only their mean
 * is.
 */
double stats_percent(const struct stats *s);

/* The middle value, or the mean of the two; sorts the values. 0 when there are none. */
double stats_median(double *values, size_t n);
