/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/table.h"
#include "tests/unit/mon/text.h"

#define SEC INT64_C(1000000000)

static const char text[] = "nr_dirty 5\npgfault 10\nbig 7\n";

static void add(struct columns *c, const char *spec)
{
	struct fault fault;

	if (!c->sources.count)
		text_columns(c, "vmstat", text, strlen(text));
	assert_int_equal(columns_add(c, spec, COLUMN_RATE, &fault), 0);
}

/* What table_print() prints of three columns between two readings. */
static char *printed(const char *name, int64_t elapsed, const uint64_t *first, const bool *first_missing,
		     const uint64_t *last, const bool *last_missing)
{
	_cleanup_(columns_fini) struct columns c = {0};
	const struct mark end = {
		.label = "end", .run = 1, .sample = {.when = SEC + elapsed, .values = last, .missing = last_missing}};
	const struct mark begin = {
		.label = "begin",
		.phase = "begin",
		.run = 1,
		.sample = {.when = SEC, .values = first, .missing = first_missing},
		.next = &end};
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	add(&c, "nr_dirty");
	add(&c, "pgfault:raw");
	add(&c, "big");
	assert_non_null(f);
	assert_null(table_print(f, name, &c, &begin));
	assert_int_equal(fclose(f), 0);
	return out;
}

static void a_line_has_begin_end_difference_and_rate(void **state _unused_)
{
	const uint64_t first[] = {500, 1000, 0}, last[] = {300, 1001, UINT64_MAX};
	const bool there[3] = {false};
	_cleanup_free_ char *out = printed(NULL, 3 * SEC / 2, first, there, last, there);

	assert_string_equal(out, "\n"
				 "1.500 s                begin              end       difference       per second\n"
				 "nr_dirty                 500              300             -200                -\n"
				 "pgfault:raw             1000             1001                1             0.67\n"
				 "big                        0 18446744073709551615               -1            -0.67\n");
}

static void a_gauge_has_a_rate_only_when_it_is_asked_for(void **state _unused_)
{
	static const uint64_t first[] = {500, 500, 4, 7}, last[] = {300, 300, 6, 7};
	static const bool there[4] = {false};
	_cleanup_(columns_fini) struct columns c = {0};
	const struct mark end = {.label = "end", .run = 1, .sample = {.when = 2 * SEC, .values = last, .missing = there}};
	const struct mark begin = {.label = "begin", .phase = "begin", .run = 1, .next = &end,
				   .sample = {.when = SEC, .values = first, .missing = there}};
	_cleanup_free_ char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	assert_non_null(f);
	add(&c, "nr_dirty");
	add(&c, "nr_dirty:rate");
	add(&c, "sum(pgfault)");
	add(&c, "sum(nr_*)");
	assert_null(table_print(f, NULL, &c, &begin));
	assert_int_equal(fclose(f), 0);
	assert_string_equal(out, "\n"
				 "1.000 s                  begin              end       difference       per second\n"
				 "nr_dirty                   500              300             -200                -\n"
				 "nr_dirty:rate              500              300             -200          -200.00\n"
				 "sum(pgfault)                 4                6                2             2.00\n"
				 "sum(nr_*)                    7                7                0                -\n");
}

static void what_was_not_there_has_no_difference(void **state _unused_)
{
	const uint64_t values[] = {1, 2, 3};
	const bool first[] = {true, false, true}, last[] = {false, true, true};
	_cleanup_free_ char *out = printed("play 2", SEC, values, first, values, last);

	assert_string_equal(out, "\n"
				 "play 2, 1.000 s            begin              end       difference       per second\n"
				 "nr_dirty                       -                1                -                -\n"
				 "pgfault:raw                    2                -                -                -\n"
				 "big                            -                -                -                -\n");
}

static void no_time_has_no_rate(void **state _unused_)
{
	const uint64_t values[] = {1, 2, 3};
	const bool there[3] = {false};
	_cleanup_free_ char *out = printed(NULL, 0, values, there, values, there);

	assert_non_null(strstr(out, "\npgfault:raw                2                2                0                -\n"));
}

