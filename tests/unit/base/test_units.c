/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/rng.h"
#include "base/units.h"

static void size_is(const char *text, unsigned shift, uint64_t want)
{
	const char *why = "";
	uint64_t bytes = 77;

	if (units_bytes(text, strlen(text), shift, &bytes, &why) != 0)
		fail_msg("'%s' was refused: %s", text, why);
	if (bytes != want)
		fail_msg("'%s' is %" PRIu64 ", want %" PRIu64, text, bytes, want);
}

static void size_fails(const char *text, int err, const char *want)
{
	const char *why = "";
	uint64_t bytes = 77;

	if (units_bytes(text, strlen(text), PAGE_SHIFT, &bytes, &why) != err)
		fail_msg("'%s' gave no %s", text, strerror(-err));
	if (!strstr(why, want))
		fail_msg("'%s': \"%s\" does not say \"%s\"", text, why, want);
	assert_int_equal(bytes, 77);
}

static void letters_are_powers_of_two_and_pages(void **state _unused_)
{
	size_is("3b", PAGE_SHIFT, 3);
	size_is("3k", 0, 3072);
	size_is("3m", 0, 3145728);
	size_is("3g", 0, 3221225472);
	size_is("3t", 0, 3298534883328);
	size_is("3p", 0, 12288);
	size_is("3P", 0, 12288);
	size_is("4K", 0, 4096);
	size_is("64M", 0, 67108864);
}

static void a_number_without_letter_takes_the_unit_given(void **state _unused_)
{
	size_is("7", PAGE_SHIFT, 28672);
	size_is("7", 0, 7);
	size_is("7", 20, 7340032);
	size_is("0", 40, 0);
}

static void leading_zeros_are_decimal(void **state _unused_)
{
	size_is("010", 0, 10);
	size_is("0000000000000000000000000000000000000000000000009b", 0, 9);
}

static void the_largest_sizes_are_exact(void **state _unused_)
{
	size_is("9223372036854775807b", 0, INT64_MAX);
	size_is("9223372036854775807", 0, INT64_MAX);
	size_is("2251799813685247p", 0, UINT64_C(9223372036854771712));
	size_is("8388607t", 0, UINT64_C(9223370937343148032));
	size_fails("9223372036854775808b", -ERANGE, "63 bits");
	size_fails("18446744073709551616b", -ERANGE, "63 bits");
	size_fails("18446744073709551617", -ERANGE, "63 bits");
	size_fails("2251799813685248", -ERANGE, "63 bits");
	size_fails("8388608t", -ERANGE, "63 bits");
	size_fails("99999999999999999999999999999999999999", -ERANGE, "63 bits");
}

static void what_is_wrong_is_said(void **state _unused_)
{
	size_fails("", -EINVAL, "missing");
	size_fails("abc", -EINVAL, "not a number");
	size_fails("k", -EINVAL, "not a number");
	size_fails("+", -EINVAL, "not a number");
	size_fails("-5", -EINVAL, "sign");
	size_fails("+5", -EINVAL, "sign");
	size_fails("0x1000", -EINVAL, "hex");
	size_fails("3x", -EINVAL, "unit");
	size_fails("1e6", -EINVAL, "exponent");
	size_fails("1e+06", -EINVAL, "exponent");
	size_fails("1.5m", -EINVAL, "fraction");
	size_fails(".5m", -EINVAL, "fraction");
	size_fails("1_000", -EINVAL, "separator");
	size_fails("1,000", -EINVAL, "separator");
	size_fails("12q", -EINVAL, "unknown unit");
	size_fails("1e", -EINVAL, "unknown unit");
	size_fails("10kk", -EINVAL, "follow the unit");
	size_fails("4k8", -EINVAL, "follow the unit");
	size_fails("7 ", -EINVAL, "not a number");
	size_fails(" 7", -EINVAL, "not a number");
	size_fails("7;8", -EINVAL, "not a number");
}

static void a_nul_is_part_of_the_text(void **state _unused_)
{
	const char *why;
	uint64_t bytes;

	assert_int_equal(units_bytes("1\0002", 3, 0, &bytes, &why), -EINVAL);
	assert_int_equal(units_bytes("12", 1, 0, &bytes, &why), 0);
	assert_int_equal(bytes, 1);
}

