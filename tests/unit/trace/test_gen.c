/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/gen.h"

#include "patterns.h"

#define PAGE PAGE_BYTES

static void defaults_are_ten_mebibytes_page_by_page(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct gen_params p = defaults();

	generate(&t, &p);
	assert_int_equal(t.count, 2560);
	for (size_t i = 0; i < t.count; i++) {
		assert_int_equal(req_offset(t.req[i]), i * PAGE);
		assert_int_equal(req_length(t.req[i]), PAGE);
		assert_int_equal(req_op(t.req[i]), OP_READ);
	}
}

/* for i in `seq 0 100 10000000`; do echo $i 110; done */
static void hot_10_is_the_loop_of_the_shell(void **state _unused_)
{
	for (int with_stride = 0; with_stride < 2; with_stride++) {
		_cleanup_(trace_fini) struct trace t = {0};
		struct gen_params p = defaults();

		p.end = 10000110 * PAGE;
		p.size_min = p.size_max = 110 * PAGE;
		if (with_stride)
			p.stride = 100 * PAGE;
		else
			p.skip_min = p.skip_max = -10 * (int64_t)PAGE;
		generate(&t, &p);
		assert_int_equal(t.count, 100001);
		for (size_t i = 0; i < t.count; i++) {
			assert_int_equal(req_offset(t.req[i]), i * 100 * PAGE);
			assert_int_equal(req_length(t.req[i]), 110 * PAGE);
		}
	}
}

static void walks_up(void **state _unused_)
{
	struct gen_params p = defaults();

	p.begin = 3;
	p.end = 30;
	p.size_min = p.size_max = 5;
	p.op = OP_WRITE;
	assert_requests(&p, (struct pair[]){{3, 5}, {8, 5}, {13, 5}, {18, 5}, {23, 5}}, 5);
	p.skip_min = p.skip_max = 4;
	assert_requests(&p, (struct pair[]){{3, 5}, {12, 5}, {21, 5}}, 3);
	p.skip_min = p.skip_max = -4;
	p.max_requests = 3;
	assert_requests(&p, (struct pair[]){{3, 5}, {4, 5}, {5, 5}}, 3);
	p.skip_min = p.skip_max = 0;
	p.stride = 11;
	assert_requests(&p, (struct pair[]){{3, 5}, {14, 5}, {25, 5}}, 3);
	p.pattern = PATTERN_STRIDE;
	p.stride = 2;
	assert_requests(&p, (struct pair[]){{3, 5}, {5, 5}, {7, 5}}, 3);
}

static void walks_down_from_a_request_that_ends_at_the_end(void **state _unused_)
{
	struct gen_params p = defaults();

	p.pattern = PATTERN_BACKWARD;
	p.op = OP_TRIM;
	p.begin = 4;
	p.end = 10;
	p.size_min = p.size_max = 1;
	assert_requests(&p, (struct pair[]){{9, 1}, {8, 1}, {7, 1}, {6, 1}, {5, 1}, {4, 1}}, 6);
	p.begin = 0;
	p.size_min = p.size_max = 3;
	assert_requests(&p, (struct pair[]){{7, 3}, {4, 3}, {1, 3}}, 3);
	p.skip_min = p.skip_max = 1;
	assert_requests(&p, (struct pair[]){{7, 3}, {3, 3}}, 2);
	p.skip_min = p.skip_max = -1;
	assert_requests(&p, (struct pair[]){{7, 3}, {5, 3}, {3, 3}, {1, 3}}, 4);
	p.skip_min = p.skip_max = 0;
	p.stride = 7;
	assert_requests(&p, (struct pair[]){{7, 3}, {0, 3}}, 2);
}

static void max_bytes_is_never_passed(void **state _unused_)
{
	struct gen_params p = defaults();

	p.end = 1000;
	p.size_min = p.size_max = 5;
	p.max_bytes = 14;
	assert_requests(&p, (struct pair[]){{0, 5}, {5, 5}}, 2);
	p.max_bytes = 15;
	assert_requests(&p, (struct pair[]){{0, 5}, {5, 5}, {10, 5}}, 3);
	p.max_requests = 1;
	assert_requests(&p, (struct pair[]){{0, 5}}, 1);
	p.size_max = 100;
	assert_int_equal(gen_check(&p, &(struct fault){.text = ""}), 0);
}

