/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/source.h"
#include "trace/trace.h"

#define _cleanup_trace_ _cleanup_(trace_fini)

static void a_request_keeps_what_it_was_made_of(void **state _unused_)
{
	static const uint64_t offset[] = {0, 1, 4096, REQ_MAX - 1, REQ_MAX};

	assert_int_equal(sizeof(struct req), 16);
	for (enum op op = 0; op < OP_COUNT; op++)
		for (size_t i = 0; i < ARRAY_SIZE(offset); i++) {
			uint64_t length = MIN(REQ_MAX - offset[i], op >= OP_SYNC ? REQ_SYNC_LENGTH_MAX : REQ_MAX);
			struct req r = req_make(offset[i], length, op);

			assert_int_equal(req_op(r), op);
			assert_true(req_offset(r) == offset[i]);
			assert_true(req_length(r) == length);
			assert_true(req_end(r) == offset[i] + length);
		}
}

static void op_letters_are_read_in_either_case(void **state _unused_)
{
	const char letters[] = "RWTSD";

	for (enum op op = 0; op < OP_COUNT; op++) {
		assert_int_equal(op_letter(op), letters[op]);
		assert_int_equal(op_of_letter(letters[op]), op);
		assert_int_equal(op_of_letter((char)(letters[op] + 32)), op);
	}
	assert_string_equal(op_name(OP_DATASYNC), "datasync");
	assert_int_equal(op_of_letter('X'), -1);
	assert_int_equal(op_of_letter('\0'), -1);
	assert_int_equal(op_of_letter('2'), -1); /* 'R' with another bit cleared */
}

static void pushes_keep_order_over_many_growths(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};

	for (uint64_t i = 0; i < 100000; i++)
		assert_int_equal(trace_push(&t, req_make(i, 2 * i, i & 1 ? OP_WRITE : OP_READ)), 0);
	assert_int_equal(t.count, 100000);
	for (uint64_t i = 0; i < 100000; i++) {
		assert_true(req_offset(t.req[i]) == i && req_length(t.req[i]) == 2 * i);
		assert_int_equal(req_op(t.req[i]), i & 1 ? OP_WRITE : OP_READ);
	}
}

static void columns_begin_with_their_defaults(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};

	for (int i = 0; i < 3; i++)
		assert_int_equal(trace_push(&t, req_make(0, 1, OP_READ)), 0);
	assert_int_equal(trace_need_time(&t), 0);
	assert_int_equal(trace_need_file(&t), 0);
	assert_int_equal(trace_need_step(&t), 0);
	t.time[1] = 5;
	assert_int_equal(trace_need_time(&t), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(trace_push(&t, req_make(0, 1, OP_READ)), 0);
	for (size_t i = 0; i < t.count; i++) {
		assert_true(t.time[i] == (i == 1 ? 5 : TIME_NONE));
		assert_true(t.file[i] == 0 && t.step[i] == 0);
	}
}

static void a_copy_brings_its_columns(void **state _unused_)
{
	_cleanup_trace_ struct trace a = {0}, b = {0};

	assert_int_equal(trace_push(&a, req_make(7, 8, OP_TRIM)), 0);
	assert_int_equal(trace_need_time(&a) | trace_need_file(&a) | trace_need_step(&a), 0);
	a.time[0] = 1;
	a.file[0] = 2;
	a.step[0] = 3;
	assert_int_equal(trace_push(&b, req_make(1, 1, OP_READ)), 0);
	assert_int_equal(trace_copy(&b, &a, 0), 0);
	assert_int_equal(req_op(b.req[1]), OP_TRIM);
	assert_true(b.time[0] == TIME_NONE && b.file[0] == 0 && b.step[0] == 0);
	assert_true(b.time[1] == 1 && b.file[1] == 2 && b.step[1] == 3);

	for (int i = 0; i < 1000; i++)
		assert_int_equal(trace_copy(&b, &b, 1), 0);
	assert_true(b.time[1001] == 1 && req_length(b.req[1001]) == 8);
}

static void a_copy_without_values_makes_no_columns(void **state _unused_)
{
	_cleanup_trace_ struct trace a = {0}, b = {0};

	assert_int_equal(trace_push(&a, req_make(7, 8, OP_READ)), 0);
	assert_int_equal(trace_need_time(&a) | trace_need_file(&a) | trace_need_step(&a), 0);
	assert_int_equal(trace_copy(&b, &a, 0), 0);
	assert_null(b.time);
	assert_null(b.file);
	assert_null(b.step);
	assert_true(trace_equal(&a, &b));
}

