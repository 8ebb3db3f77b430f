/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/stamp.h"

static void iso(int64_t seconds, int64_t ns, unsigned decimals, const char *wanted)
{
	char text[STAMP_TEXT];
	size_t n = stamp_iso(text, decimals, seconds * NS_PER_SEC + ns);

	assert_int_equal(n, strlen(wanted));
	assert_memory_equal(text, wanted, n);
}

static void dates_are_those_of_the_calendar(void **state _unused_)
{
	iso(0, 0, 3, "1970-01-01T00:00:00.000Z");
	iso(951782399, 999999999, 9, "2000-02-28T23:59:59.999999999Z");
	iso(951782400, 1, 1, "2000-02-29T00:00:00.0Z");
	iso(1709251199, 0, 3, "2024-02-29T23:59:59.000Z");
	iso(4107542400, 0, 3, "2100-03-01T00:00:00.000Z");
	iso(4107542399, 0, 3, "2100-02-28T23:59:59.000Z");
}

/* Each day of 200 years, by the C library. */
static void every_day_is_that_of_gmtime(void **state _unused_)
{
	for (int64_t day = 0; day < 200 * 365; day++) {
		time_t t = (time_t)(day * 24 * 3600 + day % (24 * 3600));
		char wanted[64];
		struct tm tm;

		assert_non_null(gmtime_r(&t, &tm));
		strftime(wanted, sizeof(wanted), "%Y-%m-%dT%H:%M:%S.0Z", &tm);
		iso(t, 0, 1, wanted);
	}
}

static void elapsed(int64_t ns, unsigned decimals, const char *wanted)
{
	char text[STAMP_TEXT];
	size_t n = stamp_text(text, STAMP_ELAPSED, decimals, 7, 7 + ns);

	assert_int_equal(n, strlen(wanted));
	assert_memory_equal(text, wanted, n);
}

static void seconds_are_cut_not_rounded(void **state _unused_)
{
	elapsed(0, 3, "0.000");
	elapsed(1999999999, 3, "1.999");
	elapsed(1999999999, 6, "1.999999");
	elapsed(12345678901234, 9, "12345.678901234");
	elapsed(-1, 3, "0.000");
}

static void the_date_of_now_is_that_of_the_wall(void **state _unused_)
{
	char text[STAMP_TEXT], before[64], after[64];
	time_t t = time(NULL);
	struct tm tm;
	size_t n = stamp_text(text, STAMP_ISO, 1, 0, clock_now());

	strftime(before, sizeof(before), "%Y-%m-%dT%H:%M:%S", gmtime_r(&t, &tm));
	t = time(NULL) + 1;
	strftime(after, sizeof(after), "%Y-%m-%dT%H:%M:%S", gmtime_r(&t, &tm));
	assert_int_equal(n, strlen(before) + 3);
	text[strlen(before)] = '\0';
	assert_true(strcmp(before, text) <= 0 && strcmp(text, after) <= 0);
}

static void the_monotonic_clock_is_in_nanoseconds_and_none_is_nothing(void **state _unused_)
{
	char text[STAMP_TEXT];

	assert_int_equal(stamp_text(text, STAMP_MONO, 3, 5, 1234567890123), 13);
	assert_memory_equal(text, "1234567890123", 13);
	assert_int_equal(stamp_text(text, STAMP_NONE, 3, 5, 6), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dates_are_those_of_the_calendar),
		cmocka_unit_test(every_day_is_that_of_gmtime),
		cmocka_unit_test(seconds_are_cut_not_rounded),
		cmocka_unit_test(the_date_of_now_is_that_of_the_wall),
		cmocka_unit_test(the_monotonic_clock_is_in_nanoseconds_and_none_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
