/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/cell.h"

static const char *text(struct cell c)
{
	static char buf[CELL_TEXT];

	size_t n = cell_text(buf, &c);

	assert_int_equal(n, strlen(buf));
	return buf;
}

static const char *real(double x, uint32_t decimals)
{
	return text((struct cell){.kind = CELL_REAL, .real = x, .decimals = decimals});
}

static void integers_are_exact(void **state _unused_)
{
	assert_string_equal(text((struct cell){.kind = CELL_UNSIGNED, .u = UINT64_MAX}), "18446744073709551615");
	assert_string_equal(text((struct cell){.kind = CELL_UNSIGNED, .u = 0}), "0");
	assert_string_equal(text((struct cell){.kind = CELL_SIGNED, .i = INT64_MIN}), "-9223372036854775808");
	assert_string_equal(text((struct cell){.kind = CELL_SIGNED, .i = -1}), "-1");
	assert_string_equal(text((struct cell){.kind = CELL_NONE}), "-");
}

static void reals_are_rounded_to_the_decimals_that_are_asked_for(void **state _unused_)
{
	assert_string_equal(real(0.5, 0), "1");
	assert_string_equal(real(-0.5, 0), "-1");
	assert_string_equal(real(-0.4, 0), "0");
	assert_string_equal(real(-133.3333, 2), "-133.33");
	assert_string_equal(real(0.996, 2), "1.00");
	assert_string_equal(real(7.05, 3), "7.050");
	assert_string_equal(real(0.000000001, 9), "0.000000001");
	assert_string_equal(real(1e300, 2), "9223372036854775807");
	assert_string_equal(real(-1e300, 0), "-9223372036854775808");
	assert_string_equal(real(9e17, 9), "900000000000000000");
}

static void four_significant_digits_are_kept_where_the_size_is_not_known(void **state _unused_)
{
	assert_string_equal(real(20.8, CELL_SIGNIFICANT), "20.80");
	assert_string_equal(real(1.0 / 20.8, CELL_SIGNIFICANT), "0.04808");
	assert_string_equal(real(100, CELL_SIGNIFICANT), "100.0");
	assert_string_equal(real(999.96, CELL_SIGNIFICANT), "1000");
	assert_string_equal(real(123456.7, CELL_SIGNIFICANT), "123457");
	assert_string_equal(real(0, CELL_SIGNIFICANT), "0");
	assert_string_equal(real(-0.5, CELL_SIGNIFICANT), "-0.5000");
}

static void every_kind_is_a_number(void **state _unused_)
{
	assert_true(cell_number(&(struct cell){.kind = CELL_UNSIGNED, .u = 5}) == 5.0);
	assert_true(cell_number(&(struct cell){.kind = CELL_SIGNED, .i = -5}) == -5.0);
	assert_true(cell_number(&(struct cell){.kind = CELL_REAL, .real = 0.25}) == 0.25);
	assert_true(cell_number(&(struct cell){.kind = CELL_NONE}) == 0.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_exact),
		cmocka_unit_test(reals_are_rounded_to_the_decimals_that_are_asked_for),
		cmocka_unit_test(four_significant_digits_are_kept_where_the_size_is_not_known),
		cmocka_unit_test(every_kind_is_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
