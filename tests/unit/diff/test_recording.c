/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "base/macro.h"
#include "figures.h"

static void a_counter_has_the_rate_of_all_its_time(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};
	const struct figure *f;

	/* rows weigh by their time: 10 in a second, 90 in nine, 200 in one */
	parse(&r, "time,pgfault,nr_dirty\n0,100,4\n1,110,5\n10,200,6\n11,400,9\n");
	f = figure(&r, "", "pgfault", FIGURE_RATE);
	assert_int_equal(f->runs, 1);
	near(f->run[0], 300.0 / 11);
	near(f->rows.mean, (10.0 + 10 + 200) / 3);
	near(f->events, 300);
	f = figure(&r, "", "nr_dirty", FIGURE_LEVEL);
	near(f->run[0], 6);
	near(f->events, -1);
	assert_string_equal(r.form, "csv");
	assert_int_equal(r.rows, 4);
}

static void rates_weigh_by_their_time_too(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};
	const struct figure *f;

	/* one row came late, and the next soon after it: none in 1.9 s, 290 in 0.1 s */
	parse(&r, "time,pgfault:rate\n1,100\n2,100\n3.9,0\n4,2900\n5,100\n6,100\n");
	f = figure(&r, "", "pgfault", FIGURE_RATE);
	near(f->run[0], (100 + 100 + 290 + 100 + 100) / 6.0);
	near(f->rows.mean, (100 + 100 + 2900 + 100 + 100) / 6.0);
	near(f->events, 690);
	assert_int_equal(f->parts, 3);
	near(f->part[1], 290 / 2.0);
}

static void a_counter_that_goes_back_began_anew(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,pgfault\n0,100\n1,110\n2,5\n3,15\n");
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 10);
}

static void what_is_missing_is_left_out(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,pgfault,nr_dirty\n0,1,\n1,,-\n2,5,null\n3,9,8\n");
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 4);
	near(figure(&r, "", "nr_dirty", FIGURE_LEVEL)->run[0], 8);
}

static void titles_say_what_they_are(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,pgfault:rate,pgfree:delta,nr_dirty:rate,nr_mapped:raw,sum(pgscan*),sum(nr_x*)\n"
		  "0,5,1,-3,7,0,3\n1,7,2,-5,9,40,5\n");
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 6);
	near(figure(&r, "", "pgfree", FIGURE_DELTA)->run[0], 1.5);
	near(figure(&r, "", "nr_dirty", FIGURE_RATE)->run[0], -4);
	near(figure(&r, "", "nr_mapped", FIGURE_LEVEL)->run[0], 8);
	near(figure(&r, "", "sum(pgscan*)", FIGURE_RATE)->run[0], 40);
	near(figure(&r, "", "sum(nr_x*)", FIGURE_LEVEL)->run[0], 4);
}

static void a_column_of_fractions_is_no_counter(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,efficiency\n0,0.5\n1,0.75\n");
	near(figure(&r, "", "efficiency", FIGURE_LEVEL)->run[0], 0.625);
}

static void titles_of_other_sources_have_their_class(void **state _unused_)
{
	static const struct {
		const char *title;
		bool counter;
	} known[] = {
		{"node:0:pgsteal_kswapd", true}, {"node:0:nr_dirty", false},	     {"meminfo:Dirty", false},
		{"pressure:io:some:total", true}, {"pressure:io:some:avg10", false}, {"disk:sda:reads", true},
		{"read_amplification", false},	 {"replay:bytes", true},	     {"vmstat:pgfault", true},
		{"sum(node:*:pgsteal_*)", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		_cleanup_(recording_fini) struct recording r = {0};
		char text[128];

		snprintf(text, sizeof(text), "time,%s\n0,10\n1,20\n", known[i].title);
		parse(&r, text);
		if (!recording_find(&r, "", known[i].title, known[i].counter ? FIGURE_RATE : FIGURE_LEVEL))
			fail_msg("%s", known[i].title);
	}
}

static void formulas_in_a_text_are_levels_beside_rates(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "pgfault ratio\n50 0.75\n20 0.25\n");
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 35);
	near(figure(&r, "", "ratio", FIGURE_LEVEL)->run[0], 0.5);
}

static void phases_are_figures_of_their_own_beside_the_whole(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,phase,nr_dirty,pgfault\n0,begin,1,0\n1,begin,3,10\n2,end,10,40\n3,end,20,70\n");
	near(figure(&r, "begin", "nr_dirty", FIGURE_LEVEL)->run[0], 2);
	near(figure(&r, "end", "nr_dirty", FIGURE_LEVEL)->run[0], 15);
	near(figure(&r, "end", "pgfault", FIGURE_RATE)->run[0], 30);
	near(figure(&r, "", "nr_dirty", FIGURE_LEVEL)->run[0], 8.5);
}

