/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/runs.h"

static char text[8192];

static void add(struct runs *r, int64_t ms, const struct hist *h)
{
	struct play_result result = {
	    .requests = 1000,
	    .bytes = 1000 * 4096,
	    .elapsed_ns = ms * NS_PER_MSEC,
	    .user_ns = 5 * NS_PER_MSEC,
	    .system_ns = ms * NS_PER_MSEC / 2,
	    .major_faults = (uint64_t)ms,
	    .op[OP_READ] = {.requests = 1000, .latency = h},
	};

	assert_int_equal(runs_add(r, &result), 0);
}

static const char *printed(struct runs *r)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	runs_report(r, f);
	fclose(f);
	return text;
}

/* 100, 200, 300 ms: deviation 100, error of the mean 100 / sqrt(3), which is 28.87 % of 200. */
static void each_figure_has_mean_and_deviation(void **state _unused_)
{
	_cleanup_(runs_fini) struct runs r = {0};

	add(&r, 300, NULL);
	add(&r, 100, NULL);
	add(&r, 200, NULL);
	printed(&r);
	assert_memory_equal(text, "runs 3\n", 7);
	assert_non_null(strstr(text, "\nrepeat elapsed_seconds mean 0.200000 stddev 0.100000 percent 28.87 "
				     "median 0.200000 min 0.100000 max 0.300000\n"));
	assert_non_null(strstr(text, "\nrepeat requests_per_second mean 6111.1 "));
	assert_non_null(strstr(text, " median 5000.0 min 3333.3 max 10000.0\n"));
	assert_non_null(strstr(text, "\nrepeat mb_per_second mean "));
	assert_non_null(strstr(text, "\nrepeat user_seconds mean 0.005000 stddev 0.000000 percent 0.00 "));
	assert_non_null(strstr(text, "\nrepeat system_seconds mean 0.100000 "));
	assert_non_null(strstr(text, "\nrepeat minor_faults mean 0.0 stddev 0.0 percent 0.00 "));
	assert_non_null(strstr(text, "\nrepeat major_faults mean 200.0 stddev 100.0 percent 28.87 "));
	assert_null(strstr(text, "latency"));
}

static void latencies_are_those_of_all_runs(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *h = hist_new();
	_cleanup_(runs_fini) struct runs r = {0};

	assert_non_null(h);
	hist_record_many(h, 1000, 3);
	add(&r, 1, h);
	hist_clear(h);
	hist_record(h, 2000);
	add(&r, 1, h);
	printed(&r);
	assert_non_null(strstr(text, "\nrepeat latency_ns read count 4 min 1000 mean 1250 stddev 433 p50 1000 p90 2000 "
				     "p99 2000 p99.9 2000 p99.99 2000 max 2000\n"));
}

static void no_time_at_all_divides_nothing(void **state _unused_)
{
	_cleanup_(runs_fini) struct runs r = {0};

	assert_string_equal(printed(&r), "runs 0\n");
	add(&r, 0, NULL);
	assert_non_null(strstr(printed(&r), "\nrepeat requests_per_second mean 0.0 stddev 0.0 percent 0.00 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_figure_has_mean_and_deviation),
		cmocka_unit_test(latencies_are_those_of_all_runs),
		cmocka_unit_test(no_time_at_all_divides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
