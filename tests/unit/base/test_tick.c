/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/tick.h"

static void sleep_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void ticks_of_the_clock_are_nanoseconds(void **state _unused_)
{
	struct tick t;
	int64_t before = clock_now(), now;

	tick_open_clock(&t);
	now = (int64_t)tick_now(&t);
	assert_string_equal(t.name, "clock_gettime");
	assert_false(t.tsc);
	assert_true(now >= before && now <= clock_now());
	assert_int_equal(tick_ns(&t, 12345), 12345);
	assert_int_equal(tick_clock(&t, (uint64_t)now), now);
	assert_int_equal(tick_clock(&t, (uint64_t)before), before);
	assert_int_equal(tick_drift_ppb(&t), 0);
}

static void what_is_not_the_counter_says_why(void **state _unused_)
{
	struct tick t;

	tick_open(&t);
	assert_string_equal(t.name, t.tsc ? "tsc" : "clock_gettime");
	assert_int_equal(t.why[0] == '\0', t.tsc);
}

static void a_tick_lies_between_two_readings_of_the_clock(void **state _unused_)
{
	struct tick t;

	tick_open(&t);
	for (int i = 0; i < 50; i++) {
		int64_t before = clock_now(), at = tick_clock(&t, tick_now(&t)), after = clock_now();
		/* the calibration may be off by a thousandth, and each of its ends by an interruption */
		int64_t slack = (after - t.base_ns) / 1000 + 20 * NS_PER_USEC;

		assert_true(at >= before - slack);
		assert_true(at <= after + slack);
		sleep_ns(NS_PER_MSEC);
	}
	assert_true(tick_drift_ppb(&t) > -1000000 && tick_drift_ppb(&t) < 1000000);
}

static void time_never_goes_back(void **state _unused_)
{
	struct tick t;
	uint64_t last;

	tick_open(&t);
	last = tick_now(&t);
	for (int i = 0; i < 100000; i++) {
		uint64_t now = i % 2 ? tick_now(&t) : tick_now_after_loads(&t);

		assert_true(now >= last);
		last = now;
	}
}

#if TICK_TSC
static void conversion_is_exact_over_days(void **state _unused_)
{
	/* 2.5 ticks a ns: mult is 0.4 x 2^60, rounded down */
	const struct tick t = {.tsc = true, .mult = (UINT64_C(1) << TICK_SHIFT) / 5 * 2, .base = 1000, .base_ns = 7000};

	assert_int_equal(tick_ns(&t, 0), 0);
	assert_int_equal(tick_ns(&t, 1), 0);
	assert_int_equal(tick_ns(&t, 6), 2);
	assert_int_equal(tick_ns(&t, 2501), 1000);
	/* ten days are within a nanosecond */
	assert_in_range(tick_ns(&t, UINT64_C(864000) * 2500000000), UINT64_C(864000000000000) - 1,
			UINT64_C(864000000000000));
	assert_int_equal(tick_clock(&t, 1000 + 26), 7010);
	assert_int_equal(tick_clock(&t, 1000 - 26), 6990);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_of_the_clock_are_nanoseconds),
		cmocka_unit_test(what_is_not_the_counter_says_why),
		cmocka_unit_test(a_tick_lies_between_two_readings_of_the_clock),
		cmocka_unit_test(time_never_goes_back),
#if TICK_TSC
		cmocka_unit_test(conversion_is_exact_over_days),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
