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
#include "trace/xform.h"

#include "marked.h"

static void make_random(struct trace *t, struct rng *r)
{
	size_t n = (size_t)rng_below(r, 40);

	trace_init(t);
	for (size_t i = 0; i < n; i++) {
		enum op op = (enum op)rng_below(r, OP_COUNT);
		uint64_t length = op == OP_SYNC || op == OP_DATASYNC ? 0 : rng_between(r, 1, 5000);

		push_marked(t, req_make(rng_below(r, 100000), length, op), i, true);
	}
}

/* A copy in which all columns exist. */
static void copy_whole(struct trace *to, const struct trace *from)
{
	trace_init(to);
	assert_int_equal(trace_need_time(to) | trace_need_file(to) | trace_need_step(to), 0);
	for (size_t i = 0; i < from->count; i++)
		assert_int_equal(trace_copy(to, from, i), 0);
}

static void round_up_covers_and_aligns(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < 1000; round++) {
		_cleanup_(trace_fini) struct trace t = {0}, old = {0};
		uint64_t align = UINT64_C(1) << rng_below(&r, 16);
		struct fault f;

		make_random(&t, &r);
		copy_whole(&old, &t);
		assert_int_equal(xform_round_up(&t, align, &f), 0);
		assert_int_equal(t.count, old.count);
		for (size_t i = 0; i < t.count; i++) {
			assert_int_equal(req_op(t.req[i]), req_op(old.req[i]));
			assert_true(t.time[i] == old.time[i] && t.file[i] == old.file[i] && t.step[i] == old.step[i]);
			if (req_is_sync(t.req[i])) {
				assert_memory_equal(&t.req[i], &old.req[i], sizeof(*t.req));
				continue;
			}
			assert_int_equal((req_offset(t.req[i]) | req_length(t.req[i])) % align, 0);
			assert_true(req_offset(t.req[i]) <= req_offset(old.req[i]));
			assert_true(req_end(t.req[i]) >= req_end(old.req[i]));
			assert_true(req_offset(old.req[i]) - req_offset(t.req[i]) < align);
			assert_true(req_end(t.req[i]) - req_end(old.req[i]) < align);
		}
	}
}

static void round_up_past_63_bits_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault f;

	push_marked(&t, req_make(1, 1, OP_READ), 0, false);
	push_marked(&t, req_make(REQ_MAX - 4096, 1, OP_READ), 0, false);
	assert_int_equal(xform_round_up(&t, 4096, &f), 0);
	assert_int_equal(req_end(t.req[1]), REQ_MAX - 4095);
	push_marked(&t, req_make(REQ_MAX - 1, 1, OP_READ), 0, false);
	assert_int_equal(xform_round_up(&t, 4096, &f), -EOVERFLOW);
	assert_int_equal(f.request, 3);
	assert_int_equal(xform_round_up(&t, UINT64_C(1) << 62, &f), -EOVERFLOW);
}

/* The pieces from t->req[*at] on are those of "whole", request number n of the trace before. */
static void assert_pieces(const struct trace *t, size_t *at, const struct trace *whole, size_t n, uint64_t min,
			  uint64_t max, uint64_t align)
{
	struct req r = whole->req[n];
	uint64_t next = req_offset(r);

	do {
		struct req piece = t->req[*at];

		assert_true(*at < t->count);
		assert_int_equal(req_op(piece), req_op(r));
		assert_int_equal(req_offset(piece), next);
		assert_int_equal(t->step[*at], n + 1);
		assert_true(t->time[*at] == whole->time[n] && t->file[*at] == whole->file[n]);
		next = req_end(piece);
		assert_true(next <= req_end(r));
		if (!req_is_sync(r)) {
			assert_in_range(req_length(piece), 1, max);
			if (next < req_end(r))
				assert_true(req_length(piece) >= min && req_length(piece) % align == 0);
		}
		++*at;
	} while (next < req_end(r));
}

static void break_up_covers_the_same_bytes_in_order(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 2);
	for (int round = 0; round < 1000; round++) {
		_cleanup_(trace_fini) struct trace t = {0}, whole = {0};
		uint64_t align = UINT64_C(1) << rng_below(&r, 9);
		uint64_t min = align * rng_between(&r, 1, 10), max = min + (round % 3 ? align * rng_below(&r, 10) : 0);
		size_t at = 0;

		make_random(&t, &r);
		copy_whole(&whole, &t);
		assert_int_equal(xform_break_up(&t, min, max, align, &r), 0);
		for (size_t i = 0; i < whole.count; i++)
			assert_pieces(&t, &at, &whole, i, min, max, align);
		assert_int_equal(at, t.count);
	}
}