static void only_the_signed_reader_takes_a_minus(void **state _unused_)
{
	const char *why;
	int64_t v;

	assert_int_equal(units_bytes_signed("-10", 3, PAGE_SHIFT, &v, &why), 0);
	assert_int_equal(v, -40960);
	assert_int_equal(units_bytes_signed("-9223372036854775807b", 21, 0, &v, &why), 0);
	assert_true(v == -INT64_MAX);
	assert_int_equal(units_bytes_signed("10", 2, 0, &v, &why), 0);
	assert_int_equal(v, 10);
	assert_int_equal(units_bytes_signed("-", 1, 0, &v, &why), -EINVAL);
	assert_int_equal(units_bytes_signed("--1", 3, 0, &v, &why), -EINVAL);
	assert_int_equal(units_bytes_signed("+1", 2, 0, &v, &why), -EINVAL);
	assert_int_equal(units_bytes_signed("", 0, 0, &v, &why), -EINVAL);
}

static void counts_are_digits_only(void **state _unused_)
{
	const char *why;
	uint64_t v;

	assert_int_equal(units_count("010", 3, &v, &why), 0);
	assert_int_equal(v, 10);
	assert_int_equal(units_count("18446744073709551615", 20, &v, &why), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(units_count("18446744073709551616", 20, &v, &why), -ERANGE);
	assert_int_equal(units_count("4k", 2, &v, &why), -EINVAL);
	assert_string_equal(why, "a count has no unit");
	assert_int_equal(units_count("", 0, &v, &why), -EINVAL);
	assert_int_equal(units_count("1.5", 3, &v, &why), -EINVAL);
}

static void time_is(const char *text, int64_t scale, int64_t want)
{
	const char *why = "";
	int64_t ns;

	if (units_time(text, strlen(text), scale, &ns, &why) != 0)
		fail_msg("'%s' was refused: %s", text, why);
	if (ns != want)
		fail_msg("'%s' is %" PRId64 ", want %" PRId64, text, ns, want);
}

static void time_fails(const char *text, int64_t scale, int err)
{
	const char *why = NULL;
	int64_t ns;

	if (units_time(text, strlen(text), scale, &ns, &why) != err || !why)
		fail_msg("'%s' gave no %s", text, strerror(-err));
}

static void times_have_units_and_decimals(void **state _unused_)
{
	time_is("1.5", NS_PER_SEC, 1500000000);
	time_is("0.000000001", NS_PER_SEC, 1);
	time_is("1.5", NS_PER_MSEC, 1500000);
	time_is("1.5ms", NS_PER_SEC, 1500000);
	time_is("2us", NS_PER_SEC, 2000);
	time_is("3ns", NS_PER_SEC, 3);
	time_is("3s", 1, 3000000000);
	time_is("0", NS_PER_SEC, 0);
	time_is("9223372036.854775807", NS_PER_SEC, INT64_MAX);
	time_is("9223372036854775807ns", NS_PER_SEC, INT64_MAX);
}

static void times_are_never_rounded_or_wrapped(void **state _unused_)
{
	time_fails("0.0000000001", NS_PER_SEC, -EINVAL);
	time_fails("0.5ns", NS_PER_SEC, -EINVAL);
	time_fails("1.0001us", NS_PER_SEC, -EINVAL);
	time_fails("9223372036.854775808", NS_PER_SEC, -ERANGE);
	time_fails("9223372037", NS_PER_SEC, -ERANGE);
	time_fails("99999999999999999999", NS_PER_SEC, -ERANGE);
	time_fails("1.99999999999999999999", NS_PER_SEC, -EINVAL);
	time_fails("1.", NS_PER_SEC, -EINVAL);
	time_fails(".5", NS_PER_SEC, -EINVAL);
	time_fails("-1", NS_PER_SEC, -EINVAL);
	time_fails("1h", NS_PER_SEC, -EINVAL);
	time_fails("1 s", NS_PER_SEC, -EINVAL);
	time_fails("1,5", NS_PER_SEC, -EINVAL);
	time_fails("1e3", NS_PER_SEC, -EINVAL);
	time_fails("", NS_PER_SEC, -EINVAL);
	time_fails("s", NS_PER_SEC, -EINVAL);
}

static void fractions_are_the_nearest_double(void **state _unused_)
{
	static const struct {
		const char *text;
		double want;
	} good[] = {{"0.75", 0.75}, {"1.2", 1.2}, {"0.1", 0.1}, {"3", 3}, {"0", 0}, {"1000000000000000", 1e15},
		    {"0.0000000000000000000001", 1e-22}, {"00.50", 0.5}, {"0.123456789012345", 0.123456789012345}};
	static const char *const bad[] = {"", ".", ".5", "1.", "1.2.3", "1e3", "-1", "+1", "nan", "inf", "0x1",
					  "1,5", "1 ", "1000000000000001", "99999999999999999999",
					  "0.00000000000000000000001", "0.12345678901234567890"};
	const char *why;
	double v;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(units_fraction(good[i].text, strlen(good[i].text), &v, &why), 0);
		assert_true(memcmp(&v, &good[i].want, sizeof(v)) == 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (units_fraction(bad[i], strlen(bad[i]), &v, &why) >= 0)
			fail_msg("'%s' was taken", bad[i]);
}

static void print_is(uint64_t bytes, unsigned shift, const char *want)
{
	char buf[UNITS_TEXT + 1];

	buf[units_print(buf, bytes, shift)] = '\0';
	assert_string_equal(buf, want);
}

static void factors_are_exact_billionths(void **state _unused_)
{
	static const struct {
		const char *text;
		uint64_t want;
	} good[] = {
		{"0", 0},
		{"1", 1000000000},
		{"0.5", 500000000},
		{"007.250", 7250000000},
		{"0.000000001", 1},
		{"18446744072.999999999", UINT64_C(18446744072999999999)},
	};
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"", "missing"},          {"1.", "digits must follow"},  {".5", "digits must stand"},
		{"-1", "sign"},           {"1e3", "exponent"},           {"2k", "no unit"},
		{"1.5m", "no unit"},      {"1.5.5", "fraction"},         {"0.0000000001", "nine decimals"},
		{"0.1234567890", "nine"}, {"18446744073", "too large"},  {"half", "not a number"},
	};
	uint64_t v = 7;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const char *why = "";

		if (units_billionths(good[i].text, strlen(good[i].text), &v, &why) != 0)
			fail_msg("'%s' was refused: %s", good[i].text, why);
		assert_true(v == good[i].want);
	}
	v = 7;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *why = "";

		assert_true(units_billionths(bad[i].text, strlen(bad[i].text), &v, &why) < 0);
		if (!strstr(why, bad[i].why))
			fail_msg("'%s': \"%s\" does not say \"%s\"", bad[i].text, why, bad[i].why);
		assert_int_equal(v, 7);
	}
}