static void a_swap_exchanges_all_columns(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};

	for (uint64_t i = 0; i < 2; i++)
		assert_int_equal(trace_push(&t, req_make(i, 10 + i, i ? OP_WRITE : OP_READ)), 0);
	assert_int_equal(trace_need_time(&t) | trace_need_file(&t) | trace_need_step(&t), 0);
	t.time[0] = 1;
	t.file[0] = 2;
	t.step[0] = 3;
	trace_swap(&t, 0, 1);
	assert_int_equal(req_op(t.req[0]), OP_WRITE);
	assert_true(req_offset(t.req[1]) == 0 && req_length(t.req[1]) == 10);
	assert_true(t.time[1] == 1 && t.file[1] == 2 && t.step[1] == 3);
	assert_true(t.time[0] == TIME_NONE && t.file[0] == 0 && t.step[0] == 0);
	trace_swap(&t, 1, 1);
	assert_true(t.time[1] == 1);
}

static void names_of_files_are_kept_or_refused(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};

	assert_int_equal(trace_name_file(&t, 3, "a b#c", 5), 0);
	assert_int_equal(trace_name_file(&t, 3, "a b#c", 5), 0);
	assert_int_equal(trace_name_file(&t, 3, "other", 5), -EINVAL);
	assert_int_equal(trace_name_file(&t, 0, "zerox", 4), 0);
	assert_string_equal(t.files[0], "zero");
	assert_string_equal(t.files[3], "a b#c");
	assert_null(t.files[1]);
	assert_int_equal(t.file_count, 4);
	assert_int_equal(trace_name_file(&t, TRACE_FILE_MAX, "last", 4), 0);
	assert_int_equal(trace_name_file(&t, TRACE_FILE_MAX + 1, "x", 1), -EINVAL);
	assert_int_equal(trace_name_file(&t, 5, "", 0), -EINVAL);
	assert_int_equal(trace_name_file(&t, 5, " x", 2), -EINVAL);
	assert_int_equal(trace_name_file(&t, 5, "x\t", 2), -EINVAL);
	assert_int_equal(trace_name_file(&t, 5, "x\ny", 3), -EINVAL);
	assert_int_equal(trace_name_file(&t, 5, "x\0y", 3), -EINVAL);
	assert_null(t.files[5]);
}

static void any_difference_makes_traces_unequal(void **state _unused_)
{
	_cleanup_trace_ struct trace a = {0}, b = {0};

	assert_true(trace_equal(&a, &b));
	assert_int_equal(trace_push(&a, req_make(1, 2, OP_READ)), 0);
	assert_false(trace_equal(&a, &b));
	assert_int_equal(trace_push(&b, req_make(1, 2, OP_WRITE)), 0);
	assert_false(trace_equal(&a, &b));
	b.req[0] = req_make(1, 2, OP_READ);
	assert_true(trace_equal(&a, &b));
	assert_int_equal(trace_need_time(&b) | trace_need_file(&b) | trace_need_step(&b), 0);
	assert_true(trace_equal(&a, &b));
	b.time[0] = 0;
	assert_false(trace_equal(&a, &b));
	b.time[0] = TIME_NONE;
	b.file[0] = 1;
	assert_false(trace_equal(&a, &b));
	b.file[0] = 0;
	b.step[0] = 1;
	assert_false(trace_equal(&a, &b));
	b.step[0] = 0;
	assert_int_equal(trace_name_file(&b, 1, "x", 1), 0);
	assert_false(trace_equal(&a, &b));
	assert_int_equal(trace_name_file(&a, 1, "x", 1), 0);
	assert_true(trace_equal(&a, &b));
}

static void a_cleared_trace_is_empty_and_usable(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};

	assert_int_equal(trace_need_time(&t), 0);
	assert_int_equal(trace_push(&t, req_make(1, 2, OP_READ)), 0);
	t.time[0] = 9;
	assert_int_equal(trace_name_file(&t, 0, "x", 1), 0);
	trace_clear(&t);
	assert_int_equal(t.count, 0);
	assert_string_equal(t.files[0], "x");
	assert_int_equal(trace_push(&t, req_make(3, 4, OP_READ)), 0);
	assert_true(t.time[0] == TIME_NONE);
}

