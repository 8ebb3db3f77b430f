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
#include "trace/sort.h"

#include "random.h"

#define ROUNDS 2000

/* As make_any(), with the number of a request in its step, so that it is found again. */
static void make_numbered(struct trace *t, struct rng *r, uint64_t max, uint64_t first)
{
	make_any(t, r, max);
	assert_int_equal(trace_need_step(t), 0);
	for (size_t i = 0; i < t->count; i++)
		t->step[i] = first + i;
}

/* Is t a permutation of old, the numbers of old beginning with first? */
static void assert_permutation(const struct trace *t, const struct trace *old)
{
	bool seen[64] = {false};

	assert_int_equal(t->count, old->count);
	for (size_t i = 0; i < t->count; i++) {
		assert_true(step_at(t, i) < old->count && !seen[step_at(t, i)]);
		seen[step_at(t, i)] = true;
		assert_true(same_request(t, i, old, step_at(t, i)));
	}
}

static void sort_by_offset_is_stable_by_file_then_offset(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};

		make_numbered(&old, &r, 40, 0);
		for (size_t i = 0; round % 3 == 0 && i < old.count; i++)
			old.req[i] = req_make(rng_below(&r, 5) << rng_below(&r, 60), 1, OP_READ);
		copy_any(&t, &old);
		assert_int_equal(sort_by_offset(&t), 0);
		assert_permutation(&t, &old);
		for (size_t i = 1; i < t.count; i++) {
			uint64_t a = req_offset(t.req[i - 1]), b = req_offset(t.req[i]);

			assert_true(file_at(&t, i - 1) <= file_at(&t, i));
			if (file_at(&t, i - 1) == file_at(&t, i))
				assert_true(a < b || (a == b && step_at(&t, i - 1) < step_at(&t, i)));
		}
	}
}

/* The time that counts for each request of a trace before it is sorted, by its number. */
static void effective_times(const struct trace *t, int64_t *due)
{
	int64_t last = TIME_NONE;

	for (size_t i = 0; i < t->count; i++) {
		if (time_at(t, i) != TIME_NONE)
			last = time_at(t, i);
		due[i] = last;
	}
}

static void sort_by_time_is_stable_and_leaves_the_timeless_behind_their_elders(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 2);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		int64_t due[64];

		make_numbered(&old, &r, 40, 0);
		effective_times(&old, due);
		copy_any(&t, &old);
		assert_int_equal(sort_by_time(&t), 0);
		assert_permutation(&t, &old);
		for (size_t i = 1; i < t.count; i++) {
			int64_t a = due[step_at(&t, i - 1)], b = due[step_at(&t, i)];

			assert_true(a < b || (a == b && step_at(&t, i - 1) < step_at(&t, i)));
		}
	}
}

static void append(struct trace *t, const struct trace *b)
{
	for (size_t i = 0; i < b->count; i++)
		assert_int_equal(trace_copy(t, b, i), 0);
}

static void merging_what_is_sorted_is_sorting_one_behind_the_other(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 3);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace a = {0}, b = {0}, both = {0};
		struct fault f;

		make_numbered(&a, &r, 20, 0);
		make_numbered(&b, &r, 20, 100);
		assert_int_equal(trace_need_time(&a) | trace_need_time(&b), 0);
		/* a request without a time at the front would count with the other trace's last in "both" */
		if (a.count)
			a.time[0] = 0;
		if (b.count)
			b.time[0] = 0;
		assert_int_equal(sort_by_time(&a) | sort_by_time(&b), 0);
		append(&both, &a);
		append(&both, &b);
		assert_int_equal(sort_by_time(&both), 0);
		assert_int_equal(sort_merge(&a, &b, &f), 0);
		assert_true(trace_equal(&a, &both));
	}
}