/* Two runs, each from begin by a mark "scan" to the end: fields of the marks one after the other. */
static char *two_runs(const uint64_t (*values)[1], bool repeat)
{
	_cleanup_(columns_fini) struct columns c = {0};
	static const bool there[1] = {false};
	static const char *const label[] = {"begin", "scan", "end"};
	struct mark mark[6];
	const struct mark *next;
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	assert_non_null(f);
	add(&c, "pgfault");
	for (unsigned i = 0; i < 6; i++) {
		mark[i] = (struct mark){
			.run = 1 + i / 3,
			.sample = {.when = i * SEC, .values = values[i], .missing = there},
			.next = i < 5 ? &mark[i + 1] : NULL};
		strcpy(mark[i].label, label[i % 3]);
		strcpy(mark[i].phase, i % 3 < 2 ? label[i % 3] : "");
	}
	if (repeat) {
		table_repeat(f, &c, mark);
	} else {
		next = table_print(f, "run 1", &c, mark);
		assert_ptr_equal(next, &mark[3]);
		assert_null(table_print(f, NULL, &c, next));
	}
	assert_int_equal(fclose(f), 0);
	return out;
}

static void several_phases_have_a_line_a_mark_and_their_differences_below(void **state _unused_)
{
	static const uint64_t values[6][1] = {{100}, {400}, {300}, {1}, {2}, {3}};
	_cleanup_free_ char *out = two_runs(values, false);

	assert_string_equal(out, "\n"
				 "run 1                           pgfault\n"
				 "begin                               100\n"
				 "scan                                400\n"
				 "end                                 300\n"
				 "\n"
				 "begin to scan, 1.000 s              300\n"
				 "per second                       300.00\n"
				 "\n"
				 "scan to end, 1.000 s               -100\n"
				 "per second                      -100.00\n"
				 "\n"
				 "                                pgfault\n"
				 "begin                                 1\n"
				 "scan                                  2\n"
				 "end                                   3\n"
				 "\n"
				 "begin to scan, 1.000 s                1\n"
				 "per second                         1.00\n"
				 "\n"
				 "scan to end, 1.000 s                  1\n"
				 "per second                         1.00\n");
}

/* Differences of 8 and 12: mean 10, deviation the root of 8, which is 20 percent of the mean over the root of 2. */
static void runs_are_summed_up_by_phase_as_perf_does(void **state _unused_)
{
	static const uint64_t values[6][1] = {{0}, {8}, {8}, {100}, {112}, {112}};
	_cleanup_free_ char *out = two_runs(values, true);

	assert_string_equal(
		out,
		"\n"
		"2 runs, begin       difference           stddev       +-       per second           stddev       +-\n"
		"seconds               1.000000         0.000000    0.00%\n"
		"pgfault                  10.00             2.83   20.00%            10.00             2.83   20.00%\n"
		"\n"
		"2 runs, scan       difference           stddev       +-       per second           stddev       +-\n"
		"seconds              1.000000         0.000000    0.00%\n"
		"pgfault                  0.00             0.00    0.00%             0.00             0.00    0.00%\n");
}

static char *ticks(const struct sampler_stats *stats)
{
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	assert_non_null(f);
	table_ticks(f, stats);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void ticks_are_told_and_troubles_only_when_there_were_any(void **state _unused_)
{
	const struct sampler_stats fine = {.ticks = 10, .late_max_ns = 123456};
	const struct sampler_stats bad = {.ticks = 10, .missed = 3, .late_max_ns = 2 * SEC, .torn = 11, .missing = 4};
	_cleanup_free_ char *one = ticks(&fine), *two = ticks(&bad);

	assert_string_equal(one, "\nrows 10, ticks missed 0, latest by 0.123 ms\n");
	assert_string_equal(two, "\nrows 10, ticks missed 3, latest by 2000.000 ms\n"
				 "readings in more than one part 11\n"
				 "readings without a field 4\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_begin_end_difference_and_rate),
		cmocka_unit_test(a_gauge_has_a_rate_only_when_it_is_asked_for),
		cmocka_unit_test(what_was_not_there_has_no_difference),
		cmocka_unit_test(no_time_has_no_rate),
		cmocka_unit_test(several_phases_have_a_line_a_mark_and_their_differences_below),
		cmocka_unit_test(runs_are_summed_up_by_phase_as_perf_does),
		cmocka_unit_test(ticks_are_told_and_troubles_only_when_there_were_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
