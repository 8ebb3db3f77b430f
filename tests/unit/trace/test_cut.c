/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/cut.h"

#include "random.h"

#define ROUNDS 2000

static void head_and_tail_are_the_two_ends(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace whole = {0}, head = {0}, tail = {0};
		uint64_t n;

		make_any(&whole, &r, 20);
		n = rng_below(&r, whole.count + 3);
		copy_any(&head, &whole);
		copy_any(&tail, &whole);
		cut_head(&head, n);
		assert_int_equal(cut_tail(&tail, whole.count > n ? whole.count - n : 0), 0);
		/* what head leaves off is what tail keeps */
		assert_int_equal(head.count + tail.count, whole.count);
		assert_int_equal(head.count, MIN(n, whole.count));
		for (size_t i = 0; i < head.count; i++)
			assert_true(same_request(&head, i, &whole, i));
		for (size_t i = 0; i < tail.count; i++)
			assert_true(same_request(&tail, i, &whole, head.count + i));
	}
}

static void more_than_all_is_all(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};

	assert_int_equal(trace_push(&t, req_make(0, 1, OP_READ)), 0);
	cut_head(&t, UINT64_MAX);
	assert_int_equal(cut_tail(&t, UINT64_MAX), 0);
	assert_int_equal(t.count, 1);
	assert_int_equal(cut_tail(&t, 0), 0);
	assert_int_equal(t.count, 0);
}

static void a_sample_keeps_order_and_columns(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 2);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace whole = {0}, t = {0};
		size_t at = 0;

		make_any(&whole, &r, 30);
		/* its number in the step column, so that a request is found again */
		assert_int_equal(trace_need_step(&whole), 0);
		for (size_t i = 0; i < whole.count; i++)
			whole.step[i] = i + 1;
		copy_any(&t, &whole);
		assert_int_equal(cut_sample(&t, 500000000, &r), 0);
		for (size_t i = 0; i < t.count; i++) {
			assert_true(t.step[i] > at);
			at = t.step[i];
			assert_true(same_request(&t, i, &whole, at - 1));
		}
	}
}

/* Half a million draws each: five standard deviations are at most 0.36 % of them. */
static void a_sample_has_the_share_asked_for(void **state _unused_)
{
	static const double share[] = {0.000001, 0.1, 0.5, 0.99, 1};
	const size_t n = 500000;
	struct rng r;

	rng_init(&r, 3);
	for (size_t k = 0; k < ARRAY_SIZE(share); k++) {
		_cleanup_(trace_fini) struct trace t = {0};
		double got;

		for (size_t i = 0; i < n; i++)
			assert_int_equal(trace_push(&t, req_make(i, 1, OP_READ)), 0);
		assert_int_equal(cut_sample(&t, (uint64_t)(share[k] * 1e9), &r), 0);
		got = (double)t.count / (double)n;
		assert_true(got > share[k] - 0.0036 && got < share[k] + 0.0036);
		if (share[k] == 1)
			assert_int_equal(t.count, n);
	}
}

/* Where a trace is, byte after byte, and whose byte that is. */
struct walk {
	const struct trace *t;
	size_t i;
	uint64_t done; /* bytes of request i */
};

static bool walk_next(struct walk *w, uint64_t *place)
{
	while (w->i < w->t->count && (req_is_sync(w->t->req[w->i]) || w->done == req_length(w->t->req[w->i]))) {
		w->i++;
		w->done = 0;
	}
	if (w->i == w->t->count)
		return false;
	*place = req_offset(w->t->req[w->i]) + w->done++;
	return true;
}

static size_t count_syncs(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		n += req_is_sync(t->req[i]);
	return n;
}

static void merge_keeps_each_byte_in_its_place(void **state _unused_)
{
	size_t joined = 0;
	struct rng r;

	rng_init(&r, 4);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace whole = {0}, t = {0};
		struct walk a = {.t = &whole}, b = {.t = &t};
		uint64_t x = 0, y = 0;

		make_any(&whole, &r, 20);
		copy_any(&t, &whole);
		assert_int_equal(cut_merge(&t), 0);
		assert_int_equal(count_syncs(&t), count_syncs(&whole));
		while (walk_next(&a, &x)) {
			assert_true(walk_next(&b, &y));
			assert_int_equal(x, y);
			assert_int_equal(req_op(whole.req[a.i]), req_op(t.req[b.i]));
			assert_int_equal(file_at(&whole, a.i), file_at(&t, b.i));
			if (b.done == 1 && a.done == 1 && req_length(whole.req[a.i]) && (!a.i || req_length(whole.req[a.i - 1])))
				assert_true(same_columns(&whole, a.i, &t, b.i));
		}
		assert_false(walk_next(&b, &y));
		for (size_t i = 1; i < t.count; i++)
			assert_false(!req_is_sync(t.req[i]) && req_op(t.req[i - 1]) == req_op(t.req[i]) &&
				     req_end(t.req[i - 1]) == req_offset(t.req[i]) && file_at(&t, i - 1) == file_at(&t, i));
		joined += whole.count - t.count;
	}
	assert_true(joined > ROUNDS / 4);
}