static void pieces_have_every_size_alike(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	unsigned count[8] = {0};
	double chi = 0, want;
	struct rng r;

	rng_init(&r, 3);
	push_marked(&t, req_make(0, 1 << 26, OP_READ), 0, false);
	assert_int_equal(xform_break_up(&t, 1000, 7 * 512 + 3, 512, &r), 0);
	for (size_t i = 0; i + 1 < t.count; i++) {
		assert_int_equal(req_length(t.req[i]) % 512, 0);
		assert_in_range(req_length(t.req[i]), 1024, 7 * 512);
		count[req_length(t.req[i]) / 512]++;
	}
	want = (double)(t.count - 1) / 6;
	for (int i = 2; i < 8; i++)
		chi += (count[i] - want) * (count[i] - want) / want;
	/* 5 degrees of freedom: 1 in 10^6 is above 36 */
	assert_true(chi < 36);
}

static void break_up_without_a_size_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct rng r;

	rng_init(&r, 1);
	push_marked(&t, req_make(0, 10, OP_READ), 0, false);
	assert_int_equal(xform_break_up(&t, 0, 0, 1, &r), -EINVAL);
	assert_int_equal(xform_break_up(&t, 0, 100, 1, &r), -EINVAL);
	assert_int_equal(xform_break_up(&t, 5, 7, 4096, &r), -EINVAL);
	assert_int_equal(xform_break_up(&t, 3, 2, 1, &r), -EINVAL);
	assert_int_equal(t.count, 1);
}

static void what_no_memory_holds_is_not_tried(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct rng r;

	rng_init(&r, 1);
	push_marked(&t, req_make(0, REQ_MAX, OP_READ), 0, false);
	assert_int_equal(xform_break_up(&t, 1, 1, 1, &r), -ENOMEM);
	assert_int_equal(t.count, 1);
	assert_int_equal(req_length(t.req[0]), REQ_MAX);
}

static void interleave_keeps_both_orders(void **state _unused_)
{
	struct fault f;
	struct rng r;

	rng_init(&r, 7);
	for (int round = 0; round < 2000; round++) {
		_cleanup_(trace_fini) struct trace a = {0}, b = {0};
		size_t na = (size_t)rng_below(&r, 50), nb = (size_t)rng_below(&r, 50), ia = 0, ib = 0;

		make_marked(&a, na, 0, true);
		make_marked(&b, nb, 1000, true);
		assert_int_equal(xform_interleave(&a, &b, &r, &f), 0);
		assert_int_equal(a.count, na + nb);
		assert_int_equal(b.count, nb);
		for (size_t i = 0; i < a.count; i++) {
			uint64_t mark = mark_of(&a, i);

			assert_int_equal(mark, mark < 1000 ? ia++ : 1000 + ib++);
		}
		assert_int_equal(ia, na);
		assert_int_equal(ib, nb);
	}
}

static void a_column_of_one_side_is_default_on_the_other(void **state _unused_)
{
	for (int side = 0; side < 2; side++) {
		_cleanup_(trace_fini) struct trace a = {0}, b = {0};
		struct fault f;
		struct rng r;

		rng_init(&r, 8);
		make_marked(&a, 20, 0, side == 0);
		make_marked(&b, 20, 1000, side == 1);
		assert_int_equal(xform_interleave(&a, &b, &r, &f), 0);
		for (size_t i = 0; i < a.count; i++) {
			uint64_t mark = req_offset(a.req[i]);

			if ((mark >= 1000) == (side == 1))
				mark_of(&a, i);
			else
				assert_true(a.time[i] == TIME_NONE && a.file[i] == 0 && a.step[i] == 0);
		}
	}
}

