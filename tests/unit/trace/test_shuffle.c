/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/xform.h"

#include "marked.h"

static void shuffle_permutes_within_its_locality(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 4);
	for (int round = 0; round < 3000; round++) {
		_cleanup_(trace_fini) struct trace t = {0};
		size_t n = (size_t)rng_below(&r, 120);
		uint64_t scope = round % 3 ? rng_below(&r, 20) : round % 5 ? rng_below(&r, 200) : SHUFFLE_ALL;
		uint64_t times = rng_below(&r, 2) ? rng_below(&r, 3000) : SHUFFLE_ALL;
		unsigned char seen[120] = {0};
		bool changed = false;

		make_marked(&t, n, 0, round % 2);
		assert_int_equal(xform_shuffle(&t, times, scope, &r), 0);
		assert_int_equal(t.count, n);
		for (size_t i = 0; i < n; i++) {
			uint64_t from = mark_of(&t, i), far = from > i ? from - i : i - from;

			assert_true(from < n);
			assert_int_equal(seen[from]++, 0);
			assert_true(far == 0 || far < scope);
			changed |= far != 0;
		}
		if (n > 50 && scope > 1 && times > 100)
			assert_true(changed);
	}
}

/* Its bounds are reached, and no request is more likely to stay than the walk makes it. */
static void locality_is_used_to_the_full(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	unsigned by[5] = {0};
	struct rng r;

	rng_init(&r, 5);
	make_marked(&t, 10000, 0, false);
	assert_int_equal(xform_shuffle(&t, 1000000, 5, &r), 0);
	for (size_t i = 0; i < t.count; i++) {
		uint64_t from = req_offset(t.req[i]);

		by[from > i ? from - i : i - from]++;
	}
	for (int d = 0; d < 5; d++)
		assert_true(by[d] > 500);
}

/* Chi-square of the 24 orders of four requests: 23 degrees of freedom, 1 in 10^6 is above 72. */
static void assert_all_orders_alike(uint64_t times)
{
	unsigned count[256] = {0}, orders = 0;
	const double want = 1000;
	double chi = 0;

	for (unsigned seed = 0; seed < 24 * (unsigned)want; seed++) {
		_cleanup_(trace_fini) struct trace t = {0};
		unsigned order = 0;
		struct rng r;

		rng_init(&r, seed);
		make_marked(&t, 4, 0, false);
		assert_int_equal(xform_shuffle(&t, times, SHUFFLE_ALL, &r), 0);
		for (size_t i = 0; i < 4; i++)
			order = order << 2 | (unsigned)req_offset(t.req[i]);
		count[order]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(count); i++) {
		if (count[i]) {
			orders++;
			chi += (count[i] - want) * (count[i] - want) / want;
		}
	}
	assert_int_equal(orders, 24);
	assert_true(chi < 72);
}

static void a_full_shuffle_is_a_uniform_permutation(void **state _unused_)
{
	assert_all_orders_alike(SHUFFLE_ALL);
}

static void many_exchanges_anywhere_are_one_too(void **state _unused_)
{
	assert_all_orders_alike(60);
}

/* Where each of 40 requests goes, over many seeds: batches of exchanges must not favour any place. */
static void a_full_shuffle_takes_each_request_anywhere(void **state _unused_)
{
	enum { N = 40, ROUNDS = 8000 };
	static unsigned count[N][N];
	double chi = 0, want = (double)ROUNDS / N;

	for (unsigned seed = 0; seed < ROUNDS; seed++) {
		_cleanup_(trace_fini) struct trace t = {0};
		struct rng r;

		rng_init(&r, seed);
		make_marked(&t, N, 0, false);
		assert_int_equal(xform_shuffle(&t, SHUFFLE_ALL, N, &r), 0);
		for (size_t i = 0; i < N; i++)
			count[i][req_offset(t.req[i])]++;
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < N; k++)
			chi += (count[i][k] - want) * (count[i][k] - want) / want;
	/* 39 * 39 degrees of freedom: five sigma above */
	assert_true(chi < 1521 + 5 * 55.2);
}

static void shuffling_little_is_harmless(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct rng r;

	rng_init(&r, 6);
	assert_int_equal(xform_shuffle(&t, SHUFFLE_ALL, SHUFFLE_ALL, &r), 0);
	assert_int_equal(xform_shuffle(&t, 1000, 5, &r), 0);
	make_marked(&t, 1, 0, false);
	assert_int_equal(xform_shuffle(&t, SHUFFLE_ALL, SHUFFLE_ALL, &r), 0);
	assert_int_equal(mark_of(&t, 0), 0);
	trace_fini(&t);
	make_marked(&t, 10, 0, false);
	assert_int_equal(xform_shuffle(&t, 0, SHUFFLE_ALL, &r), 0);
	assert_int_equal(xform_shuffle(&t, SHUFFLE_ALL, 1, &r), 0);
	assert_int_equal(xform_shuffle(&t, SHUFFLE_ALL, 0, &r), 0);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(mark_of(&t, i), i);
}

static void one_seed_gives_one_order_for_ever(void **state _unused_)
{
	static const uint64_t anywhere[] = {7, 1, 6, 3, 5, 4, 2, 0}, nearby[] = {0, 2, 5, 1, 3, 4, 6, 7};
	_cleanup_(trace_fini) struct trace all = {0}, near = {0};
	struct rng r;

	rng_init(&r, 42);
	make_marked(&all, 8, 0, false);
	assert_int_equal(xform_shuffle(&all, SHUFFLE_ALL, SHUFFLE_ALL, &r), 0);
	make_marked(&near, 8, 0, false);
	assert_int_equal(xform_shuffle(&near, 100, 4, &r), 0);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(req_offset(all.req[i]), anywhere[i]);
		assert_int_equal(req_offset(near.req[i]), nearby[i]);
	}
}

/* Last: the flag stays set. */
static void a_signal_ends_a_long_shuffle(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct rng r;

	rng_init(&r, 10);
	make_marked(&t, 200000, 1, false);
	stop_request(SIGINT);
	assert_int_equal(xform_shuffle(&t, SHUFFLE_ALL, SHUFFLE_ALL, &r), -EINTR);
	assert_int_equal(xform_shuffle(&t, UINT64_C(1) << 60, 10, &r), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shuffle_permutes_within_its_locality),
		cmocka_unit_test(locality_is_used_to_the_full),
		cmocka_unit_test(a_full_shuffle_is_a_uniform_permutation),
		cmocka_unit_test(many_exchanges_anywhere_are_one_too),
		cmocka_unit_test(a_full_shuffle_takes_each_request_anywhere),
		cmocka_unit_test(shuffling_little_is_harmless),
		cmocka_unit_test(one_seed_gives_one_order_for_ever),
		cmocka_unit_test(a_signal_ends_a_long_shuffle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
