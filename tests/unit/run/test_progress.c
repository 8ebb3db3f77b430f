/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "run/progress.h"

static void expect(double done, uint64_t bytes, int64_t elapsed, const char *want)
{
	char text[PROGRESS_TEXT] = "";
	size_t n = progress_format(text, done, bytes, elapsed);

	assert_string_equal(text, want);
	assert_int_equal(n, strlen(want));
}

static void shows_percent_rate_and_time_left(void **state)
{
	(void)state;
	expect(0.25, 100 << 20, 10 * NS_PER_SEC, " 25.0%  10.0 MB/s  0:00:30 left");
	expect(0.5, 0, 7200 * NS_PER_SEC, " 50.0%  0.0 MB/s  2:00:00 left");
	expect(1, 1 << 20, NS_PER_SEC, "100.0%  1.0 MB/s  0:00:00 left");
}

static void tells_no_time_left_where_nothing_is_done(void **state)
{
	(void)state;
	expect(0, 0, 10 * NS_PER_SEC, "  0.0%  0.0 MB/s");
	expect(0, 0, 0, "  0.0%  0.0 MB/s");
	expect(1e-12, 1, 10 * NS_PER_SEC, "  0.0%  0.0 MB/s");
}

static void never_passes_a_hundred_percent(void **state)
{
	(void)state;
	expect(1.5, 1 << 20, NS_PER_SEC, "100.0%  1.0 MB/s  0:00:00 left");
}

static void fits_its_buffer_with_the_largest_numbers(void **state)
{
	char text[PROGRESS_TEXT];

	(void)state;
	assert_in_range(progress_format(text, 1e-3, UINT64_MAX, 1), 20, PROGRESS_TEXT - 1);
	assert_in_range(progress_format(text, 1, UINT64_MAX, INT64_MAX), 20, PROGRESS_TEXT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_percent_rate_and_time_left),
		cmocka_unit_test(tells_no_time_left_where_nothing_is_done),
		cmocka_unit_test(never_passes_a_hundred_percent),
		cmocka_unit_test(fits_its_buffer_with_the_largest_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
