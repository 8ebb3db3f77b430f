/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two samples of a figure: do their means differ by more than chance makes them?
 *
 * The test is chosen by the number of values alone, so that nobody can choose it by its answer: Mann and Whitney's U
 * where both sides have COMPARE_RANKS or more, as it does not ask how the values are distributed; Welch's t with fewer,
 * down to two, where ranks cannot answer (three against three never give a p below 0.1); none below that.
 *
 * All values are finite. Everything here is pure.
 */
#pragma once

#include <stddef.h>

#include "mon/stats.h"

#define COMPARE_RANKS 5

enum compare_test { COMPARE_NONE, COMPARE_WELCH, COMPARE_MANN_WHITNEY };

struct comparison {
	struct stats a, b;
	enum compare_test test;
	double p;         /* two-sided, 0..1; 1 without a test */
};

void compare_samples(const double *a, size_t na, const double *b, size_t nb, struct comparison *out);

/* "Welch's t", "Mann-Whitney U", "none". */
const char *compare_test_name(enum compare_test t);

/*
 * Two-sided p of Welch's t for unequal variances, with the degrees of freedom of Welch and Satterthwaite; at least two
 * values a side. Without any deviation it is 1 where the means are equal, else 0.
 */
double compare_welch(const struct stats *a, const struct stats *b);

/*
 * Two-sided p of the rank sum: how often a random division of all values into groups of these sizes puts it as far
 * from its mean, or farther. Ties share the mean of their ranks. Counted out for COMPARE_EXACT values or fewer, in all;
 * beyond by the normal distribution, with the corrections for ties and for continuity (Lehmann, Nonparametrics, 1975,
 * 1.2 to 1.4). At least one value a side.
 */
#define COMPARE_EXACT 24
double compare_mann_whitney(const double *a, size_t na, const double *b, size_t nb);

/* Student's t: the probability of |T| >= |t| with df > 0 degrees of freedom, whole or not. */
double compare_t_tails(double t, double df);
