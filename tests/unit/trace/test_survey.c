/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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
#include "trace/survey.h"

#include "random.h"

#define EXACT (UINT64_C(1) << 40)

static void push(struct trace *t, uint64_t offset, uint64_t length, enum op op, uint32_t file, int64_t time)
{
	assert_int_equal(trace_push(t, req_make(offset, length, op)) | trace_need_file(t) | trace_need_time(t), 0);
	t->file[t->count - 1] = file;
	t->time[t->count - 1] = time;
}

static void each_figure_is_that_of_a_trace_made_by_hand(void **state _unused_)
{
	_cleanup_(survey_fini) struct survey s = {0};
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	push(&t, 8192, 4096, OP_READ, 0, 50);
	push(&t, 12288, 8192, OP_READ, 0, 40);
	push(&t, 0, 100, OP_WRITE, 7, TIME_NONE);
	push(&t, 20480, 1, OP_WRITE, 0, 60);
	push(&t, 0, 0, OP_SYNC, 3, 45);
	push(&t, 1 << 20, 4096, OP_TRIM, 0, 90);
	push(&t, 8192, 4096, OP_READ, 0, 91);
	push(&t, 100, 4096, OP_READ, 7, 92);
	assert_int_equal(survey_init(&s, EXACT), 0);
	assert_int_equal(survey_add(&s, &t, &f), 0);
	assert_int_equal(s.requests, 8);
	assert_int_equal(s.bytes, 4096 + 8192 + 100 + 1 + 4096 + 4096 + 4096);
	assert_int_equal(s.op[OP_READ].requests, 4);
	assert_int_equal(s.op[OP_READ].bytes, 4096 + 8192 + 4096 + 4096);
	assert_int_equal(s.op[OP_WRITE].requests, 2);
	assert_int_equal(s.op[OP_WRITE].bytes, 101);
	assert_int_equal(s.op[OP_TRIM].requests, 1);
	assert_int_equal(s.op[OP_SYNC].requests, 1);
	assert_int_equal(s.files, 2);
	assert_int_equal(s.placed, 7);
	assert_int_equal(s.begin, 0);
	assert_int_equal(s.end, (1 << 20) + 4096);
	assert_int_equal(s.length_min, 1);
	assert_int_equal(s.length_max, 8192);
	assert_int_equal(s.length[1], 1);  /* 1 */
	assert_int_equal(s.length[7], 1);  /* 64..127 */
	assert_int_equal(s.length[13], 4); /* 4096..8191 */
	assert_int_equal(s.length[14], 1);
	/* the second, that of one byte, and the last of file 7 */
	assert_int_equal(s.sequential, 3);
	assert_int_equal(s.sequential_bytes, 8192 + 1 + 4096);
	assert_int_equal(s.seek_up[survey_bucket((1 << 20) - 20481)], 1);
	assert_int_equal(s.seek_down[survey_bucket((1 << 20) + 4096 - 8192)], 1);
	assert_int_equal(s.timed, 7);
	assert_int_equal(s.time_min, 40);
	assert_int_equal(s.time_max, 92);
	assert_int_equal(s.time_back, 2);
	/* pages 2, 3, 4, 5 of file 0 and 0, 1 of file 7; page 2 of file 0 and page 0 of file 7 twice */
	assert_int_equal(s.reuse.touches, 8);
	assert_int_equal(reuse_footprint(&s.reuse), 6);
	assert_int_equal(reuse_again(&s.reuse), 2);
}

static void parts_are_as_good_as_the_whole(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < 300; round++) {
		_cleanup_(survey_fini) struct survey whole = {0}, parts = {0};
		_cleanup_(trace_fini) struct trace t = {0};
		struct reuse a, b;
		struct fault f;

		make_any(&t, &r, 60);
		assert_int_equal(survey_init(&whole, EXACT) | survey_init(&parts, EXACT), 0);
		assert_int_equal(survey_add(&whole, &t, &f), 0);
		for (size_t i = 0; i < t.count;) {
			_cleanup_(trace_fini) struct trace part = {0};
			size_t end = i + 1 + (size_t)rng_below(&r, 20);

			for (; i < t.count && i < end; i++)
				assert_int_equal(trace_copy(&part, &t, i), 0);
			assert_int_equal(survey_add(&parts, &part, &f), 0);
		}
		a = whole.reuse;
		b = parts.reuse;
		assert_int_equal(a.touches, b.touches);
		assert_int_equal(a.largest, b.largest);
		assert_memory_equal(a.counts, b.counts, sizeof(*a.counts));
		assert_memory_equal(&whole, &parts, offsetof(struct survey, reuse));
	}
}

static void each_request_is_in_one_bucket_of_each_kind(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 2);
	for (int round = 0; round < 300; round++) {
		_cleanup_(survey_fini) struct survey s = {0};
		_cleanup_(trace_fini) struct trace t = {0};
		uint64_t lengths = 0, seeks = 0, distances = 0;
		struct fault f;

		make_any(&t, &r, 60);
		assert_int_equal(survey_init(&s, EXACT) | survey_add(&s, &t, &f), 0);
		for (size_t i = 0; i < SURVEY_BUCKETS; i++) {
			lengths += s.length[i];
			seeks += s.seek_up[i] + s.seek_down[i];
		}
		for (size_t i = 0; i < REUSE_BUCKETS; i++)
			distances += s.reuse.counts->at[i];
		assert_int_equal(lengths, s.placed);
		assert_int_equal(seeks + s.sequential + s.files, s.placed);
		assert_int_equal(distances + reuse_footprint(&s.reuse), s.reuse.touches);
	}
}

static void no_requests_are_all_zero(void **state _unused_)
{
	_cleanup_(survey_fini) struct survey s = {0};
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	assert_int_equal(survey_init(&s, EXACT) | survey_add(&s, &t, &f), 0);
	assert_int_equal(s.requests + s.bytes + s.files + s.placed + s.begin + s.end + s.timed, 0);
}

static void sums_of_bytes_saturate(void **state _unused_)
{
	_cleanup_(survey_fini) struct survey s = {0};
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	for (int i = 0; i < 3; i++)
		push(&t, 0, REQ_MAX, OP_TRIM, 0, 0);
	assert_int_equal(survey_init(&s, EXACT) | survey_add(&s, &t, &f), 0);
	assert_true(s.bytes == UINT64_MAX && s.op[OP_TRIM].bytes == UINT64_MAX);
}

/* Last: the flag stays set. */
static void a_signal_ends_it(void **state _unused_)
{
	_cleanup_(survey_fini) struct survey s = {0};
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(trace_push(&t, req_make(i, 1, OP_TRIM)), 0);
	assert_int_equal(survey_init(&s, EXACT), 0);
	stop_request(SIGINT);
	assert_int_equal(survey_add(&s, &t, &f), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_figure_is_that_of_a_trace_made_by_hand),
		cmocka_unit_test(parts_are_as_good_as_the_whole),
		cmocka_unit_test(each_request_is_in_one_bucket_of_each_kind),
		cmocka_unit_test(no_requests_are_all_zero),
		cmocka_unit_test(sums_of_bytes_saturate),
		cmocka_unit_test(a_signal_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