static void prints_the_preferred_unit_then_the_largest(void **state _unused_)
{
	print_is(450560, PAGE_SHIFT, "110p");
	print_is(450560, 20, "440k");
	print_is(450560, 0, "450560b");
	print_is(102400, 10, "100k");
	print_is(102400, 30, "100k");
	print_is(UINT64_C(1) << 40, 20, "1048576m");
	print_is(UINT64_C(1) << 40, 10, "1073741824k");
	print_is((UINT64_C(1) << 40) + 4096, 40, "1073741828k");
	print_is(512, PAGE_SHIFT, "512b");
	print_is(0, PAGE_SHIFT, "0p");
	print_is(0, 0, "0b");
	print_is(INT64_MAX, PAGE_SHIFT, "9223372036854775807b");
}

static void digits_are(uint64_t v)
{
	char buf[UNITS_TEXT + 1], want[32];

	buf[units_print_count(buf, v)] = '\0';
	snprintf(want, sizeof(want), "%" PRIu64, v);
	if (strcmp(buf, want) != 0)
		fail_msg("%s was printed as %s", want, buf);
}

static void prints_the_digits_that_printf_prints(void **state _unused_)
{
	struct rng rng;

	for (uint64_t v = 0; v < 100000; v++)
		digits_are(v);
	for (uint64_t p = 1; p <= UINT64_C(1000000000000000000); p *= 10)
		for (uint64_t m = 1; m < 10; m++)
			for (uint64_t d = 0; d < 3; d++)
				digits_are(p * m + d - 1);
	digits_are(UINT64_MAX);
	rng_init(&rng, 1);
	for (int i = 0; i < 100000; i++)
		digits_are(rng_next(&rng) >> rng_below(&rng, 64));
}