/* All 10 merges of 3 and 2 are alike: 9 degrees of freedom, 1 in 10^6 is above 44. */
static void interleave_mixes_in_proportion(void **state _unused_)
{
	const double want = 2000;
	unsigned count[32] = {0}, merges = 0;
	double chi = 0;

	for (unsigned seed = 0; seed < 10 * (unsigned)want; seed++) {
		_cleanup_(trace_fini) struct trace a = {0}, b = {0};
		unsigned merge = 0;
		struct fault f;
		struct rng r;

		rng_init(&r, seed);
		make_marked(&a, 3, 0, false);
		make_marked(&b, 2, 1000, false);
		assert_int_equal(xform_interleave(&a, &b, &r, &f), 0);
		for (size_t i = 0; i < 5; i++)
			merge = merge << 1 | (req_offset(a.req[i]) >= 1000);
		count[merge]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(count); i++) {
		if (count[i]) {
			merges++;
			chi += (count[i] - want) * (count[i] - want) / want;
		}
	}
	assert_int_equal(merges, 10);
	assert_true(chi < 44);
}

static void interleave_joins_the_names_of_files(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace a = {0}, b = {0};
	struct fault f;
	struct rng r;

	rng_init(&r, 9);
	make_marked(&a, 3, 0, false);
	make_marked(&b, 3, 1000, false);
	assert_int_equal(trace_name_file(&a, 0, "zero", 4) | trace_name_file(&a, 2, "two", 3), 0);
	assert_int_equal(trace_name_file(&b, 2, "two", 3) | trace_name_file(&b, 5, "five", 4), 0);
	assert_int_equal(xform_interleave(&a, &b, &r, &f), 0);
	assert_int_equal(a.file_count, 6);
	assert_string_equal(a.files[0], "zero");
	assert_string_equal(a.files[2], "two");
	assert_string_equal(a.files[5], "five");
	assert_int_equal(trace_name_file(&b, 0, "other", 5), 0);
	assert_int_equal(xform_interleave(&a, &b, &r, &f), -EINVAL);
	assert_string_equal(f.text, "file 0 is 'zero' in one trace and 'other' in the other");
	assert_int_equal(a.count, 6);
}

static void one_seed_gives_one_result_for_ever(void **state _unused_)
{
	static const uint64_t mixed[] = {20, 21, 10, 11, 12, 13, 22, 23};
	static const uint64_t pieces[] = {3584, 2560, 3072, 1536, 3584, 1536, 3072, 1056};
	_cleanup_(trace_fini) struct trace a = {0}, b = {0}, cut = {0};
	struct fault f;
	struct rng r;

	rng_init(&r, 42);
	make_marked(&a, 4, 10, false);
	make_marked(&b, 4, 20, false);
	assert_int_equal(xform_interleave(&a, &b, &r, &f), 0);
	for (size_t i = 0; i < ARRAY_SIZE(mixed); i++)
		assert_int_equal(req_offset(a.req[i]), mixed[i]);
	push_marked(&cut, req_make(0, 20000, OP_READ), 0, false);
	assert_int_equal(xform_break_up(&cut, 512, 4096, 512, &r), 0);
	assert_int_equal(cut.count, ARRAY_SIZE(pieces));
	for (size_t i = 0; i < cut.count; i++)
		assert_int_equal(req_length(cut.req[i]), pieces[i]);
}

/* Last: the flag stays set. */
static void a_signal_ends_each(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0}, b = {0};
	struct fault f;
	struct rng r;

	rng_init(&r, 10);
	make_marked(&t, 200000, 1, false);
	make_marked(&b, 200000, 1, false);
	stop_request(SIGINT);
	assert_int_equal(xform_round_up(&t, 1, &f), -EINTR);
	assert_int_equal(xform_interleave(&t, &b, &r, &f), -EINTR);
	assert_int_equal(xform_break_up(&b, 1, 2, 1, &r), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_up_covers_and_aligns),
		cmocka_unit_test(round_up_past_63_bits_is_refused),
		cmocka_unit_test(break_up_covers_the_same_bytes_in_order),
		cmocka_unit_test(pieces_have_every_size_alike),
		cmocka_unit_test(break_up_without_a_size_is_refused),
		cmocka_unit_test(what_no_memory_holds_is_not_tried),
		cmocka_unit_test(interleave_keeps_both_orders),
		cmocka_unit_test(a_column_of_one_side_is_default_on_the_other),
		cmocka_unit_test(interleave_mixes_in_proportion),
		cmocka_unit_test(interleave_joins_the_names_of_files),
		cmocka_unit_test(one_seed_gives_one_result_for_ever),
		cmocka_unit_test(a_signal_ends_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
