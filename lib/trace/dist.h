/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distributions of random offsets over n slots.
 *
 *   uniform     each slot alike
 *   clustered   denser in the middle: 0.5 + (0.5 - u1) * u2 of the range, u1 and u2 uniform in [0,1)
 *   zipf:THETA  rank r (from 1) in proportion to r^-THETA; 0 < THETA, not 1
 *   pareto:H    rank (n - 1) * u^(ln H / ln(1 - H)): with H = 0.2, 80 % of the draws on 20 % of the ranks; 0 < H < 1
 *   normal:DEV  the mean of 12 uniform numbers over the range, moved by a uniform one of up to DEV / 2 percent of
 *               the range (but at most a quarter of it) either way; 0 <= DEV < 100
 *
 * The last three are those of fio's random_distribution (lib/zipf.c, lib/gauss.c and hash.h of fio 3.33), details
 * included. zipf is the approximation of J. Gray et al., "Quickly Generating Billion-Record Synthetic Databases"
 * (1994), with the zeta function summed over at most 10^7 ranks. The rank (for normal, the position) times
 * 0x61c8864680b583eb, modulo 2^64 and then n, is the slot, so that hot slots lie scattered; when n is no power of
 * two, some slots get several ranks and others none. For zipf and pareto the whole is rotated by a random
 * distance. Unlike fio's, the random numbers have 53 bits, not 32.
 *
 * Computed by trace/real.h: one seed gives one sequence on every machine. Over 2^53 slots only uniform reaches
 * every slot.
 */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "base/rng.h"

enum dist_kind { DIST_UNIFORM, DIST_CLUSTERED, DIST_ZIPF, DIST_PARETO, DIST_NORMAL };

struct dist_params {
	enum dist_kind kind;
	double value;   /* theta, h, or deviation in percent; else unused */
};

/* Parse "uniform", "clustered", "zipf:1.2", "pareto:0.2", "normal:10". 0 or -EINVAL with the text. */
int dist_parse(const char *text, struct dist_params *out, struct fault *fault);

struct dist {
	struct dist_params p;
	uint64_t n;
	uint64_t rotation;    /* zipf, pareto: slot of the first rank */
	uint64_t deviation;   /* normal: width of the uniform part, slots */
	double zeta, second;  /* zipf: sum over all ranks, and over the first two */
	double eta, power;    /* zipf, pareto: constants of the formula */
};

/* Prepare draws over 0..n-1, 0 < n <= 2^63; p as dist_parse() gives it. Draws from the rng for zipf and pareto. */
void dist_init(struct dist *d, const struct dist_params *p, uint64_t n, struct rng *rng);

/*
 * A slot in 0..limit-1, 0 < limit <= n. With a limit below n, uniform and clustered have their shape over
 * 0..limit-1; the others keep their hot slots, whatever the limit, and fold slots past it back (slot modulo limit).
 */
uint64_t dist_draw(const struct dist *d, uint64_t limit, struct rng *rng);