/* Drawn sizes and skips are all the multiples between the bounds, of either sign, and no others. */
static void spans_hold_each_multiple_within_their_bounds(void **state _unused_)
{
	for (int64_t align = 1; align <= 8; align *= 2)
		for (int64_t min = -20; min <= 20; min++)
			for (int64_t max = min; max <= 20; max++) {
				int64_t first = min, count = 0;
				struct gen_span s;

				while (first % align)
					first++;
				for (int64_t x = first; x <= max; x += align)
					count++;
				assert_int_equal(gen_span_init(&s, min, max, (uint64_t)align), count > 0);
				if (count) {
					assert_int_equal(s.first * align, first);
					assert_int_equal(s.more + 1, count);
				}
			}
}

static void everything_is_aligned_inwards(void **state _unused_)
{
	struct gen_params p = defaults();

	p.align = 8;
	p.begin = 3;
	p.end = 31;
	p.size_min = 1;
	p.size_max = 8;
	assert_requests(&p, (struct pair[]){{8, 8}, {16, 8}}, 2);
	p.pattern = PATTERN_BACKWARD;
	assert_requests(&p, (struct pair[]){{16, 8}, {8, 8}}, 2);
	p.skip_min = -15;
	p.skip_max = 7;
	p.size_min = p.size_max = 16;
	assert_int_equal(gen_check(&p, &(struct fault){.text = ""}), 0);
}

/* The range of a 63-bit file, and steps that would pass 64 bits. */
static void the_end_of_the_numbers_is_an_end_like_any_other(void **state _unused_)
{
	const uint64_t end = REQ_MAX, half = UINT64_C(1) << 62;
	struct gen_params p = defaults();

	p.end = end;
	p.begin = end - 10;
	p.size_min = p.size_max = 4;
	assert_requests(&p, (struct pair[]){{end - 10, 4}, {end - 6, 4}}, 2);
	p.begin = 0;
	p.skip_min = p.skip_max = INT64_MAX;
	assert_requests(&p, (struct pair[]){{0, 4}}, 1);
	p.pattern = PATTERN_BACKWARD;
	assert_requests(&p, (struct pair[]){{end - 4, 4}}, 1);
	p.size_min = p.size_max = half;
	p.skip_min = p.skip_max = 0;
	assert_requests(&p, (struct pair[]){{half - 1, half}}, 1);
	p.skip_min = INT64_MAX - 1;
	p.skip_max = INT64_MAX;
	assert_requests(&p, (struct pair[]){{half - 1, half}}, 1);
	p.skip_min = p.skip_max = 0;
	p.stride = end;
	assert_requests(&p, (struct pair[]){{half - 1, half}}, 1);
	p.pattern = PATTERN_STRIDE;
	assert_requests(&p, (struct pair[]){{0, half}}, 1);
	p.size_min = half - 1;
	assert_int_equal(gen_check(&p, &(struct fault){.text = ""}), 0);
	p.size_min = p.size_max = end;
	p.stride = 1;
	assert_requests(&p, (struct pair[]){{0, end}}, 1);
}

static void random_needs_a_limit_and_ooo_none(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct gen_params p = defaults();
	struct fault f = {.text = ""};

	p.pattern = PATTERN_RANDOM;
	assert_int_equal(gen_check(&p, &f), -EINVAL);
	assert_non_null(strstr(f.text, "--max-requests"));
	p.pattern = PATTERN_OOO;
	p.size_max = 3 * PAGE;
	generate(&t, &p);
	assert_int_equal(t.count, 2560 / 3);
}

/* Chi-square of offset and size together, over all that fit: sizes are drawn first. */
static void random_requests_begin_wherever_they_fit(void **state _unused_)
{
	enum { RANGE = 7, SIZES = 3, DRAWS = 60000 };
	_cleanup_(trace_fini) struct trace t = {0};
	unsigned count[SIZES + 1][RANGE] = {0};
	struct gen_params p = defaults();
	double chi = 0;

	p.pattern = PATTERN_RANDOM;
	p.align = 512;
	p.begin = 5 * 512 - 100;
	p.end = (5 + RANGE) * 512 + 100;
	p.size_min = 512;
	p.size_max = SIZES * 512;
	p.max_requests = DRAWS;
	generate(&t, &p);
	assert_int_equal(t.count, DRAWS);
	for (size_t i = 0; i < t.count; i++) {
		uint64_t start = req_offset(t.req[i]), size = req_length(t.req[i]);

		assert_int_equal(start % 512 + size % 512, 0);
		assert_in_range(size, 512, SIZES * 512);
		assert_in_range(start, 5 * 512, (5 + RANGE) * 512 - size);
		count[size / 512][start / 512 - 5]++;
	}
	for (unsigned s = 1; s <= SIZES; s++)
		for (unsigned i = 0; i + s <= RANGE; i++) {
			double want = (double)DRAWS / SIZES / (RANGE - s + 1), off = count[s][i] - want;

			chi += off * off / want;
		}
	/* 7 + 6 + 5 cells: 1 in 10^6 is above 62 */
	assert_true(chi < 62);
}

