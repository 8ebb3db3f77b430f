/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/stats.h"

static void near(double told, double truth)
{
	if (fabs(told - truth) > 1e-9 * (1 + fabs(truth)))
		fail_msg("%.15g, not %.15g", told, truth);
}

static struct stats of(const double *values, size_t n)
{
	struct stats s = {0};

	for (size_t i = 0; i < n; i++)
		stats_add(&s, values[i]);
	return s;
}

static void mean_and_deviation_are_those_of_the_book(void **state _unused_)
{
	static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct stats s = of(values, ARRAY_SIZE(values));

	near(s.mean, 5);
	near(stats_stddev(&s), sqrt(32.0 / 7));
	/* sqrt(32/7) / sqrt(8) = 2 / sqrt(7) of 5 */
	near(stats_percent(&s), 100 * 2 / sqrt(7) / 5);
}

static void few_values_have_no_deviation(void **state _unused_)
{
	static const double one[] = {42};
	struct stats s = {0};

	near(s.mean, 0);
	near(stats_stddev(&s), 0);
	near(stats_percent(&s), 0);
	s = of(one, 1);
	near(s.mean, 42);
	near(stats_stddev(&s), 0);
	near(stats_percent(&s), 0);
}

static void of_a_mean_of_zero_any_deviation_is_infinite(void **state _unused_)
{
	static const double zeros[] = {0, 0, 0}, around[] = {4, -4}, about[] = {-1, -3};
	struct stats s = of(zeros, 3);

	near(stats_percent(&s), 0);
	s = of(around, 2);
	assert_true(isinf(stats_percent(&s)));
	s = of(about, 2);
	near(stats_percent(&s), 50);
}

static void large_values_keep_small_deviations(void **state _unused_)
{
	static const double values[] = {1e15 + 1, 1e15 + 2, 1e15 + 3};
	struct stats s = of(values, 3);

	near(stats_stddev(&s), 1);
}

static void the_median_is_the_middle(void **state _unused_)
{
	double odd[] = {9, 1, 5}, even[] = {10, 2, 4, 8}, one[] = {7};

	near(stats_median(odd, 3), 5);
	near(stats_median(even, 4), 6);
	near(stats_median(one, 1), 7);
	near(stats_median(one, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean_and_deviation_are_those_of_the_book),
		cmocka_unit_test(few_values_have_no_deviation),
		cmocka_unit_test(of_a_mean_of_zero_any_deviation_is_infinite),
		cmocka_unit_test(large_values_keep_small_deviations),
		cmocka_unit_test(the_median_is_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
