/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seeded random numbers: xoshiro256** filled by splitmix64 (Blackman and Vigna, public domain algorithms),
 * integer arithmetic only, so that one seed gives one sequence on every machine. Not for secrets.
 * A struct rng belongs to one thread.
 */
#pragma once

#include <stdint.h>

struct rng {
	uint64_t s[4];
};

void rng_init(struct rng *r, uint64_t seed);

/* 64 random bits. */
uint64_t rng_next(struct rng *r);

/* Uniform in 0..n-1 without modulo bias; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Uniform in min..max, both included; min <= max. */
uint64_t rng_between(struct rng *r, uint64_t min, uint64_t max);

/* Uniform in [0,1), a multiple of 2^-53. */
double rng_unit(struct rng *r);

/* A seed from the kernel (getrandom), below 2^53 so that every JSON reader keeps it. */
uint64_t rng_draw_seed(void);
