/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/report.h"
#include "sample.h"

static const struct engine some_engine = {.name = "pread"};
static const struct target some_target = {.fd = -1, .size = 10 * PAGE_BYTES};

static struct report make_report(void)
{
	return (struct report){
	    .tool = "iotrace",
	    .command = "--load t --play f",
	    .file = "f",
	    .seed = 77,
	    .info = {.target = &some_target, .engine = &some_engine},
	};
}

static char text[8192];

static const char *printed(const struct report *r, const struct play_result *result)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	report_play(f, r, result);
	fclose(f);
	return text;
}

static const char *troubles(const struct report *r, const struct play_result *result)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	report_troubles(f, r, result);
	fclose(f);
	return text;
}

static const char *past_end(const struct report *r, const struct trace *t, uint64_t max_requests)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	text[0] = '\0';
	report_past_end(f, r, t, max_requests);
	fclose(f);
	return text;
}

static void the_first_line_is_that_of_2009(void **state _unused_)
{
	struct report r = make_report();
	/* The figures of the mail of 2009: 100001 seeks of 450560 bytes in 284.198252 s were 151.194384 MB/s. */
	struct play_result result = {
	    .seeks = 100001,
	    .bytes = UINT64_C(100001) * 450560,
	    .elapsed_ns = INT64_C(284198252000),
	    .cache_left = UINT64_MAX,
	};

	r.quiet = true;
	assert_string_equal(printed(&r, &result), "151.194384MB/s 284.198252s 100001x 450560b --load t --play f\n");
}

static void an_empty_play_gives_zeros(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {.cache_left = UINT64_MAX};

	r.quiet = true;
	assert_string_equal(printed(&r, &result), "0.000000MB/s 0.000000s 0x 0b --load t --play f\n");
	result.elapsed_ns = 1;
	assert_string_equal(printed(&r, &result), "0.000000MB/s 0.000000s 0x 0b --load t --play f\n");
}

static void further_lines_are_a_name_and_a_value(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {
	    .requests = 3,
	    .bytes = 12288,
	    .seeks = 1,
	    .elapsed_ns = 1000000000,
	    .minor_faults = 5,
	    .major_faults = 2,
	    .user_ns = 1500000,
	    .system_ns = 2000000000,
	    .cache_left = UINT64_MAX,
	};

	assert_string_equal(printed(&r, &result), "0.011719MB/s 1.000000s 1x 12288b --load t --play f\n"
						  "requests 3\nbytes 12288\n"
						  "minor_faults 5\nmajor_faults 2\n"
						  "user_seconds 0.001500\nsystem_seconds 2.000000\n"
						  "engine pread\nseed 77\n");
	assert_true(report_is_clean(&result));
	assert_string_equal(troubles(&r, &result), "");
}

static void errors_are_told_by_kind_with_the_first_place(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {
	    .requests = 9,
	    .errors = 3,
	    .error_kinds = 2,
	    .error = {{.error = EIO, .count = 2, .first_offset = 8192, .first_length = 4096, .first_request = 4},
		      {.error = ENODATA, .count = 1, .first_offset = 7, .first_length = 1, .first_request = 6}},
	    .cache_left = UINT64_MAX,
	};

	printed(&r, &result);
	assert_non_null(strstr(text, "\nerrors 3\nerror EIO 2 offset 8192 length 4096 request 4\n"
				     "error ENODATA 1 offset 7 length 1 request 6\n"));
	assert_string_equal(troubles(&r, &result),
			    "iotrace: f: Input/output error: 2 of 9 requests, the first at byte 8192\n"
			    "iotrace: f: No data available: 1 of 9 requests, the first at byte 7\n");
	assert_false(report_is_clean(&result));
	result.stopped_by_error = true;
	assert_non_null(strstr(troubles(&r, &result), "--on-error continue"));
}

static void short_and_past_end_are_apart(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {.requests = 2, .short_reads = 1, .short_bytes = 10, .cache_left = UINT64_MAX};

	assert_non_null(strstr(printed(&r, &result), "\nshort_requests 1\nshort_bytes 10\n"));
	assert_null(strstr(text, "past_end"));
	assert_non_null(strstr(troubles(&r, &result), "1 short read, 10 bytes are missing"));
	assert_false(report_is_clean(&result));
	result =
	    (struct play_result){.requests = 2, .past_end_requests = 1, .past_end_bytes = 5, .cache_left = UINT64_MAX};
	assert_non_null(strstr(printed(&r, &result), "\npast_end_requests 1\npast_end_bytes 5\n"));
	assert_null(strstr(text, "short"));
	assert_false(report_is_clean(&result));
}

static void pages_that_stayed_are_told_unless_quiet(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {.requests = 1, .cache_left = 1000};

	assert_string_equal(troubles(&r, &result), "iotrace: f: 1000 pages stayed in the page cache before the play\n");
	assert_true(report_is_clean(&result));
	r.quiet = true;
	assert_string_equal(troubles(&r, &result), "");
	r.quiet = false;
	result.cache_left = 1;
	assert_string_equal(troubles(&r, &result), "");
}