static void merge_stops_at_another_op_file_or_a_sync(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};

	assert_int_equal(trace_need_file(&t), 0);
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(trace_push(&t, req_make(i * 10, 10, i == 2 || i == 3 ? OP_WRITE : OP_READ)), 0);
	t.file[3] = t.file[4] = t.file[5] = 1;
	assert_int_equal(trace_push(&t, req_make(60, 0, OP_SYNC)), 0);
	assert_int_equal(trace_push(&t, req_make(60, 0, OP_SYNC)), 0);
	t.file[6] = t.file[7] = 1;
	assert_int_equal(cut_merge(&t), 0);
	assert_int_equal(t.count, 6);
	assert_int_equal(req_length(t.req[0]), 20);
	assert_int_equal(req_length(t.req[1]), 10);
	assert_int_equal(req_length(t.req[2]), 10);
	assert_int_equal(req_offset(t.req[3]), 40);
	assert_int_equal(req_length(t.req[3]), 20);
	assert_int_equal(req_op(t.req[5]), OP_SYNC);
}

static void wrap_moves_each_byte_modulo_the_size(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 5);
	for (int round = 0; round < ROUNDS; round++) {
		_cleanup_(trace_fini) struct trace whole = {0}, t = {0};
		uint64_t size = 1 + rng_below(&r, rng_below(&r, 2) ? 100 : 70000), x = 0, y = 0;
		struct walk a = {.t = &whole}, b = {.t = &t};
		size_t pieces = 0;

		make_any(&whole, &r, 20);
		copy_any(&t, &whole);
		assert_int_equal(cut_wrap(&t, size), 0);
		while (walk_next(&a, &x)) {
			assert_true(walk_next(&b, &y));
			assert_int_equal(y, x % size);
			assert_int_equal(req_op(whole.req[a.i]), req_op(t.req[b.i]));
			assert_true(same_columns(&whole, a.i, &t, b.i));
			pieces += b.done == 1;
			/* a piece begins with a request or at 0, nowhere else */
			assert_true(b.done > 1 || a.done == 1 || y == 0);
		}
		assert_false(walk_next(&b, &y));
		for (size_t i = 0; i < whole.count; i++)
			pieces += req_is_sync(whole.req[i]) || req_length(whole.req[i]) == 0;
		assert_int_equal(t.count, pieces);
		for (size_t i = 0; i < t.count; i++)
			assert_true(req_is_sync(t.req[i]) || req_end(t.req[i]) <= size);
	}
}

static void wrap_leaves_what_fits_and_refuses_what_no_memory_holds(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};

	assert_int_equal(trace_push(&t, req_make(REQ_MAX - 10, 10, OP_WRITE)), 0);
	assert_int_equal(cut_wrap(&t, REQ_MAX), 0);
	assert_int_equal(t.count, 1);
	assert_int_equal(req_offset(t.req[0]), REQ_MAX - 10);
	assert_int_equal(trace_push(&t, req_make(1, REQ_MAX - 1, OP_READ)), 0);
	assert_int_equal(cut_wrap(&t, 1), -ENOMEM);
	assert_int_equal(t.count, 2);
}

/* Last: the flag stays set. */
static void a_signal_ends_each(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct rng r;

	rng_init(&r, 6);
	for (size_t i = 0; i < 200000; i++)
		assert_int_equal(trace_push(&t, req_make(2 * i, 1, OP_READ)), 0);
	stop_request(SIGINT);
	assert_int_equal(cut_merge(&t), -EINTR);
	assert_int_equal(cut_wrap(&t, 1000), -EINTR);
	assert_int_equal(cut_sample(&t, 1000000000, &r), -EINTR);
	assert_int_equal(cut_tail(&t, t.count - 1), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_and_tail_are_the_two_ends),
		cmocka_unit_test(more_than_all_is_all),
		cmocka_unit_test(a_sample_keeps_order_and_columns),
		cmocka_unit_test(a_sample_has_the_share_asked_for),
		cmocka_unit_test(merge_keeps_each_byte_in_its_place),
		cmocka_unit_test(merge_stops_at_another_op_file_or_a_sync),
		cmocka_unit_test(wrap_moves_each_byte_modulo_the_size),
		cmocka_unit_test(wrap_leaves_what_fits_and_refuses_what_no_memory_holds),
		cmocka_unit_test(a_signal_ends_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
