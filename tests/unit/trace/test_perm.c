/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/perm.h"

static void assert_bijection(uint64_t n, uint64_t seed)
{
	_cleanup_free_ unsigned char *seen = calloc(n, 1);
	struct perm p;
	struct rng r;

	assert_non_null(seen);
	rng_init(&r, seed);
	perm_init(&p, n, &r);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t to = perm_at(&p, i);

		assert_true(to < n);
		assert_int_equal(seen[to]++, 0);
	}
}

static void every_number_is_met_once(void **state _unused_)
{
	static const uint64_t sizes[] = {4095, 4096, 4097, 8191, 8192, 8193, 65537, 100003, 1 << 18, (1 << 18) + 1};

	for (uint64_t n = 1; n < 200; n++)
		assert_bijection(n, n);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (uint64_t seed = 0; seed < 3; seed++)
			assert_bijection(sizes[i], seed);
}

static void huge_ranges_need_no_memory(void **state _unused_)
{
	static uint64_t to[1000];
	const uint64_t sizes[] = {UINT64_C(1) << 63, (UINT64_C(1) << 62) + 1, UINT64_C(1) << 40};
	struct perm p;
	struct rng r;

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		uint64_t upper = 0;

		rng_init(&r, s);
		perm_init(&p, sizes[s], &r);
		for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
			to[i] = perm_at(&p, i);
			assert_true(to[i] < sizes[s]);
			upper += to[i] >= sizes[s] / 2;
			for (size_t k = 0; k < i; k++)
				assert_true(to[k] != to[i]);
		}
		/* the first thousand go all over the range: half of them into its upper half, within five sigma */
		assert_in_range(upper, 420, 580);
	}
}

/* Chi-square over all orders of 4 numbers: 23 degrees of freedom, 1 in 10^6 is above 72. */
static void all_orders_of_a_few_are_alike(void **state _unused_)
{
	unsigned count[256] = {0}, orders = 0;
	const unsigned rounds = 6000;
	double chi = 0;

	for (unsigned seed = 0; seed < rounds; seed++) {
		unsigned order = 0;
		struct perm p;
		struct rng r;

		rng_init(&r, seed);
		perm_init(&p, 4, &r);
		for (unsigned i = 0; i < 4; i++)
			order = order << 2 | (unsigned)perm_at(&p, i);
		count[order]++;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(count); i++) {
		double off = count[i] - rounds / 24.0;

		if (count[i]) {
			orders++;
			chi += off * off / (rounds / 24.0);
		}
	}
	assert_int_equal(orders, 24);
	assert_true(chi < 72);
}

/* A Feistel network of two halves makes even permutations only; a short range must not show that. */
static void even_and_odd_orders_are_alike(void **state _unused_)
{
	enum { N = 16, ROUNDS = 1000 };
	unsigned odd = 0;

	for (unsigned seed = 0; seed < ROUNDS; seed++) {
		unsigned inversions = 0;
		uint64_t to[N];
		struct perm p;
		struct rng r;

		rng_init(&r, seed);
		perm_init(&p, N, &r);
		for (unsigned i = 0; i < N; i++) {
			to[i] = perm_at(&p, i);
			for (unsigned k = 0; k < i; k++)
				inversions += to[k] > to[i];
		}
		odd += inversions % 2;
	}
	/* half of them, within five sigma */
	assert_in_range(odd, 420, 580);
}

static void one_seed_gives_one_order_for_ever(void **state _unused_)
{
	static const uint64_t want[] = {837799, 458624, 317326, 438597, 949831, 239867, 927181, 862431};
	struct perm p;
	struct rng r;

	rng_init(&r, 42);
	perm_init(&p, 1000000, &r);
	for (uint64_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(perm_at(&p, i), want[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_met_once),
		cmocka_unit_test(huge_ranges_need_no_memory),
		cmocka_unit_test(all_orders_of_a_few_are_alike),
		cmocka_unit_test(even_and_odd_orders_are_alike),
		cmocka_unit_test(one_seed_gives_one_order_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