static void a_play_of_nothing_is_told_unless_it_was_cut_short(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {.cache_left = UINT64_MAX};

	assert_string_equal(troubles(&r, &result), "iotrace: the trace is empty, so nothing was played on f\n");
	assert_true(report_is_clean(&result));
	result.hit_limit = true;
	assert_string_equal(troubles(&r, &result), "");
	result = (struct play_result){.cache_left = UINT64_MAX, .stopped_by = 2};
	assert_string_equal(troubles(&r, &result), "");
	result = (struct play_result){.cache_left = UINT64_MAX};
	r.info.requests = 1;
	assert_string_equal(troubles(&r, &result), "");
}

static void a_reach_past_the_end_is_told_in_numbers(void **state _unused_)
{
	struct report r = make_report();
	struct req req[] = {
	    req_make(0, PAGE_BYTES, OP_READ),
	    req_make(9 * PAGE_BYTES, 2 * PAGE_BYTES, OP_READ),
	    req_make(UINT64_C(1) << 40, PAGE_BYTES, OP_READ),
	    req_make(UINT64_C(1) << 50, 0, OP_READ),
	};
	struct trace t = {.count = ARRAY_SIZE(req), .req = req};

	r.info.past_end = true;
	assert_string_equal(
	    past_end(&r, &t, PLAY_UNLIMITED),
	    "iotrace: the trace reaches to byte 1099511631872 (1.0 TiB), f ends at 40960 (40.0 KiB): 2 of 4 "
	    "requests reach past the end and are played up to it\n");
	assert_non_null(
	    strstr(past_end(&r, &t, 2), "to byte 45056 (44.0 KiB), f ends at 40960 (40.0 KiB): 1 of 2 requests"));
	assert_string_equal(past_end(&r, &t, 1), "");
	r.info.past_end = false;
	assert_string_equal(past_end(&r, &t, PLAY_UNLIMITED), "");
}

static void everything_there_is_to_tell_is_told(void **state _unused_)
{
	_cleanup_(sample_fini) struct sample_play s;

	sample_init(&s);
	assert_string_equal(
	    printed(&s.report, &s.result),
	    "0.429688MB/s 1.000000s 5x 90112b --load t --play f\n"
	    "requests 110\nbytes 450560\n"
	    "past_end_requests 4\npast_end_bytes 4096\n"
	    "short_requests 2\nshort_bytes 30\n"
	    "hits 55\nmisses 6\nmiss_bytes 700\nhit_percent 90.16\n"
	    "bad_requests 8\nbad_words 9\n"
	    "errors 3\nerror EIO 2 offset 8192 length 4096 request 4\n"
	    "error ENODATA 1 offset 7 length 1 request 6\n"
	    "minor_faults 11\nmajor_faults 12\nfaults_per_second 23.0\nuser_seconds 0.013000\nsystem_seconds 0.014000\n"
	    "pages_before 1\npages_after 9\nread_bytes 819200\ndevice_read_bytes 901120\n"
	    "engine mmap\nengine_setup populated\nseed 77\n"
	    "cache cold 4096-12288\ncache_set_times 3\ncache_set_seconds 0.001000\ncache_warm_pages 50\n"
	    "cache_missing_pages 2\ncache_left_pages 100\n"
	    "readahead 4096 was 131072 /sys/read_ahead_kb\n"
	    "cgroup /sys/fs/cgroup/g\ncgroup_limit 67108864\ncgroup_used 62914560\ncgroup_peak 67108864\n"
	    "cgroup_at_limit 3\njobs 2\n"
	    "clock clock_gettime (the counter is slow)\nlatency_sampled 55 of 110\n"
	    "ramp_requests 15\nbehind_calls 4\nbehind_bytes 4194304\nbehind_seconds 0.001000\nadded_syncs 2\nmost_in_flight 2\nloops 3\n"
	    "latency_ns read count 100 min 1000 mean 1020 stddev 199 p50 1000 p90 1000 p99 1000 p99.9 3000 "
	    "p99.99 3000 max 3000\n"
	    "latency_ns write count 10 min 2000 mean 2400 stddev 1200 p50 2000 p90 2000 p99 6000 p99.9 6000 "
	    "p99.99 6000 max 6000\n"
	    "hits_by probe: exact at the moment of each call: what readahead has brought by then hits, what it is still "
	    "reading misses\n"
	    "latency_hit_ns count 55 min 1000 mean 1036 stddev 267 p50 1000 p90 1000 p99 3000 p99.9 3000 "
	    "p99.99 3000 max 3000\n"
	    "latency_miss_ns count 10 min 2000 mean 2400 stddev 1200 p50 2000 p90 2000 p99 6000 p99.9 6000 "
	    "p99.99 6000 max 6000\n"
	    "stretch 1.000002\n"
	    "lag_ns count 110 min 80000 mean 81455 stddev 15186 p50 80031 p90 80031 p99 80031 p99.9 240000 "
	    "p99.99 240000 max 240000\n"
	    "late 1\ninversions 2\nuntimed 3\nskipped 4\n"
	    "timing valid: p99 lag 80 us, median gap 1000 us, 3 without a time, 2 earlier than one in front, 4 never issued\n"
	    "log_records 110\nlog_waits 2\nlog_waited_seconds 0.001000\n"
	    "job 0 requests 55 bytes 225280 errors 0 elapsed_seconds 0.500000 cpu 1\n"
	    "job 0 latency_ns read count 55 min 1000 mean 1036 stddev 267 p50 1000 p90 1000 p99 3000 p99.9 3000 "
	    "p99.99 3000 max 3000\n"
	    "job 1 requests 55 bytes 225280 errors 0 elapsed_seconds 0.500000\n"
	    "job 1 latency_ns read count 55 min 1000 mean 1036 stddev 267 p50 1000 p90 1000 p99 3000 p99.9 3000 "
	    "p99.99 3000 max 3000\n");
}

