/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/row.h"
#include "tests/unit/mon/text.h"

#define SEC INT64_C(1000000000)

static const char text[] = "nr_dirty 5\npgfault 10\na_field_with_a_long_name 7\n";

static void add(struct columns *c, const char *spec)
{
	struct fault fault;

	if (!c->sources.count)
		text_columns(c, "vmstat", text, strlen(text));
	assert_int_equal(columns_add(c, spec, COLUMN_RATE, &fault), 0);
}

/* The row of one column between two values, elapsed ns apart, without its padding. */
static const char *shown(const char *spec, uint64_t before, uint64_t value, int64_t elapsed)
{
	static char out[64];
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(row_fini) struct row r = {0};
	const bool there = false;
	struct sample prev = {.when = SEC, .values = &before, .missing = &there};
	struct sample now = {.when = SEC + elapsed, .values = &value, .missing = &there};
	size_t n;

	add(&c, spec);
	assert_int_equal(row_init(&r, &c, STAMP_NONE), 0);
	n = row_sample(&r, SEC, &prev, &now);
	assert_in_range(n, 18, sizeof(out) - 1);
	assert_int_equal(r.buf[n - 1], '\n');
	memcpy(out, r.buf, n - 1);
	out[n - 1] = '\0';
	return out + strspn(out, " ");
}

static void rates_are_per_second_and_rounded_to_the_nearest(void **state _unused_)
{
	assert_string_equal(shown("pgfault", 1000, 3000, 2 * SEC), "1000");
	assert_string_equal(shown("nr_dirty", 500, 300, 2 * SEC), "-100");
	assert_string_equal(shown("pgfault", 0, 10, SEC / 100), "1000");
	assert_string_equal(shown("pgfault", 0, 1, 3 * SEC), "0");
	assert_string_equal(shown("pgfault", 0, 2, 3 * SEC), "1");
	assert_string_equal(shown("pgfault", 0, 1, 2 * SEC), "1");
	assert_string_equal(shown("nr_dirty", 1, 0, 2 * SEC), "-1");
	assert_string_equal(shown("nr_dirty", 1, 0, 3 * SEC), "0");
	assert_string_equal(shown("pgfault", 7, 7, SEC), "0");
}

static void raw_values_and_differences_are_exact(void **state _unused_)
{
	assert_string_equal(shown("pgfault:raw", 0, UINT64_MAX, SEC), "18446744073709551615");
	assert_string_equal(shown("pgfault:raw", 0, (UINT64_C(1) << 53) + 1, SEC), "9007199254740993");
	assert_string_equal(shown("pgfault:delta", 0, (UINT64_C(1) << 53) + 1, SEC), "9007199254740993");
	assert_string_equal(shown("nr_dirty:delta", 500, 300, 7 * SEC), "-200");
	assert_string_equal(shown("nr_dirty:delta", 0, UINT64_C(1) << 63, SEC), "-9223372036854775808");
	assert_string_equal(shown("pgfault:delta", UINT64_MAX, 0, SEC), "1");
}

static void a_rate_beyond_64_bits_is_not_wrapped(void **state _unused_)
{
	assert_string_equal(shown("pgfault", 0, (UINT64_C(1) << 62) + 1, SEC / 1000), "9223372036854775807");
	assert_string_equal(shown("nr_dirty", (UINT64_C(1) << 62) + 1, 0, SEC / 1000), "-9223372036854775808");
}

static void columns_are_sixteen_wide_and_wider_where_needed(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(row_fini) struct row r = {0};
	const uint64_t one[] = {1, 2, 3}, large[] = {UINT64_MAX, 2, 3};
	const bool missing[3] = {false};
	struct sample a = {.when = SEC, .values = one, .missing = missing};
	struct sample b = {.when = 2 * SEC, .values = large, .missing = missing};
	struct sample d = {.when = 3 * SEC, .values = one, .missing = missing};
	static const char *const lines[] = {
		"         nr_dirty:raw          pgfault a_field_with_a_long_name\n",
		"                    1                0                        0\n",
		" 18446744073709551615                0                        0\n",
	};

	add(&c, "nr_dirty:raw");
	add(&c, "pgfault");
	add(&c, "a_field_with_a_long_name");
	assert_int_equal(row_init(&r, &c, STAMP_NONE), 0);
	assert_int_equal(row_heading(&r), strlen(lines[0]) - 4);
	assert_memory_equal(r.buf, lines[0] + 4, strlen(lines[0]) - 4);
	assert_int_equal(row_sample(&r, SEC, &a, &d), strlen(lines[1]) - 4);
	assert_memory_equal(r.buf, lines[1] + 4, strlen(lines[1]) - 4);
	assert_int_equal(row_sample(&r, SEC, &a, &b), strlen(lines[2]));
	assert_memory_equal(r.buf, lines[2], strlen(lines[2]));
	/* what follows stands under the wide value */
	assert_int_equal(row_sample(&r, SEC, &a, &d), strlen(lines[1]));
	assert_memory_equal(r.buf, lines[1], strlen(lines[1]));
	assert_int_equal(row_heading(&r), strlen(lines[0]));
	assert_memory_equal(r.buf, lines[0], strlen(lines[0]));
}

static void a_field_that_is_not_there_prints_no_number(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(row_fini) struct row r = {0};
	const uint64_t values[] = {5, 5};
	const bool there[] = {false, false}, gone[] = {true, true};
	struct sample a = {.when = SEC, .values = values, .missing = there};
	struct sample b = {.when = 2 * SEC, .values = values, .missing = gone};
	struct sample d = {.when = 3 * SEC, .values = values, .missing = there};

	add(&c, "nr_dirty:raw");
	add(&c, "pgfault");
	assert_int_equal(row_init(&r, &c, STAMP_NONE), 0);
	assert_int_equal(row_sample(&r, SEC, &a, &b), 35);
	assert_memory_equal(r.buf, "                -                -\n", 35);
	/* back again: a value, but no rate yet */
	assert_int_equal(row_sample(&r, SEC, &b, &d), 35);
	assert_memory_equal(r.buf, "                5                -\n", 35);
}

static void elapsed_time_is_the_first_column(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(row_fini) struct row r = {0};
	const uint64_t value = 5;
	const bool there = false;
	struct sample a = {.when = 10 * SEC, .values = &value, .missing = &there};
	struct sample b = {.when = 15 * SEC + 70999999, .values = &value, .missing = &there};

	add(&c, "nr_dirty:raw");
	assert_int_equal(row_init(&r, &c, STAMP_ELAPSED), 0);
	assert_int_equal(row_heading(&r), 30);
	assert_memory_equal(r.buf, "        time     nr_dirty:raw\n", 30);
	assert_int_equal(row_sample(&r, a.when, &a, &b), 30);
	assert_memory_equal(r.buf, "       5.070                5\n", 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_per_second_and_rounded_to_the_nearest),
		cmocka_unit_test(raw_values_and_differences_are_exact),
		cmocka_unit_test(a_rate_beyond_64_bits_is_not_wrapped),
		cmocka_unit_test(columns_are_sixteen_wide_and_wider_where_needed),
		cmocka_unit_test(a_field_that_is_not_there_prints_no_number),
		cmocka_unit_test(elapsed_time_is_the_first_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