static void what_is_printed_reads_back_under_every_unit(void **state _unused_)
{
	static const unsigned shift[] = {0, 10, 12, 20, 30, 40};
	struct rng rng;

	rng_init(&rng, 2);
	for (int i = 0; i < 20000; i++) {
		uint64_t bytes = rng_next(&rng) >> (1 + rng_below(&rng, 63)) & ~UINT64_C(0) << rng_below(&rng, 45);
		char buf[UNITS_TEXT];
		size_t n = units_print(buf, bytes, shift[rng_below(&rng, 6)]);
		const char *why;
		uint64_t back;

		assert_in_range(n, 2, UNITS_TEXT);
		assert_int_equal(units_bytes(buf, n, shift[rng_below(&rng, 6)], &back, &why), 0);
		assert_true(back == bytes);
	}
}

static void letters_and_shifts_are_one_table(void **state _unused_)
{
	assert_int_equal(units_shift('p'), PAGE_SHIFT);
	assert_int_equal(units_shift('T'), 40);
	assert_int_equal(units_shift('q'), -1);
	assert_int_equal(units_shift('\0'), -1);
	assert_int_equal(units_shift('0'), -1);
	assert_int_equal(units_letter(PAGE_SHIFT), 'p');
	assert_int_equal(units_letter(11), '\0');
	for (int c = 1; c < 128; c++)
		if (units_shift((char)c) >= 0)
			assert_int_equal(units_letter((unsigned)units_shift((char)c)), c | 0x20);
}

static void reals_are_what_the_c_library_makes_of_them(void **state _unused_)
{
	static const char *const good[] = {
		"0", "-0", "+1", "007", "12.5", "-0.001", "1e3", "1E-3", "2.5e+2", "18446744073709551615", "0.1",
		"123456789012345678901234567890", "9007199254740993", "1e22", "1.7976931348623157e308", "3.14159265358979",
		"0.000000000000000000000000000001", "0e999",
	};
	static const char *const bad[] = {"", "-", "+", ".", ".5", "5.", "1e", "1e+", "1.e3", "1e5x", "0x10", "nan",
					  "inf", " 1", "1 ", "1,5", "--1", "1.2.3"};
	const char *why;
	double v;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(units_real(good[i], strlen(good[i]), &v, &why), 0);
		if (v != strtod(good[i], NULL))
			fail_msg("%s: %.17g", good[i], v);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (units_real(bad[i], strlen(bad[i]), &v, &why) != -EINVAL)
			fail_msg("%s was taken", bad[i]);
	assert_int_equal(units_real("1e309", 5, &v, &why), -ERANGE);
	assert_int_equal(units_real("-1e999999999999", 15, &v, &why), -ERANGE);
	assert_int_equal(units_real("1e-999999999999", 15, &v, &why), 0);
	assert_true(v == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_are_powers_of_two_and_pages),
		cmocka_unit_test(a_number_without_letter_takes_the_unit_given),
		cmocka_unit_test(leading_zeros_are_decimal),
		cmocka_unit_test(the_largest_sizes_are_exact),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(a_nul_is_part_of_the_text),
		cmocka_unit_test(only_the_signed_reader_takes_a_minus),
		cmocka_unit_test(counts_are_digits_only),
		cmocka_unit_test(times_have_units_and_decimals),
		cmocka_unit_test(times_are_never_rounded_or_wrapped),
		cmocka_unit_test(fractions_are_the_nearest_double),
		cmocka_unit_test(reals_are_what_the_c_library_makes_of_them),
		cmocka_unit_test(factors_are_exact_billionths),
		cmocka_unit_test(prints_the_preferred_unit_then_the_largest),
		cmocka_unit_test(prints_the_digits_that_printf_prints),
		cmocka_unit_test(what_is_printed_reads_back_under_every_unit),
		cmocka_unit_test(letters_and_shifts_are_one_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
