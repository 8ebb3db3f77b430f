/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/column.h"
#include "tests/unit/mon/text.h"

static const char text[] = "nr_dirty 5\nnr_dirty_threshold 100\nworkingset_nodes 3\npgfault 10\nallocstall_dma 1\n"
			   "allocstall_normal 20\nallocstall_normal 9000\nallocstall_movable 300\n";

static void add(struct columns *c, const char *spec, enum column_mode mode)
{
	struct fault fault;

	if (!c->sources.count)
		text_columns(c, "vmstat", text, strlen(text));
	if (columns_add(c, spec, mode, &fault))
		fail_msg("%s: %s", spec, fault.text);
}

static void a_name_is_one_column(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	uint64_t values[2];
	bool missing[2];

	add(&c, "nr_dirty", COLUMN_RATE);
	add(&c, "pgfault", COLUMN_RAW);
	assert_int_equal(c.count, 2);
	assert_string_equal(c.column[0].title, "nr_dirty");
	assert_int_equal(c.column[0].mode, COLUMN_RATE);
	assert_int_equal(c.column[0].class, FIELD_GAUGE);
	assert_int_equal(c.column[1].mode, COLUMN_RAW);
	assert_int_equal(columns_values(&c, values, missing), 0);
	assert_int_equal(values[0], 5);
	assert_int_equal(values[1], 10);
	assert_false(missing[0]);
}

static void auto_shows_gauges_raw_and_counters_as_rates(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};

	add(&c, "nr_dirty", COLUMN_AUTO);
	add(&c, "workingset_nodes", COLUMN_AUTO);
	add(&c, "pgfault", COLUMN_AUTO);
	add(&c, "sum(nr_*)", COLUMN_AUTO);
	add(&c, "sum(*)", COLUMN_AUTO);
	add(&c, "pgfault:auto", COLUMN_RAW);
	assert_int_equal(c.column[0].mode, COLUMN_RAW);
	assert_int_equal(c.column[1].mode, COLUMN_RAW);
	assert_int_equal(c.column[2].mode, COLUMN_RATE);
	assert_int_equal(c.column[3].mode, COLUMN_RAW);
	assert_int_equal(c.column[4].mode, COLUMN_RATE);
	assert_int_equal(c.column[5].mode, COLUMN_RATE);
}

static void a_field_may_have_its_own_mode(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};

	add(&c, "nr_dirty:raw", COLUMN_RATE);
	add(&c, "nr_dirty:delta", COLUMN_RATE);
	add(&c, "nr_dirty:rate", COLUMN_RAW);
	add(&c, "allocstall_[dn]*:raw", COLUMN_RATE);
	add(&c, "sum(allocstall_*):delta", COLUMN_RATE);
	assert_int_equal(c.column[0].mode, COLUMN_RAW);
	assert_string_equal(c.column[0].title, "nr_dirty:raw");
	assert_int_equal(c.column[1].mode, COLUMN_DELTA);
	assert_int_equal(c.column[2].mode, COLUMN_RATE);
	assert_string_equal(c.column[3].title, "allocstall_dma:raw");
	assert_string_equal(c.column[4].title, "allocstall_normal:raw");
	assert_string_equal(c.column[5].title, "sum(allocstall_*):delta");
	assert_int_equal(c.column[5].mode, COLUMN_DELTA);
}

static void a_glob_names_each_match_once_in_the_order_of_the_file(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	uint64_t values[3];
	bool missing[3];

	add(&c, "allocstall_*", COLUMN_RAW);
	assert_int_equal(c.count, 3);
	assert_string_equal(c.column[0].title, "allocstall_dma");
	assert_string_equal(c.column[1].title, "allocstall_normal");
	assert_string_equal(c.column[2].title, "allocstall_movable");
	columns_values(&c, values, missing);
	assert_int_equal(values[0], 1);
	assert_int_equal(values[1], 20);
	assert_int_equal(values[2], 300);
}

static void a_sum_is_one_column_under_its_own_text(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	uint64_t values[2];
	bool missing[2];

	add(&c, "sum(allocstall_*)", COLUMN_RAW);
	add(&c, "sum(pgfault)", COLUMN_RAW);
	assert_int_equal(c.count, 2);
	assert_string_equal(c.column[0].title, "sum(allocstall_*)");
	columns_values(&c, values, missing);
	assert_int_equal(values[0], 321);
	assert_int_equal(values[1], 10);
}

static void a_field_that_goes_away_is_marked_and_comes_back(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};
	static const char later[] = "allocstall_dma 2\nallocstall_movable 301\n";
	uint64_t values[2];
	bool missing[2];

	add(&c, "pgfault", COLUMN_RAW);
	add(&c, "sum(allocstall_*)", COLUMN_RAW);
	text_put(&c, later, strlen(later));
	assert_int_equal(columns_values(&c, values, missing), 2);
	assert_true(missing[0]);
	assert_true(missing[1]);
	assert_int_equal(values[1], 303);
	text_put(&c, text, strlen(text));
	assert_int_equal(columns_values(&c, values, missing), 0);
	assert_false(missing[0]);
	assert_int_equal(values[0], 10);
}

static void refuse(struct columns *c, const char *spec, int error, const char *part)
{
	struct fault fault;

	assert_int_equal(columns_add(c, spec, COLUMN_RAW, &fault), error);
	if (!strstr(fault.text, part))
		fail_msg("'%s' lacks '%s'", fault.text, part);
}

static void what_names_nothing_is_refused_and_adds_nothing(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns c = {0};

	add(&c, "pgfault", COLUMN_RAW);
	refuse(&c, "", -EINVAL, "empty");
	refuse(&c, ":raw", -EINVAL, "empty");
	refuse(&c, "sum()", -EINVAL, "empty");
	refuse(&c, "sum(", -EINVAL, "sum(");
	refuse(&c, "sum(pg*", -EINVAL, "sum(");
	refuse(&c, "pgfault:", -EINVAL, "raw, rate, delta");
	refuse(&c, "pgfault:rawer", -EINVAL, "raw, rate, delta");
	refuse(&c, "nr_dirty 5\nnr_dirty_threshold", -EINVAL, "blank");
	refuse(&c, "nr_dirt", -EINVAL, "nearest: nr_dirty");
	refuse(&c, "nr_", -EINVAL, "no field 'nr_'");
	refuse(&c, "zswap*", -EINVAL, "'zswap*'");
	refuse(&c, "sum(zswap*)", -EINVAL, "'zswap*'");
	refuse(&c, "nr_bounce", -EINVAL, "gone since Linux 6.16");
	assert_int_equal(c.count, 1);
	assert_int_equal(c.operand_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_one_column),
		cmocka_unit_test(auto_shows_gauges_raw_and_counters_as_rates),
		cmocka_unit_test(a_field_may_have_its_own_mode),
		cmocka_unit_test(a_glob_names_each_match_once_in_the_order_of_the_file),
		cmocka_unit_test(a_sum_is_one_column_under_its_own_text),
		cmocka_unit_test(a_field_that_goes_away_is_marked_and_comes_back),
		cmocka_unit_test(what_names_nothing_is_refused_and_adds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
