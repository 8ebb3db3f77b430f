/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a chart keeps of many rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/chart.h"

#define SEC INT64_C(1000000000)

static char dir[] = "/tmp/iotrace-chart-XXXXXX";

static int make_dir(void **state _unused_)
{
	FILE *f;

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	f = fopen("vmstat", "w");
	if (!f)
		return -1;
	fputs("nr_dirty 5\npgfault 10\n", f);
	return fclose(f);
}

static int remove_dir(void **state _unused_)
{
	unlink("vmstat");
	return rmdir(dir);
}

static void columns_of(struct columns *c)
{
	const struct sources_params p = {.proc = dir};
	struct fault fault;

	assert_int_equal(columns_init(c, &p, &fault), 0);
	assert_int_equal(columns_add(c, "nr_dirty", COLUMN_RAW, &fault), 0);
	assert_int_equal(columns_add(c, "pgfault", COLUMN_RATE, &fault), 0);
}

/*
 * n rows, a second apart: nr_dirty is the number of the row, pgfault 3 a second; nr_dirty is missing in each row of
 * lack.
 */
static void fill(struct chart *chart, uint64_t n, uint64_t lack)
{
	for (uint64_t i = 1; i <= n; i++) {
		const uint64_t before[] = {i - 1, 3 * (i - 1)}, values[] = {i, 3 * i};
		const bool there[] = {false, false}, missing[] = {lack && i % lack == 0, false};
		const struct sample prev = {.when = (int64_t)(i - 1) * SEC, .values = before, .missing = there};
		const struct sample now = {.when = (int64_t)i * SEC, .values = values, .missing = missing};

		chart_add(chart, 0, &prev, &now);
	}
}

static void few_rows_are_points_as_they_are(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(chart_fini) struct chart chart = {0};

	columns_of(&c);
	assert_int_equal(chart_init(&chart, &c), 0);
	fill(&chart, 10, 5);
	assert_int_equal(chart.points, 10);
	for (size_t i = 0; i < 10; i++) {
		assert_true(chart.time[i] == (double)(i + 1));
		assert_true(chart.value[CHART_POINTS + i] == 3);
		if (i % 5 == 4)
			assert_true(isnan(chart.value[i]));
		else
			assert_true(chart.value[i] == (double)(i + 1));
	}
}

/* Whatever the number of rows: points enough, in order, each the mean of the rows that it stands for. */
static void many_rows_are_means(void **state _unused_)
{
	static const uint64_t rows[] = {CHART_POINTS, CHART_POINTS + 1, 3 * CHART_POINTS, 9 * CHART_POINTS + 5, 100000};
	_cleanup_(columns_fini) struct columns c = {0};

	columns_of(&c);
	for (size_t r = 0; r < ARRAY_SIZE(rows); r++) {
		_cleanup_(chart_fini) struct chart chart = {0};
		double last = 0;

		assert_int_equal(chart_init(&chart, &c), 0);
		fill(&chart, rows[r], 0);
		assert_in_range(chart.points, CHART_POINTS / 2, CHART_POINTS);
		assert_int_equal(chart.points * chart.each + chart.open, rows[r]);
		for (size_t i = 0; i < chart.points; i++) {
			double first = last + 1;

			last = chart.time[i];
			assert_true(last - first + 1 == (double)chart.each);
			assert_true(fabs(chart.value[i] - (first + last) / 2) < 1e-6);
			assert_true(fabs(chart.value[CHART_POINTS + i] - 3) < 1e-9);
		}
	}
}

static void a_point_of_rows_of_which_some_lack_is_the_mean_of_the_others(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(chart_fini) struct chart chart = {0};

	columns_of(&c);
	assert_int_equal(chart_init(&chart, &c), 0);
	fill(&chart, 2 * CHART_POINTS, 2);
	assert_int_equal(chart.each, 2);
	for (size_t i = 0; i < chart.points; i++)
		assert_true(chart.value[i] == chart.time[i] - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_rows_are_points_as_they_are),
		cmocka_unit_test(many_rows_are_means),
		cmocka_unit_test(a_point_of_rows_of_which_some_lack_is_the_mean_of_the_others),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
