/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/macro.h"

#define TERMS 500
#define PRECISION 1e-15
#define TINY 1e-300

/* One step of Lentz's way through a continued fraction, as Thompson and Barnett mend it (J. Comput. Phys. 64, 1986). */
static double step(double *c, double *d, double term)
{
	*d = 1 + term * *d;
	*d = 1 / (fabs(*d) < TINY ? TINY : *d);
	*c = 1 + term / *c;
	*c = fabs(*c) < TINY ? TINY : *c;
	return *c * *d;
}

/* The continued fraction of the incomplete beta function: Abramowitz and Stegun, 26.5.8. */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), sum;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	sum = d;
	for (int i = 1; i < TERMS; i++) {
		double m = i, change;

		sum *= step(&c, &d, m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
		change = step(&c, &d, -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
		sum *= change;
		if (fabs(change - 1) < PRECISION)
			break;
	}
	return sum;
}

static double log_gamma(double x)
{
	int sign; /* lgamma() would put it into a global */

	return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function I_x(a, b); y = 1 - x, given for its digits. */
static double beta(double x, double y, double a, double b)
{
	double front;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
	/* the fraction converges fast on this side of the mean (26.5.2 is the way to the other) */
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(x, a, b) / a;
	return 1 - front * fraction(y, b, a) / b;
}

double compare_t_tails(double t, double df)
{
	double square = t * t;

	/* Abramowitz and Stegun, 26.7.1 with 26.5.27 */
	return beta(df / (df + square), square / (df + square), df / 2, 0.5);
}

double compare_welch(const struct stats *a, const struct stats *b)
{
	double va = a->squares / (double)(a->n - 1) / (double)a->n;
	double vb = b->squares / (double)(b->n - 1) / (double)b->n;
	double t, df;

	if (va + vb <= 0)
		return a->mean == b->mean ? 1 : 0;
	t = (a->mean - b->mean) / sqrt(va + vb);
	/* by shares of the whole, so that no square leaves the range */
	va /= va + vb;
	df = 1 / (va * va / (double)(a->n - 1) + (1 - va) * (1 - va) / (double)(b->n - 1));
	return isfinite(t) && isfinite(df) ? compare_t_tails(t, df) : 1;
}

struct ranked {
	double value;
	uint32_t twice;  /* the rank, doubled: ties have halves */
	bool of_a;
};

static int by_value(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	return (a->value > b->value) - (a->value < b->value);
}

/* Rank n sorted values; returns the sum over ties of t^3 - t. */
static double rank(struct ranked *v, size_t n)
{
	double ties = 0;

	for (size_t i = 0, j; i < n; i = j) {
		double t;

		for (j = i; j < n && v[j].value <= v[i].value; j++)
			;
		for (size_t k = i; k < j; k++)
			v[k].twice = (uint32_t)(i + 1 + j);
		t = (double)(j - i);
		ties += t * t * t - t;
	}
	return ties;
}

/*
 * The share of all choices of k of the n ranks whose sum is as far from the mean as the one found: built up rank by
 * rank, each of which is chosen or not. Sums are doubled as the ranks are.
 */
static double count_out(const struct ranked *v, size_t n, size_t k, uint32_t found)
{
	double ways[COMPARE_EXACT / 2 + 1][COMPARE_EXACT * (COMPARE_EXACT + 1) + 1] = {{0}};
	uint32_t most = (uint32_t)(n * (n + 1)), mean = (uint32_t)(k * (n + 1)), distance;
	double all = 0, far = 0;

	distance = found > mean ? found - mean : mean - found;
	ways[0][0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = MIN(k, i + 1); j > 0; j--)
			for (uint32_t s = v[i].twice; s <= most; s++)
				ways[j][s] += ways[j - 1][s - v[i].twice];
	for (uint32_t s = 0; s <= most; s++) {
		all += ways[k][s];
		if ((s > mean ? s - mean : mean - s) >= distance)
			far += ways[k][s];
	}
	return far / all;
}

static double approximate(double na, double nb, double sum, double ties)
{
	double n = na + nb, distance = fabs(sum - na * (n + 1) / 2);
	double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));

	if (variance <= 0)
		return 1;
	return erfc(fmax(distance - 0.5, 0) / sqrt(2 * variance));
}

static void gather(struct ranked *v, const double *a, size_t na, const double *b, size_t nb)
{
	for (size_t i = 0; i < na; i++)
		v[i] = (struct ranked){.value = a[i], .of_a = true};
	for (size_t i = 0; i < nb; i++)
		v[na + i] = (struct ranked){.value = b[i]};
}

double compare_mann_whitney(const double *a, size_t na, const double *b, size_t nb)
{
	size_t n = na + nb;
	bool swapped = na > nb; /* the smaller group has fewer sums */
	struct ranked few[COMPARE_EXACT];
	_cleanup_free_ struct ranked *many = n > COMPARE_EXACT ? calloc(n, sizeof(*many)) : NULL;
	struct ranked *v = n > COMPARE_EXACT ? many : few;
	uint64_t sum = 0;
	double ties;

	/* no memory: nothing can be told */
	if (!v)
		return 1;
	gather(v, a, na, b, nb);
	qsort(v, n, sizeof(*v), by_value);
	ties = rank(v, n);
	for (size_t i = 0; i < n; i++)
		sum += v[i].of_a != swapped ? v[i].twice : 0;
	if (n <= COMPARE_EXACT)
		return count_out(v, n, MIN(na, nb), (uint32_t)sum);
	return approximate((double)MIN(na, nb), (double)MAX(na, nb), (double)sum / 2, ties);
}

void compare_samples(const double *a, size_t na, const double *b, size_t nb, struct comparison *out)
{
	*out = (struct comparison){.test = COMPARE_NONE, .p = 1};
	for (size_t i = 0; i < na; i++)
		stats_add(&out->a, a[i]);
	for (size_t i = 0; i < nb; i++)
		stats_add(&out->b, b[i]);
	if (MIN(na, nb) >= COMPARE_RANKS) {
		out->test = COMPARE_MANN_WHITNEY;
		out->p = compare_mann_whitney(a, na, b, nb);
	} else if (MIN(na, nb) >= 2) {
		out->test = COMPARE_WELCH;
		out->p = compare_welch(&out->a, &out->b);
	}
}

const char *compare_test_name(enum compare_test t)
{
	static const char *const name[] = {
		[COMPARE_NONE] = "none",
		[COMPARE_WELCH] = "Welch's t",
		[COMPARE_MANN_WHITNEY] = "Mann-Whitney U",
	};

	return name[t];
}