static void a_merge_keeps_the_order_inside_both(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 4);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace a = {0}, b = {0}, old = {0};
		uint64_t next[2] = {0, 100};
		struct fault f;

		make_numbered(&a, &r, 20, 0);
		make_numbered(&b, &r, 20, 100);
		assert_int_equal(trace_need_time(&a) | trace_need_time(&b), 0);
		copy_any(&old, &a);
		assert_int_equal(sort_merge(&a, &b, &f), 0);
		assert_int_equal(a.count, old.count + b.count);
		for (size_t i = 0; i < a.count; i++) {
			bool of_b = step_at(&a, i) >= 100;

			assert_int_equal(step_at(&a, i), next[of_b]++);
			assert_true(same_request(&a, i, of_b ? &b : &old, step_at(&a, i) % 100));
		}
	}
}

static void a_merge_without_times_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace a = {0}, b = {0}, none = {0};
	struct fault f;

	assert_int_equal(trace_push(&a, req_make(0, 1, OP_READ)) | trace_push(&b, req_make(5, 1, OP_READ)), 0);
	assert_int_equal(sort_merge(&a, &b, &f), -EINVAL);
	assert_string_equal(f.text, "the trace so far has no times");
	assert_int_equal(trace_need_time(&a), 0);
	a.time[0] = 3;
	assert_int_equal(sort_merge(&a, &b, &f), -EINVAL);
	assert_string_equal(f.text, "the trace in the file has no times");
	assert_int_equal(sort_merge(&a, &none, &f), 0);
	assert_int_equal(a.count, 1);
	assert_int_equal(sort_merge(&none, &a, &f), 0);
	assert_true(trace_equal(&none, &a));
}

static void a_large_trace_is_sorted_too(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	uint64_t sum = 0, after = 0;
	struct rng r;

	rng_init(&r, 5);
	for (size_t i = 0; i < 300000; i++) {
		uint64_t offset = rng_next(&r) >> 2;

		sum += offset * 31 + offset % 1000 + 1;
		assert_int_equal(trace_push(&t, req_make(offset, offset % 1000 + 1, OP_READ)), 0);
	}
	assert_int_equal(sort_by_offset(&t), 0);
	for (size_t i = 0; i < t.count; i++) {
		assert_true(i == 0 || req_offset(t.req[i - 1]) <= req_offset(t.req[i]));
		after += req_offset(t.req[i]) * 31 + req_length(t.req[i]);
	}
	assert_true(sum == after);
}

static uint64_t asked;

static bool no_room(uint64_t bytes)
{
	asked = bytes;
	return false;
}

static void a_sort_asks_for_the_memory_it_needs(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};

	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(trace_push(&t, req_make(1000 - i, 1, OP_READ)), 0);
	t.room = no_room;
	assert_int_equal(sort_by_offset(&t), -ENOMEM);
	assert_in_range(asked, 16 * t.count, 64 * t.count);
	assert_int_equal(req_offset(t.req[0]), 1000);
}

/* Last: the flag stays set. */
static void a_signal_ends_each(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0}, b = {0};
	struct fault f;

	for (size_t i = 0; i < 200000; i++)
		assert_int_equal(trace_push(&t, req_make(200000 - i, 1, OP_READ)), 0);
	assert_int_equal(trace_need_time(&t), 0);
	for (size_t i = 0; i < t.count; i++)
		t.time[i] = (int64_t)(t.count - i);
	copy_any(&b, &t);
	stop_request(SIGINT);
	assert_int_equal(sort_by_offset(&t), -EINTR);
	assert_int_equal(sort_by_time(&t), -EINTR);
	assert_int_equal(sort_merge(&t, &b, &f), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sort_by_offset_is_stable_by_file_then_offset),
		cmocka_unit_test(sort_by_time_is_stable_and_leaves_the_timeless_behind_their_elders),
		cmocka_unit_test(merging_what_is_sorted_is_sorting_one_behind_the_other),
		cmocka_unit_test(a_merge_keeps_the_order_inside_both),
		cmocka_unit_test(a_merge_without_times_is_refused),
		cmocka_unit_test(a_large_trace_is_sorted_too),
		cmocka_unit_test(a_sort_asks_for_the_memory_it_needs),
		cmocka_unit_test(a_signal_ends_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
