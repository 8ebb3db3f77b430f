/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"
#include "trace/ranges.h"

#define PLACES 20000

/* What the ranges should be: a value for each number, 0 for none. */
static uint64_t model[PLACES];

static void assert_is_model(struct ranges *s)
{
	struct ranges_at at = {0};
	size_t held = 0, ranges = 0;
	uint64_t x = 0;

	for (bool more = ranges_find(s, 0, &at); more; more = ranges_next(s, &at)) {
		struct range p = ranges_get(s, at);

		assert_true(p.length > 0 && p.key >= x && p.key + p.length <= PLACES);
		for (; x < p.key; x++)
			assert_int_equal(model[x], 0);
		for (; x < p.key + p.length; x++)
			assert_int_equal(model[x], p.value + (x - p.key));
		held += p.length;
		ranges++;
	}
	for (; x < PLACES; x++)
		assert_int_equal(model[x], 0);
	assert_int_equal(s->count, ranges);
	assert_int_equal(s->total, held);
}

/* Numbers from x on: by the ranges. */
static uint64_t ranges_from(struct ranges *s, uint64_t x)
{
	struct ranges_at at;
	struct range p;

	if (!ranges_find(s, x, &at))
		return 0;
	p = ranges_get(s, at);
	return ranges_behind(s, at) + p.length - (x > p.key ? x - p.key : 0);
}

/* And counted one by one. */
static uint64_t count_from(uint64_t x)
{
	uint64_t n = 0;

	for (; x < PLACES; x++)
		n += model[x] != 0;
	return n;
}

static void any_cuts_and_insertions_give_what_arrays_give(void **state _unused_)
{
	_cleanup_(ranges_fini) struct ranges s = {0};
	uint64_t largest = 0;
	struct rng r;

	rng_init(&r, 1);
	memset(model, 0, sizeof(model));
	for (uint64_t step = 1; step <= 60000; step++) {
		uint64_t x = rng_below(&r, PLACES), length;
		/* grow, shrink, and grow by small pieces */
		bool insert = rng_below(&r, 10) < (step / 10000 % 2 ? 3u : 7u);
		struct ranges_at at;
		bool found = ranges_find(&s, x, &at);

		if (insert && model[x] == 0) {
			struct range new = {.key = x, .value = step << 32};

			length = 1 + rng_below(&r, step < 20000 ? 3 : 20);
			while (new.length < length && x < PLACES && model[x] == 0)
				model[x++] = new.value + new.length++;
			assert_int_equal(ranges_insert(&s, new), 0);
		} else if (!insert && found) {
			struct range p = ranges_get(&s, at);
			uint64_t from = MAX(x, p.key);

			assert_true(p.key + p.length > x);
			length = 1 + rng_below(&r, MIN(p.key + p.length - from, 4));
			memset(model + from, 0, length * sizeof(*model));
			assert_int_equal(ranges_cut(&s, at, from, length), 0);
		}
		if (step % 2000 == 0)
			assert_is_model(&s);
		if (step % 100 == 0)
			assert_int_equal(ranges_from(&s, x), count_from(x));
		largest = MAX(largest, s.count);
	}
	assert_true(largest > 20 * RANGES_BLOCK);
	for (struct ranges_at at; ranges_find(&s, 0, &at);) {
		struct range p = ranges_get(&s, at);

		assert_int_equal(ranges_cut(&s, at, p.key, p.length), 0);
	}
	assert_int_equal(s.count, 0);
	assert_int_equal(s.blocks, 0);
	assert_int_equal(ranges_from(&s, 0), 0);
}

/* As the times of requests do: ranges come at the end, and go anywhere. */
static void what_grows_at_its_end_is_counted_right(void **state _unused_)
{
	_cleanup_(ranges_fini) struct ranges s = {.keys_only = true};
	struct rng r;

	rng_init(&r, 2);
	memset(model, 0, sizeof(model));
	for (uint64_t x = 10; x + 10 <= PLACES; x += 10) {
		struct ranges_at at;
		uint64_t y = rng_between(&r, 10, x);

		for (uint64_t i = x; i < x + 10; i++)
			model[i] = i;
		assert_int_equal(ranges_insert(&s, (struct range){x, 10, x}), 0);
		if (rng_below(&r, 3) && ranges_find(&s, y, &at)) {
			struct range p = ranges_get(&s, at);
			uint64_t from = MAX(y, p.key), length = 1 + rng_below(&r, p.key + p.length - from);

			memset(model + from, 0, length * sizeof(*model));
			assert_int_equal(ranges_cut(&s, at, from, length), 0);
		}
		if (x % 70 == 0)
			assert_int_equal(ranges_from(&s, y), count_from(y));
	}
	assert_is_model(&s);
	/* joined, where they had become few */
	assert_true(s.blocks <= s.count / (RANGES_BLOCK / 4) + 1);
}

static void the_largest_numbers_are_held(void **state _unused_)
{
	_cleanup_(ranges_fini) struct ranges s = {0};
	const uint64_t half = UINT64_C(1) << 62;
	struct ranges_at at;

	assert_int_equal(ranges_insert(&s, (struct range){half, half, 5}), 0);
	assert_int_equal(ranges_insert(&s, (struct range){0, 1, 7}), 0);
	assert_true(ranges_from(&s, 1) == half);
	assert_true(ranges_from(&s, 2 * half - 1) == 1);
	assert_true(ranges_find(&s, 2 * half - 1, &at));
	assert_int_equal(ranges_cut(&s, at, half + 1, half - 2), 0);
	assert_int_equal(s.total, 3);
	assert_true(ranges_find(&s, half + 1, &at));
	assert_true(ranges_get(&s, at).value == half - 1 + 5);
	assert_false(ranges_find(&s, 2 * half, &at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_cuts_and_insertions_give_what_arrays_give),
		cmocka_unit_test(what_grows_at_its_end_is_counted_right),
		cmocka_unit_test(the_largest_numbers_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
