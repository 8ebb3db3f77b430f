/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/stats.h"

#include <math.h>
#include <stdlib.h>

void stats_add(struct stats *s, double value)
{
	double distance = value - s->mean;

	s->n++;
	s->mean += distance / (double)s->n;
	s->squares += distance * (value - s->mean);
}

double stats_stddev(const struct stats *s)
{
	return s->n < 2 ? 0 : sqrt(s->squares / (double)(s->n - 1));
}

double stats_percent(const struct stats *s)
{
	/* As tools/perf/util/stat.c has it (rel_stddev_stats()), but for a mean below 0, which is told without its
	 * sign, and for one of 0 between values that are not, of which any deviation is more than any percentage. */
	if (s->n < 2 || stats_stddev(s) <= 0)
		return 0;
	return s->mean == 0 ? HUGE_VAL : 100 * stats_stddev(s) / sqrt((double)s->n) / fabs(s->mean);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(double *values, size_t n)
{
	if (n == 0)
		return 0;
	qsort(values, n, sizeof(*values), ascending);
	return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}
