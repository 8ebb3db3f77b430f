/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perm.h"

/* A Feistel network makes even permutations only, and few with few bits; short ranges walk through a larger one. */
#define BITS_MIN 12

void perm_init(struct perm *p, uint64_t n, struct rng *rng)
{
	unsigned bits = BITS_MIN;

	while (bits < 63 && n > UINT64_C(1) << bits)
		bits++;
	*p = (struct perm){.n = n, .high = bits / 2, .low = bits - bits / 2};
	for (int i = 0; i < PERM_ROUNDS; i++)
		p->key[i] = rng_next(rng);
}

/* The top bits of a mixed word; the multipliers are those of splitmix64. */
static uint64_t scramble(uint64_t x, uint64_t key, unsigned bits)
{
	x = (x ^ key) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
	return x >> (64 - bits);
}

uint64_t perm_at(const struct perm *p, uint64_t i)
{
	do {
		uint64_t h = i >> p->low, l = i & ((UINT64_C(1) << p->low) - 1);

		for (int r = 0; r < PERM_ROUNDS; r += 2) {
			h ^= scramble(l, p->key[r], p->high);
			l ^= scramble(h, p->key[r + 1], p->low);
		}
		i = h << p->low | l;
	} while (i >= p->n);
	return i;
}