static void what_ended_a_play_early_is_told(void **state _unused_)
{
	struct report r = make_report();
	struct play_result result = {.requests = 2, .hit_limit = true};

	assert_non_null(strstr(printed(&r, &result), "\nended_by limit\n"));
	r.one_of_many = true;
	assert_non_null(strstr(printed(&r, &result), "\nended_by limit\n"));
	result = (struct play_result){.stopped_by_error = true};
	assert_non_null(strstr(printed(&r, &result), "\nended_by error\n"));
	result = (struct play_result){.stopped_by = 15};
	assert_non_null(strstr(printed(&r, &result), "\nended_by signal 15\n"));
	result = (struct play_result){0};
	assert_null(strstr(printed(&r, &result), "ended_by"));
}

static void a_clock_that_went_wrong_is_told(void **state _unused_)
{
	_cleanup_(sample_fini) struct sample_play s;

	sample_init(&s);
	s.result.clock_drift_ppb = -499999;
	assert_null(strstr(printed(&s.report, &s.result), "drift"));
	s.result.clock_drift_ppb = -500000;
	assert_non_null(strstr(printed(&s.report, &s.result), "\nclock_drift_ppm -500\n"));
}

static void a_run_of_many_tells_what_went_wrong_alone(void **state _unused_)
{
	_cleanup_(sample_fini) struct sample_play s;

	sample_init(&s);
	s.report.one_of_many = true;
	s.result.misses = s.result.bad_requests = s.result.errors = s.result.past_end_requests = 0;
	assert_string_equal(printed(&s.report, &s.result),
			    "0.429688MB/s 1.000000s 5x 90112b --load t --play f\n"
			    "short_requests 2\nshort_bytes 30\n"
			    "hits 55\nmisses 0\nmiss_bytes 700\nhit_percent 100.00\n"
			    "timing valid: p99 lag 80 us, median gap 1000 us, 3 without a time, 2 earlier than one in front, 4 never issued\n");
}

static void bad_data_and_waits_for_the_log_are_told_in_words(void **state _unused_)
{
	_cleanup_(sample_fini) struct sample_play s;

	sample_init(&s);
	troubles(&s.report, &s.result);
	assert_non_null(strstr(text, "iotrace: f: 8 reads found other data than their offsets, first at byte 8192 "
				     "(request 7), where there is 4096\n"));
	assert_non_null(strstr(text, "iotrace: log.csv: the log could not be written as fast as it came: 2 waits, "));
	s.report.quiet = true;
	troubles(&s.report, &s.result);
	assert_non_null(strstr(text, "other data"));
	assert_null(strstr(text, "log.csv"));
	s.result.bad_requests = 1;
	troubles(&s.report, &s.result);
	assert_non_null(strstr(text, "iotrace: f: 1 read found other data than its offset, first at byte 8192 "));
	s.result = (struct play_result){.bad_requests = 1};
	assert_false(report_is_clean(&s.result));
	s.result = (struct play_result){.misses = 1};
	assert_true(report_is_clean(&s.result));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_first_line_is_that_of_2009),
	    cmocka_unit_test(an_empty_play_gives_zeros),
	    cmocka_unit_test(further_lines_are_a_name_and_a_value),
	    cmocka_unit_test(errors_are_told_by_kind_with_the_first_place),
	    cmocka_unit_test(short_and_past_end_are_apart),
	    cmocka_unit_test(a_play_of_nothing_is_told_unless_it_was_cut_short),
	    cmocka_unit_test(pages_that_stayed_are_told_unless_quiet),
	    cmocka_unit_test(a_reach_past_the_end_is_told_in_numbers),
	    cmocka_unit_test(everything_there_is_to_tell_is_told),
	    cmocka_unit_test(what_ended_a_play_early_is_told),
	    cmocka_unit_test(a_clock_that_went_wrong_is_told),
	    cmocka_unit_test(a_run_of_many_tells_what_went_wrong_alone),
	    cmocka_unit_test(bad_data_and_waits_for_the_log_are_told_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