static void runs_begin_with_a_heading_a_number_or_a_time_that_goes_back(void **state _unused_)
{
	static const char *const text[] = {
		"time,nr_dirty\n5,1\n6,1\ntime,nr_dirty\n7,3\n8,3\n",
		"time,run,nr_dirty\n5,1,1\n6,1,1\n7,2,3\n8,2,3\n",
		"time,nr_dirty\n5,1\n6,1\n0,3\n1,3\n",
		"   time nr_dirty\n 5 1\n 6 1\n 0 3\n 1 3\n",
		"{\"vmmon\":\"1\"}\n{\"mono_ns\":5,\"run\":1,\"values\":{\"nr_dirty\":1}}\n"
		"{\"mono_ns\":6,\"run\":1,\"values\":{\"nr_dirty\":1}}{\"mono_ns\":7,\"run\":2,\"values\":{\"nr_dirty\":3}}\n"
		"{\"mono_ns\":8,\"run\":2,\"values\":{\"nr_dirty\":3}}\n",
		"time: 5\nnr_dirty 1\ntime: 6\nnr_dirty 1\ntime: 0\nnr_dirty 3\ntime: 1\nnr_dirty 3\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		_cleanup_(recording_fini) struct recording r = {0};
		const struct figure *f;

		parse(&r, text[i]);
		assert_int_equal(r.runs, 2);
		assert_int_equal(r.rows, 4);
		f = figure(&r, "", "nr_dirty", FIGURE_LEVEL);
		assert_int_equal(f->runs, 2);
		near(f->run[0], 1);
		near(f->run[1], 3);
	}
}

static void files_of_one_side_are_runs(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,nr_dirty\n5,1\n");
	parse(&r, "time: 5\nnr_dirty 9\n");
	assert_int_equal(r.runs, 2);
	near(figure(&r, "", "nr_dirty", FIGURE_LEVEL)->run[1], 9);
}

/*
 * What its users pasted into mails: every 24 rows an empty line and the heading, a command line above, a mark within.
 */
static void the_layout_of_2009_is_read(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};
	const struct figure *f;

	parse(&r, "$ vmmon nr_mapped pgfault\n\n        nr_mapped          pgfault\n             5000              100\n"
		  "             5010              300\n\n        nr_mapped          pgfault\n             5020              300\n"
		  "==== after the copy ====\n             7000             1300\n");
	assert_string_equal(r.form, "text");
	assert_int_equal(r.rows, 4);
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 400);
	near(figure(&r, "", "nr_mapped", FIGURE_LEVEL)->run[0], 22030 / 4.0);
	f = figure(&r, "after the copy", "pgfault", FIGURE_RATE);
	near(f->run[0], 1000);
	assert_string_equal(r.fact[0].name, "rows");
	assert_string_equal(r.fact[0].text, "values");
}

static void numbers_that_fall_or_are_negative_are_differences(void **state _unused_)
{
	static const char *const text[] = {
		"pgfault nr_dirty\n50 3\n20 3\n",
		"pgfault nr_dirty\n50 -3\n60 9\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		_cleanup_(recording_fini) struct recording r = {0};

		parse(&r, text[i]);
		near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], i ? 55 : 35);
		near(figure(&r, "", "nr_dirty", FIGURE_LEVEL)->run[0], 3);
		assert_string_equal(r.fact[0].text, "differences per second");
	}
}

static void the_summary_of_vmmon_is_no_row(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "pgfault nr_dirty\n1 2\n3 4\n\n"
		  "1.000 s begin end difference per second\npgfault 1 3 2 2.00\nnr_dirty 2 4 2 2.00\n\n"
		  "rows 2, ticks missed 0, latest by 0.100 ms\n"
		  "pgfault nr_dirty\n11 2\n31 4\n");
	assert_int_equal(r.runs, 2);
	assert_int_equal(r.rows, 4);
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 2);
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[1], 20);
}