static void hot_blocks_stay_hot_whatever_the_sizes(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	_cleanup_free_ unsigned *count = calloc(1000, sizeof(*count));
	struct gen_params p = defaults();
	unsigned hottest = 0;

	assert_non_null(count);
	p.pattern = PATTERN_RANDOM;
	p.dist = (struct dist_params){.kind = DIST_ZIPF, .value = 1.2};
	p.align = PAGE;
	p.end = 1000 * PAGE;
	p.size_max = 16 * PAGE;
	p.max_requests = 100000;
	generate(&t, &p);
	for (size_t i = 0; i < t.count; i++)
		count[req_offset(t.req[i]) / PAGE]++;
	for (size_t i = 0; i < 1000; i++)
		hottest = MAX(hottest, count[i]);
	/* fio 3.33 gives the hottest of 1000 blocks 23.5 % */
	assert_in_range(hottest, 23000, 24000);
}

static void appends_behind_what_is_there(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct gen_params p = defaults();
	struct rng r;

	trace_init(&t);
	rng_init(&r, 1);
	assert_int_equal(trace_push(&t, req_make(7, 8, OP_WRITE)), 0);
	assert_int_equal(trace_need_time(&t) | trace_need_file(&t) | trace_need_step(&t), 0);
	t.time[0] = 5;
	t.file[0] = 6;
	t.step[0] = 9;
	p.end = 100000 * PAGE;
	assert_int_equal(gen_append(&t, &p, &r), 0);
	assert_int_equal(gen_append(&t, &p, &r), 0);
	assert_int_equal(t.count, 200001);
	assert_int_equal(req_offset(t.req[0]), 7);
	assert_true(t.time[0] == 5 && t.file[0] == 6 && t.step[0] == 9);
	for (size_t i = 1; i < t.count; i++)
		assert_true(t.time[i] == TIME_NONE && t.file[i] == 0 && t.step[i] == 0);
	assert_int_equal(req_offset(t.req[100000]), 99999 * PAGE);
	assert_int_equal(req_offset(t.req[100001]), 0);
}

#define REFUSED(option, ...)                                                                     \
	{                                                                                        \
		struct gen_params p = defaults();                                                \
		struct fault f = {.text = ""};                                                   \
		__VA_ARGS__;                                                                     \
		assert_int_equal(gen_check(&p, &f), -EINVAL);                                    \
		if (!strstr(f.text, option))                                                     \
			fail_msg("line %d: no %s in the message: %s", __LINE__, option, f.text); \
	}

static void senseless_parameters_are_refused_by_name(void **state _unused_)
{
	REFUSED("--size", p.size_min = p.size_max = 0);
	REFUSED("--size", p.size_min = 0);
	REFUSED("--size", p.size_min = 8192);
	REFUSED("--size", p.size_max = UINT64_C(1) << 63);
	REFUSED("--size", p.size_max = (10 << 20) + 1);
	REFUSED("--offset", p.begin = p.end);
	REFUSED("--offset", p.begin = p.end + 1);
	REFUSED("--offset", p.begin = UINT64_MAX);
	REFUSED("--offset", p.end = 0);
	REFUSED("--offset", p.end = UINT64_C(1) << 63);
	REFUSED("--align", p.align = 0);
	REFUSED("--align", p.align = 3);
	REFUSED("--align", p.align = UINT64_C(1) << 63);
	REFUSED("--align", p.align = 8192);
	REFUSED("--align", p.align = 4096; p.begin = 1; p.end = 8191);
	REFUSED("--align", p.align = 512; p.skip_min = 1; p.skip_max = 511);
	REFUSED("--align", p.align = 512; p.stride = 700);
	REFUSED("--skip", p.skip_min = 1);
	REFUSED("--skip", p.skip_min = p.skip_max = -4096);
	REFUSED("--skip", p.skip_min = p.skip_max = INT64_MIN);
	REFUSED("--skip", p.skip_min = -4096; p.skip_max = 100000);
	REFUSED("--skip", p.pattern = PATTERN_BACKWARD; p.skip_min = p.skip_max = -4096);
	REFUSED("--skip", p.skip_min = p.skip_max = 1; p.stride = 8192);
	REFUSED("--stride", p.pattern = PATTERN_STRIDE);
	REFUSED("--stride", p.stride = UINT64_C(1) << 63);
	REFUSED("--stride", p.pattern = PATTERN_OOO; p.stride = 8192);
	REFUSED("--stride", p.pattern = PATTERN_RANDOM; p.max_requests = 1; p.stride = 8192);
	REFUSED("--pdf", p.pattern = PATTERN_OOO; p.dist.kind = DIST_CLUSTERED);
	REFUSED("--max-requests", p.max_requests = 0);
	REFUSED("--max-bytes", p.max_bytes = 0);
	REFUSED("--max-bytes", p.max_bytes = 4095);
	REFUSED("--max-bytes", p.pattern = PATTERN_RANDOM);
}

