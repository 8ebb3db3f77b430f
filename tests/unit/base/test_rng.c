/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"

/*
 * The first outputs for seed 1234567 of xoshiro256** seeded by splitmix64, whose own first outputs for that seed are
 * the known 6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431.
 */
static void the_state_is_filled_by_splitmix64(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1234567);
	assert_true(r.s[0] == UINT64_C(6457827717110365317));
	assert_true(r.s[1] == UINT64_C(3203168211198807973));
	assert_true(r.s[2] == UINT64_C(9817491932198370423));
	assert_true(r.s[3] == UINT64_C(4593380528125082431));
}

/*
 * State 1 2 3 4 gives these first numbers in the authors' reference code and in other implementations tested with it.
 */
static void the_sequence_is_that_of_xoshiro256starstar(void **state _unused_)
{
	static const uint64_t want[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct rng r = {{1, 2, 3, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_true(rng_next(&r) == want[i]);
}

static void one_seed_gives_one_sequence(void **state _unused_)
{
	struct rng a, b, c;
	int same = 0;

	rng_init(&a, 7);
	rng_init(&b, 7);
	rng_init(&c, 8);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = rng_next(&a);

		assert_true(x == rng_next(&b));
		same += x == rng_next(&c);
	}
	assert_int_equal(same, 0);
}

static void below_stays_below_and_reaches_all(void **state _unused_)
{
	unsigned seen[7] = {0};
	struct rng r;

	rng_init(&r, 1);
	for (int i = 0; i < 70000; i++) {
		uint64_t v = rng_below(&r, 7);

		assert_true(v < 7);
		seen[v]++;
	}
	/* 10000 each, standard deviation 93: seven of them, for one fixed seed */
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 9500, 10500);
	assert_true(rng_below(&r, 1) == 0);
}

/* With n = 3 * 2^62 a modulo of 64 bits would give the lowest third twice as often. */
static void below_has_no_modulo_bias(void **state _unused_)
{
	const uint64_t third = UINT64_C(1) << 62;
	unsigned seen[3] = {0};
	struct rng r;

	rng_init(&r, 3);
	for (int i = 0; i < 30000; i++)
		seen[rng_below(&r, 3 * third) / third]++;
	for (int i = 0; i < 3; i++)
		assert_in_range(seen[i], 9600, 10400);
}

static void between_includes_both_ends(void **state _unused_)
{
	bool low = false, high = false;
	struct rng r;

	rng_init(&r, 4);
	for (int i = 0; i < 1000; i++) {
		uint64_t v = rng_between(&r, 5, 7);

		assert_in_range(v, 5, 7);
		low |= v == 5;
		high |= v == 7;
	}
	assert_true(low && high);
	assert_true(rng_between(&r, 9, 9) == 9);
	assert_true(rng_between(&r, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
	assert_true(rng_between(&r, 0, UINT64_MAX) != rng_between(&r, 0, UINT64_MAX));
}

static void unit_is_at_least_0_and_below_1(void **state _unused_)
{
	double sum = 0;
	struct rng r;

	rng_init(&r, 5);
	for (int i = 0; i < 100000; i++) {
		double v = rng_unit(&r);

		assert_true(v >= 0 && v < 1);
		sum += v;
	}
	assert_true(sum > 49500 && sum < 50500);
}

static void a_drawn_seed_fits_a_double(void **state _unused_)
{
	uint64_t a = rng_draw_seed(), b = rng_draw_seed();

	assert_true(a < UINT64_C(1) << 53 && b < UINT64_C(1) << 53);
	assert_true(a != b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_is_filled_by_splitmix64),
		cmocka_unit_test(the_sequence_is_that_of_xoshiro256starstar),
		cmocka_unit_test(one_seed_gives_one_sequence),
		cmocka_unit_test(below_stays_below_and_reaches_all),
		cmocka_unit_test(below_has_no_modulo_bias),
		cmocka_unit_test(between_includes_both_ends),
		cmocka_unit_test(unit_is_at_least_0_and_below_1),
		cmocka_unit_test(a_drawn_seed_fits_a_double),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