static void what_memory_cannot_hold_is_refused(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};

	assert_int_equal(trace_push(&t, req_make(1, 2, OP_READ)), 0);
	assert_int_equal(trace_reserve(&t, SIZE_MAX), -EOVERFLOW);
	assert_int_equal(trace_reserve(&t, SIZE_MAX / 4), -ENOMEM);
	assert_int_equal(t.count, 1);
	assert_int_equal(trace_push(&t, req_make(3, 4, OP_READ)), 0);
	assert_true(req_offset(t.req[0]) == 1);
}

static void the_extent_tells_bytes_end_and_ops(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct trace_extent e;

	trace_extent(&t, &e);
	assert_true(e.bytes_sum == 0 && e.end == 0 && e.max_length == 0);
	assert_int_equal(trace_push(&t, req_make(100, 20, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(10, 30, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 500, OP_TRIM)), 0);
	/* a sync moves nothing, wherever it says that it is */
	assert_int_equal(trace_push(&t, req_make(4096, 4096, OP_SYNC)), 0);
	trace_extent(&t, &e);
	assert_true(e.bytes_sum == 550 && e.end == 500 && e.max_length == 30);
	assert_true(e.ops[OP_READ] == 1 && e.ops[OP_WRITE] == 1 && e.ops[OP_TRIM] == 1 && e.ops[OP_SYNC] == 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(trace_push(&t, req_make(0, REQ_MAX, OP_READ)), 0);
	trace_extent(&t, &e);
	assert_true(e.bytes_sum == UINT64_MAX && e.end == REQ_MAX);
}

static void a_source_gives_the_whole_trace_once(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct source s;
	struct batch b;

	source_of_trace(&s, &t);
	assert_int_equal(source_next(&s, &b), 0);
	assert_int_equal(trace_push(&t, req_make(1, 2, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(3, 4, OP_READ)), 0);
	assert_int_equal(trace_need_file(&t), 0);
	source_of_trace(&s, &t);
	assert_int_equal(source_next(&s, &b), 1);
	assert_int_equal(b.count, 2);
	assert_int_equal(b.first, 0);
	assert_ptr_equal(b.req, t.req);
	assert_null(b.time);
	assert_int_equal(source_next(&s, &b), 0);
	assert_int_equal(source_next(&s, &b), 0);
}

static uint64_t asked;

static bool no_room(uint64_t bytes)
{
	asked = bytes;
	return false;
}

static void growth_is_asked_about_every_mebirequest(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};

	t.room = no_room;
	assert_int_equal(trace_reserve(&t, 1000), 0);
	assert_int_equal(asked, 0);
	assert_int_equal(trace_reserve(&t, 1 << 20), -ENOMEM);
	assert_int_equal(asked, 16 << 20);
	assert_int_equal(trace_need_time(&t), 0);
	assert_int_equal(trace_reserve(&t, 1 << 20), -ENOMEM);
	assert_int_equal(asked, 24 << 20);
	/* more bytes than there are numbers for */
	assert_int_equal(trace_reserve(&t, SIZE_MAX / 4), -ENOMEM);
	t.room = NULL;
	assert_int_equal(trace_reserve(&t, 1 << 20), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_keeps_what_it_was_made_of),
		cmocka_unit_test(op_letters_are_read_in_either_case),
		cmocka_unit_test(pushes_keep_order_over_many_growths),
		cmocka_unit_test(columns_begin_with_their_defaults),
		cmocka_unit_test(a_copy_brings_its_columns),
		cmocka_unit_test(a_copy_without_values_makes_no_columns),
		cmocka_unit_test(a_swap_exchanges_all_columns),
		cmocka_unit_test(names_of_files_are_kept_or_refused),
		cmocka_unit_test(any_difference_makes_traces_unequal),
		cmocka_unit_test(growth_is_asked_about_every_mebirequest),
		cmocka_unit_test(a_cleared_trace_is_empty_and_usable),
		cmocka_unit_test(what_memory_cannot_hold_is_refused),
		cmocka_unit_test(the_extent_tells_bytes_end_and_ops),
		cmocka_unit_test(a_source_gives_the_whole_trace_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