static void names_of_patterns(void **state _unused_)
{
	for (int k = 0; k < PATTERN_COUNT; k++)
		assert_int_equal(pattern_of_name(pattern_name((enum pattern)k)), k);
	assert_int_equal(pattern_of_name("ooo"), PATTERN_OOO);
	assert_int_equal(pattern_of_name("nosuch"), -1);
	assert_int_equal(pattern_of_name(""), -1);
}

static void one_seed_gives_one_pattern_for_ever(void **state _unused_)
{
	struct gen_params p = defaults();

	p.end = 1 << 30;
	p.size_max = 4 * PAGE;
	p.align = PAGE;
	p.skip_max = 8 * (int64_t)PAGE;
	p.max_requests = 5;
	assert_requests(
	    &p,
	    (struct pair[]){
		{0, 2 * PAGE}, {4 * PAGE, 3 * PAGE}, {15 * PAGE, 2 * PAGE}, {18 * PAGE, PAGE}, {24 * PAGE, 3 * PAGE}},
		5);
	p.pattern = PATTERN_BACKWARD;
	assert_requests(&p,
			(struct pair[]){{262142 * PAGE, 2 * PAGE},
					{262137 * PAGE, 3 * PAGE},
					{262127 * PAGE, 2 * PAGE},
					{262125 * PAGE, PAGE},
					{262117 * PAGE, 3 * PAGE}},
			5);
	p.pattern = PATTERN_RANDOM;
	assert_requests(&p,
			(struct pair[]){{59491 * PAGE, 2 * PAGE},
					{251548 * PAGE, 3 * PAGE},
					{45748 * PAGE, 2 * PAGE},
					{171868 * PAGE, PAGE},
					{107111 * PAGE, 3 * PAGE}},
			5);
	p.dist = (struct dist_params){.kind = DIST_ZIPF, .value = 1.2};
	assert_requests(&p,
			(struct pair[]){{103454 * PAGE, PAGE},
					{123183 * PAGE, 4 * PAGE},
					{115159 * PAGE, PAGE},
					{131207 * PAGE, 3 * PAGE},
					{218417 * PAGE, 2 * PAGE}},
			5);
	p.dist.kind = DIST_UNIFORM;
	p.pattern = PATTERN_OOO;
	assert_requests(&p,
			(struct pair[]){{141432 * PAGE, PAGE},
					{109212 * PAGE, 3 * PAGE},
					{24112 * PAGE, 3 * PAGE},
					{106312 * PAGE, 2 * PAGE},
					{52844 * PAGE, 4 * PAGE}},
			5);
}

/* Last: the flag stays set. */
static void a_signal_ends_a_long_pattern(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct gen_params p = defaults();
	struct rng r;

	trace_init(&t);
	rng_init(&r, 1);
	p.end = REQ_MAX;
	stop_request(SIGINT);
	assert_int_equal(gen_append(&t, &p, &r), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_ten_mebibytes_page_by_page),
		cmocka_unit_test(hot_10_is_the_loop_of_the_shell),
		cmocka_unit_test(walks_up),
		cmocka_unit_test(walks_down_from_a_request_that_ends_at_the_end),
		cmocka_unit_test(max_bytes_is_never_passed),
		cmocka_unit_test(spans_hold_each_multiple_within_their_bounds),
		cmocka_unit_test(everything_is_aligned_inwards),
		cmocka_unit_test(the_end_of_the_numbers_is_an_end_like_any_other),
		cmocka_unit_test(random_needs_a_limit_and_ooo_none),
		cmocka_unit_test(random_requests_begin_wherever_they_fit),
		cmocka_unit_test(hot_blocks_stay_hot_whatever_the_sizes),
		cmocka_unit_test(appends_behind_what_is_there),
		cmocka_unit_test(senseless_parameters_are_refused_by_name),
		cmocka_unit_test(names_of_patterns),
		cmocka_unit_test(one_seed_gives_one_pattern_for_ever),
		cmocka_unit_test(a_signal_ends_a_long_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
