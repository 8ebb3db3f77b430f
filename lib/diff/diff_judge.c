/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/diff_judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/macro.h"
#include "diff/diff.h"

#define FEW 100          /* events of a run */
#define SIGMAS 3         /* how far from each other chance puts counts of as many events */

static double mean_of(const double *v, size_t n)
{
	struct stats s = {0};

	for (size_t i = 0; i < n; i++)
		stats_add(&s, v[i]);
	return s.mean;
}

/* Of the runs, of the rows of a single run, or of nothing. */
static double deviation(const struct figure *f)
{
	struct stats s = {0};

	if (f->runs < 2)
		return f->rows.n < 2 ? -1 : stats_stddev(&f->rows);
	for (size_t i = 0; i < f->runs; i++)
		stats_add(&s, f->run[i]);
	return stats_stddev(&s);
}

/*
 * Events that come each for itself scatter by the root of their number: 3 against 50 page faults is a change, 3 against
 * 8 is none.
 */
static bool is_few(const struct figure *a, const struct figure *b)
{
	double na, nb;

	if (a->events < 0 || b->events < 0)
		return false;
	na = a->events / (double)a->runs;
	nb = b->events / (double)b->runs;
	return MAX(na, nb) < FEW && fabs(na - nb) <= SIGMAS * sqrt(na + nb);
}

static enum verdict judge(const struct finding *f, double floor)
{
	/* what is 0 in A and not in B is above every floor */
	if (f->mean_a == f->mean_b || fabs(f->change) < floor)
		return VERDICT_FLOOR;
	if (is_few(f->a, f->b))
		return VERDICT_FEW;
	if (f->c.test == COMPARE_NONE)
		return VERDICT_OPEN;
	if (f->c.p < DIFF_P)
		return f->mean_b > f->mean_a ? VERDICT_MORE : VERDICT_LESS;
	if (f->c.p < DIFF_P_MAYBE)
		return f->mean_b > f->mean_a ? VERDICT_MORE_MAYBE : VERDICT_LESS_MAYBE;
	return VERDICT_NOISE;
}

/*
 * Of single runs, a total scatters as the rate within the run does: the parts of the rate, those of B for the length
 * that B has in terms of A's. A side that counted nothing has no length, and none that matters.
 */
static int compare_parts(const struct pair *total, const struct pair *rate, struct comparison *c)
{
	const struct figure *a = rate->a, *b = rate->b;
	double length_a = mean_of(total->a->run, total->a->runs) / mean_of(a->run, a->runs);
	double length_b = mean_of(total->b->run, total->b->runs) / mean_of(b->run, b->runs);
	double scale = length_b / length_a;
	_cleanup_free_ double *scaled = calloc(b->parts + 1, sizeof(*scaled));

	if (!scaled)
		return -ENOMEM;
	for (size_t i = 0; i < b->parts; i++)
		scaled[i] = b->part[i] * (isfinite(scale) && scale > 0 ? scale : 1);
	compare_samples(a->part, a->parts, scaled, b->parts, c);
	return 0;
}

int diff_judge(const struct pair *p, const struct pair *rate, double floor, struct finding *f, struct diff_total *total)
{
	const struct figure *a = p->a, *b = p->b;
	bool runs = MIN(a->runs, b->runs) >= 2;
	int err = 0;

	*f = (struct finding){.a = a, .b = b, .sd_a = deviation(a), .sd_b = deviation(b)};
	f->mean_a = mean_of(a->run, a->runs);
	f->mean_b = mean_of(b->run, b->runs);
	if (runs)
		compare_samples(a->run, a->runs, b->run, b->runs, &f->c);
	else if (rate)
		err = compare_parts(p, rate, &f->c);
	else
		compare_samples(a->part, a->parts, b->part, b->parts, &f->c);
	f->change = f->mean_a == f->mean_b ? 0
		    : f->mean_a == 0	   ? NAN
					   : 100 * (f->mean_b - f->mean_a) / fabs(f->mean_a);
	f->verdict = judge(f, floor);
	total->count[f->verdict]++;
	if (f->verdict <= VERDICT_NOISE) {
		total->judged[f->c.test]++;
		total->of_parts += !runs;
	}
	return err;
}