static void a_run_is_cut_into_stretches_of_its_rows(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};
	char text[1024] = "nr_dirty\n", *at = text + strlen(text);
	const struct figure *f;

	for (int i = 0; i < 40; i++)
		at += sprintf(at, "%d\n", i);
	parse(&r, text);
	f = figure(&r, "", "nr_dirty", FIGURE_LEVEL);
	assert_int_equal(f->parts, RECORDING_PARTS);
	for (size_t i = 0; i < f->parts; i++)
		near(f->part[i], 1.5 + 4 * (double)i);
	near(f->rows.mean, 19.5);
	/* too few rows: none */
	parse(&r, "nr_dirty\n1\n2\n3\n4\n5\n");
	assert_int_equal(f->parts, RECORDING_PARTS);
}

static void dates_are_times(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,pgfault\n2026-11-30T23:59:59.5Z,0\n2026-12-01 00:00:00.500000,10\n2026-12-01T01:00:02.5+01:00,50\n");
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 50.0 / 3);
	near(figure(&r, "", "pgfault", FIGURE_RATE)->rows.mean, 15);
}

static void large_times_are_nanoseconds(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,pgfault\n86400000000000,0\n86400500000000,10\n");
	near(figure(&r, "", "pgfault", FIGURE_RATE)->run[0], 20);
}

static void phases_have_a_length_and_their_counters_totals(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};
	const struct figure *f;

	/* a phase goes from the last row before it; a rate has no total, nor has what is in no phase */
	parse(&r, "time,phase,pgfault,pgfree:delta,pgalloc:rate,nr_dirty\n"
		  "0,,100,1,9,4\n1,a,110,2,9,5\n3,a,150,3,9,6\n4,b,151,4,9,7\n5,a,158,5,9,8\n");
	f = figure(&r, "a", "pgfault", FIGURE_TOTAL);
	near(f->run[0], 57);
	near(f->events, 57);
	near(figure(&r, "a", "pgfree", FIGURE_TOTAL)->run[0], 10);
	near(figure(&r, "a", "elapsed", FIGURE_LENGTH)->run[0], 4);
	near(figure(&r, "b", "pgfault", FIGURE_TOTAL)->run[0], 1);
	near(figure(&r, "b", "elapsed", FIGURE_LENGTH)->run[0], 1);
	assert_null(recording_find(&r, "a", "pgalloc", FIGURE_TOTAL));
	assert_null(recording_find(&r, "a", "nr_dirty", FIGURE_TOTAL));
	assert_null(recording_find(&r, "", "pgfault", FIGURE_TOTAL));
	assert_null(recording_find(&r, "", "elapsed", FIGURE_LENGTH));
}

static void a_run_of_one_row_tells_nothing_of_counters(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time,run,phase,pgfault,nr_dirty\n0,1,p,1,2\n1,1,p,3,4\n0,2,p,5,6\n0,3,p,7,8\n");
	assert_int_equal(r.runs, 3);
	assert_int_equal(r.mute, 2);
	assert_int_equal(r.mute_run, 2);
	assert_string_equal(r.mute_phase, "");
	assert_int_equal(figure(&r, "", "pgfault", FIGURE_RATE)->runs, 1);
	assert_int_equal(figure(&r, "", "nr_dirty", FIGURE_LEVEL)->runs, 3);
	/* the next file, and the phase in which a run begins; differences need no second row */
	parse(&r, "time,phase,pgfault,pgfree:delta\n0,begin,1,5\n1,end,3,5\n2,end,9,5\n");
	assert_int_equal(r.mute, 1);
	assert_int_equal(r.mute_run, 1);
	assert_string_equal(r.mute_phase, "begin");
	parse(&r, "time,pgfault:delta,nr_dirty\n0,1,5\n");
	assert_int_equal(r.mute, 0);
	parse(&r, "time,pgfault\n0,1\n1,1\n");
	assert_int_equal(r.mute, 0);
}

static void a_line_of_words_under_a_heading_is_a_mark_or_a_table(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "time a b\n1 2 3\nrun 4 of\n2 2 3\n--- 5th phase 6 ---\n3 2 3\ndone\n4 2 3\n"
		  "\nplay 1 a b\nbegin 100 200\nscan2 300 400\nend 300 400\n"
		  "\nbegin to scan2, 1.000 s 200 200\nper second 200.00 200.00\n");
	assert_int_equal(r.rows, 4);
	figure(&r, "run 4 of", "a", FIGURE_RATE);
	figure(&r, "5th phase 6", "a", FIGURE_RATE);
	figure(&r, "done", "a", FIGURE_RATE);
}

