/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pseudo-random permutation of 0..n-1 in constant memory.
 *
 * A keyed Feistel network permutes the smallest power of two that holds n; where it leaves 0..n-1 it is applied
 * again ("cycle walking": J. Black and P. Rogaway, "Ciphers with Arbitrary Finite Domains", 2002). Not for secrets.
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"

#define PERM_ROUNDS 6

struct perm {
	uint64_t n;
	uint64_t key[PERM_ROUNDS];
	unsigned high, low;   /* bits of the two halves */
};

/* Draw the keys; 0 < n <= 2^63. */
void perm_init(struct perm *p, uint64_t n, struct rng *rng);

/* Where i goes, i < n: every number below n for exactly one i. */
uint64_t perm_at(const struct perm *p, uint64_t i);
