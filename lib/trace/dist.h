/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions of random offsets over n slots.
 *
 * uniform, clustered (denser in the middle: (1 + (u1 - u2') ...) see dist.c), and zipf:THETA, pareto:H,
 * normal:DEV with the meaning fio's random_distribution gives them, so that the shapes agree.
 * Computed with IEEE additions, multiplications, divisions and square roots only (own log, exp, pow; no libm),
 * without contraction: one seed gives one sequence on every machine.
 */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "base/rng.h"

enum dist_kind { DIST_UNIFORM, DIST_CLUSTERED, DIST_ZIPF, DIST_PARETO, DIST_NORMAL };

struct dist_params {
	enum dist_kind kind;
	double value;   /* theta, h, or deviation in percent */
};

/* Parse "uniform", "clustered", "zipf:1.2", "pareto:0.2", "normal:10". 0 or -EINVAL with the text. */
int dist_parse(const char *text, struct dist_params *out, struct fault *fault);

struct dist {
	struct dist_params p;
	uint64_t n;
	double c[6];   /* constants of the kind */
	uint64_t u[2];
};

/* Prepare draws over 0..n-1, n > 0. May draw from the rng (fio's zipf and pareto place the hot spot at random). */
void dist_init(struct dist *d, const struct dist_params *p, uint64_t n, struct rng *rng);

/* A slot in 0..n-1. */
uint64_t dist_draw(struct dist *d, struct rng *rng);