static void what_is_wrong_is_told_with_its_line(void **state _unused_)
{
	static const struct {
		const char *text, *what;
		uint64_t line;
	} bad[] = {
		{"", "is empty", 0},
		{"\n\n", "is empty", 0},
		{"1 2\n", "numbers without a heading above them", 1},
		{"\na b\n1 2\n1 2 3\n", "a row of 3 under 2 titles", 4},
		{"time a\n- 2\n", "no time in the first column", 2},
		{"time a\n1 2\n2x 3\n", "'2x' is no time", 3},
		{"time a b\n1 2 3\n\nx2.5 3 4\n5 6 7\n", "'x2.5' is no time", 4},
		{"time a b\n1 2 3\n2 3o 4\n5 6 7\n", "'3o' is no number", 3},
		{"a b\n1 2\n3% 4\n", "'3%' is no number", 3},
		{"time a b\n1x 2 3\n2 3 4\n", "'2' among the titles of rows", 2},
		{"time,a\n1,2,3\n", "a row of 3 under 2 titles", 2},
		{"time,a\n1,\"2\n", "a quoted cell that does not end before a comma", 2},
		{"time,phase\n1,x\n", "no field among the titles", 1},
		{"time,a\nx,1\n", "no time in the column of times", 2},
		{"time,a\n", "has no rows", 0},
		{"time,a\n1,2e99\n", "'2e99' is no number", 2},
		{"time: 1\ntime: 1-1\n", "'1-1' is no time", 2},
		{"\n{\"vmmon\":1}\n{\"a\":1}\n", "neither a row with \"values\" nor a \"summary\"", 3},
		{"{\"vmmon\":1}\n{\"values\":{\"a\":\"b\"}}\n", "a value that is no number", 2},
		{"{\"vmmon\":1}\n{\"values\":{\"a\":1e99}}\n", "a number over 10^30", 2},
		{"{\"vmmon\":1}\n", "has no rows", 0},
		{"{\"vmmon\":1}\n{\"values\":{\"a\":\n\ntru}}\n", "JSON: invalid token near 'tru'", 4},
		{"{\"vmmon\":1}\n{\"values\":{\"a\":1e999}}\n", "JSON: real number overflow near '1e999'", 2},
		{"{\"vmmon\":1}\n{\"values\":{\"a\":NaN}}\n", "JSON: invalid token near 'NaN'", 2},
		{"{\"vmmon\":1}\n{\"values\":{\"a\":1,\"a\":2}}\n", "JSON: duplicate object key near '\"a\"'", 2},
		{"{\"vmmon\":1}\n\n{\"values\":{\"a\":1}\n", "JSON: '}' expected near end of file", 4},
		{"{\"vmmon\":1}\n{\"values\":{}}x", "JSON: '[' or '{' expected near 'x'", 2},
		{"{\"vmmon\":1}\n[1]\n", "is JSON, but neither rows of vmmon nor reports of iotrace", 2},
		{"{\"elapsed_ns\":1}\n", "a report without \"elapsed_ns\", \"requests\" or \"bytes\"", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_(recording_fini) struct recording r = {0};
		struct fault fault = {0};

		assert_int_equal(recording_parse(&r, bad[i].text, strlen(bad[i].text), &fault), -EINVAL);
		assert_string_equal(fault.text, bad[i].what);
		assert_int_equal(fault.line, bad[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_has_the_rate_of_all_its_time),
		cmocka_unit_test(rates_weigh_by_their_time_too),
		cmocka_unit_test(a_counter_that_goes_back_began_anew),
		cmocka_unit_test(what_is_missing_is_left_out),
		cmocka_unit_test(titles_say_what_they_are),
		cmocka_unit_test(a_column_of_fractions_is_no_counter),
		cmocka_unit_test(titles_of_other_sources_have_their_class),
		cmocka_unit_test(formulas_in_a_text_are_levels_beside_rates),
		cmocka_unit_test(phases_are_figures_of_their_own_beside_the_whole),
		cmocka_unit_test(runs_begin_with_a_heading_a_number_or_a_time_that_goes_back),
		cmocka_unit_test(files_of_one_side_are_runs),
		cmocka_unit_test(the_layout_of_2009_is_read),
		cmocka_unit_test(numbers_that_fall_or_are_negative_are_differences),
		cmocka_unit_test(the_summary_of_vmmon_is_no_row),
		cmocka_unit_test(a_run_is_cut_into_stretches_of_its_rows),
		cmocka_unit_test(dates_are_times),
		cmocka_unit_test(large_times_are_nanoseconds),
		cmocka_unit_test(phases_have_a_length_and_their_counters_totals),
		cmocka_unit_test(a_run_of_one_row_tells_nothing_of_counters),
		cmocka_unit_test(a_line_of_words_under_a_heading_is_a_mark_or_a_table),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
