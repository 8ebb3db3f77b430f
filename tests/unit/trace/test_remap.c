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
#include "trace/remap.h"

#include "random.h"

#define ROUNDS 2000

static void scale_multiplies_offsets_and_nothing_else(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		uint64_t align = UINT64_C(1) << rng_below(&r, 10), factor = rng_below(&r, 5000000000);
		struct fault f;

		make_any(&old, &r, 20);
		copy_any(&t, &old);
		assert_int_equal(remap_scale(&t, factor, align, &f), 0);
		assert_int_equal(t.count, old.count);
		for (size_t i = 0; i < t.count; i++) {
			/* offsets are below 2^17 here, so the product fits */
			uint64_t exact = req_offset(old.req[i]) * factor / 1000000000, got = req_offset(t.req[i]);

			assert_true(got % align == 0 && got <= exact && exact - got < align);
			assert_int_equal(req_length(t.req[i]), req_length(old.req[i]));
			assert_int_equal(req_op(t.req[i]), req_op(old.req[i]));
			assert_true(same_columns(&t, i, &old, i));
		}
	}
}

static void large_offsets_are_scaled_exactly(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	assert_int_equal(trace_push(&t, req_make(REQ_MAX / 3, 2, OP_WRITE)), 0);
	assert_int_equal(remap_scale(&t, 3000000000, 1, &f), -EOVERFLOW);
	assert_int_equal(f.request, 1);
	assert_int_equal(remap_scale(&t, 2000000000, 1, &f), 0);
	assert_int_equal(req_offset(t.req[0]), REQ_MAX / 3 * 2);
	assert_int_equal(remap_scale(&t, 500000000, 1, &f), 0);
	assert_int_equal(req_offset(t.req[0]), REQ_MAX / 3);
	assert_int_equal(req_op(t.req[0]), OP_WRITE);
}

static void shift_there_and_back_is_nothing(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 2);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		int64_t delta = (int64_t)(rng_next(&r) >> 2);
		struct fault f;

		make_any(&old, &r, 20);
		copy_any(&t, &old);
		assert_int_equal(remap_shift(&t, delta, &f), 0);
		for (size_t i = 0; i < t.count; i++) {
			if (!req_is_sync(t.req[i]))
				assert_int_equal(req_offset(t.req[i]), req_offset(old.req[i]) + (uint64_t)delta);
			assert_true(same_columns(&t, i, &old, i));
		}
		assert_int_equal(remap_shift(&t, -delta, &f), 0);
		assert_true(trace_equal(&t, &old));
	}
}

static void shift_out_of_the_range_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	assert_int_equal(trace_push(&t, req_make(0, 0, OP_SYNC)), 0);
	assert_int_equal(trace_push(&t, req_make(100, 50, OP_READ)), 0);
	assert_int_equal(remap_shift(&t, -101, &f), -EOVERFLOW);
	assert_int_equal(f.request, 2);
	assert_string_equal(f.text, "at 100 it would begin before 0");
	assert_int_equal(remap_shift(&t, INT64_MAX - 149, &f), -EOVERFLOW);
	assert_non_null(strstr(f.text, "63 bits"));
	assert_int_equal(remap_shift(&t, INT64_MIN + 1, &f), -EOVERFLOW);
	assert_int_equal(remap_shift(&t, INT64_MAX - 150, &f), 0);
	assert_int_equal(req_end(t.req[1]), REQ_MAX);
}

static void times_are_scaled_and_what_has_none_keeps_none(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 3);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		uint64_t factor = rng_below(&r, 4000000000);
		struct fault f;

		make_any(&old, &r, 20);
		copy_any(&t, &old);
		assert_int_equal(remap_time(&t, factor, &f), 0);
		for (size_t i = 0; i < t.count; i++) {
			int64_t was = time_at(&old, i);

			if (was == TIME_NONE)
				assert_true(time_at(&t, i) == TIME_NONE);
			else
				assert_int_equal(time_at(&t, i), (uint64_t)was * factor / 1000000000);
			if (t.time)
				t.time[i] = was;
		}
		assert_true(trace_equal(&t, &old));
	}
}

static void a_time_that_would_not_fit_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	assert_int_equal(trace_push(&t, req_make(0, 1, OP_READ)) | trace_need_time(&t), 0);
	t.time[0] = INT64_MAX;
	assert_int_equal(remap_time(&t, 1000000000, &f), 0);
	assert_true(t.time[0] == INT64_MAX);
	assert_int_equal(remap_time(&t, 1000000001, &f), -EOVERFLOW);
	assert_int_equal(f.request, 1);
}

static void set_op_changes_all_but_syncs(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 4);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		enum op op = (enum op)rng_below(&r, OP_SYNC);

		make_any(&old, &r, 20);
		copy_any(&t, &old);
		assert_int_equal(remap_op(&t, op), 0);
		for (size_t i = 0; i < t.count; i++) {
			if (!req_is_sync(old.req[i])) {
				assert_int_equal(req_op(t.req[i]), op);
				t.req[i] = req_make(req_offset(t.req[i]), req_length(t.req[i]), req_op(old.req[i]));
			}
		}
		assert_true(trace_equal(&t, &old));
	}
}

static void reverse_twice_is_nothing_and_once_keeps_the_gaps(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 5);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		size_t last = 0, before = 0;

		make_any(&old, &r, 20);
		copy_any(&t, &old);
		assert_int_equal(remap_reverse(&t), 0);
		for (size_t i = 0; i < t.count; i++) {
			size_t was = t.count - 1 - i;

			assert_memory_equal(&t.req[i], &old.req[was], sizeof(*t.req));
			assert_true(file_at(&t, i) == file_at(&old, was) && step_at(&t, i) == step_at(&old, was));
			if (time_at(&t, i) == TIME_NONE)
				assert_true(time_at(&old, was) == TIME_NONE);
			else
				last = i + 1;
			if (last == i + 1 && before)
				assert_int_equal(t.time[i] - t.time[before - 1],
						 old.time[t.count - before] - old.time[was]);
			before = last;
		}
		assert_int_equal(remap_reverse(&t), 0);
		assert_true(trace_equal(&t, &old));
	}
}

/* Last: the flag stays set. */
static void a_signal_ends_each(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	for (size_t i = 0; i < 200000; i++)
		assert_int_equal(trace_push(&t, req_make(i, 1, OP_READ)), 0);
	assert_int_equal(trace_need_time(&t), 0);
	for (size_t i = 0; i < t.count; i++)
		t.time[i] = 1;
	stop_request(SIGINT);
	assert_int_equal(remap_scale(&t, 1, 1, &f), -EINTR);
	assert_int_equal(remap_shift(&t, 1, &f), -EINTR);
	assert_int_equal(remap_time(&t, 1, &f), -EINTR);
	assert_int_equal(remap_op(&t, OP_TRIM), -EINTR);
	assert_int_equal(remap_reverse(&t), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scale_multiplies_offsets_and_nothing_else),
		cmocka_unit_test(large_offsets_are_scaled_exactly),
		cmocka_unit_test(shift_there_and_back_is_nothing),
		cmocka_unit_test(shift_out_of_the_range_is_refused),
		cmocka_unit_test(times_are_scaled_and_what_has_none_keeps_none),
		cmocka_unit_test(a_time_that_would_not_fit_is_refused),
		cmocka_unit_test(set_op_changes_all_but_syncs),
		cmocka_unit_test(reverse_twice_is_nothing_and_once_keeps_the_gaps),
		cmocka_unit_test(a_signal_ends_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
