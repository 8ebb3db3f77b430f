/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rng.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

static uint64_t rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

void rng_init(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		r->s[i] = z ^ z >> 31;
	}
}

uint64_t rng_next(struct rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

/* Lemire, "Fast random integer generation in an interval" (2019): one multiplication, a division only near the edge. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
	unsigned __int128 m = (unsigned __int128)rng_next(r) * n;

	if ((uint64_t)m < n) {
		uint64_t least = -n % n;

		while ((uint64_t)m < least)
			m = (unsigned __int128)rng_next(r) * n;
	}
	return (uint64_t)(m >> 64);
}

uint64_t rng_between(struct rng *r, uint64_t min, uint64_t max)
{
	if (max - min == UINT64_MAX)
		return rng_next(r);
	return min + rng_below(r, max - min + 1);
}

double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

uint64_t rng_draw_seed(void)
{
	uint64_t seed;

	/* Fails only before the kernel's pool is ready; any number will do then. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint64_t)clock_now() ^ (uint64_t)getpid() << 32;
	return seed >> 11;
}
