/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loops against an engine that does what real storage does rarely: see test_play.c for real files. */
#include "fake.h"

#include <stdlib.h>

static void keeps_as_many_in_flight_as_depth_allows(void **state _unused_)
{
	const struct script s = {0};
	_cleanup_free_ struct job *j = run_pages(&fake_async, &s, 100, false);

	assert_int_equal(j->error, 0);
	assert_int_equal(j->result.requests, 100);
	assert_int_equal(j->result.bytes, 100 * PAGE_BYTES);
	assert_int_equal(j->result.seeks, 1);
	assert_int_equal(fake.most, DEPTH);
	assert_int_equal(fake.count, 0);
}

static const struct flight_rules no_limits = {
	.size = INT64_MAX, .plain_end = INT64_MAX, .align = 1, .piece_max = IO_MAX};

/* A gate that opens for one party counts: at the start, at each meeting, and when the job leaves. */
static void a_barrier_closes_what_follows_it_in_the_list_too(void **state _unused_)
{
	const struct {
		enum play_after after[3];
		unsigned count, meetings, releases;
	} cases[] = {
		{{AFTER_BARRIER}, 1, 1, 0},
		{{AFTER_DONTNEED}, 1, 0, 1},
		{{AFTER_BARRIER, AFTER_DONTNEED}, 2, 2, 1},
		{{AFTER_DONTNEED, AFTER_BARRIER}, 2, 1, 1},
		{{AFTER_BARRIER, AFTER_DONTNEED, AFTER_BARRIER}, 3, 2, 1},
	};
	const struct script s = {0};

	for (size_t n = 0; n < ARRAY_SIZE(cases); n++) {
		for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
			_cleanup_(trace_fini) struct trace t = pages(3);
			struct play_params play = {.jobs = 1, .loops = 4, .after_count = cases[n].count};
			_cleanup_free_ struct job *j = NULL;
			struct gate gate;

			memcpy(play.after, cases[n].after, sizeof(play.after[0]) * 3);
			j = run_job(fake_engines[i], &s, &t, &play, &gate, &no_limits);
			assert_int_equal(j->error, 0);
			assert_int_equal(j->result.loops, 4);
			assert_int_equal(j->result.requests, 12);
			assert_int_equal(gate_seen(&gate), 2 + 4 * cases[n].meetings);
			assert_int_equal(fake.releases, 4 * cases[n].releases);
		}
	}
}

static void an_engine_that_cannot_release_ends_the_play_with_its_reason(void **state _unused_)
{
	const struct script s = {.release_fails = true};
	const struct play_params play = {.jobs = 1, .loops = 4, .after = {AFTER_PAGEOUT}, .after_count = 1};

	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		_cleanup_(trace_fini) struct trace t = pages(3);
		_cleanup_free_ struct job *j = NULL;
		struct gate gate;

		j = run_job(fake_engines[i], &s, &t, &play, &gate, &no_limits);
		assert_int_equal(j->error, -EINVAL);
		assert_non_null(strstr(j->fault.text, "reclaim its pages"));
		assert_int_equal(j->result.loops, 0);
		assert_int_equal(j->result.requests, 3);
	}
}

static void the_play_goes_on_when_all_have_come_back_at_once(void **state _unused_)
{
	const struct script s = {.reap_all = true};
	_cleanup_free_ struct job *j = run_pages(&fake_async, &s, 100, false);

	assert_int_equal(j->error, 0);
	assert_int_equal(j->result.bytes, 100 * PAGE_BYTES);
	assert_int_equal(fake.most, DEPTH);
}

static void a_full_queue_is_reaped_and_tried_again(void **state _unused_)
{
	const struct script s = {.queue = 3};
	_cleanup_free_ struct job *j = run_pages(&fake_async, &s, 100, false);

	assert_int_equal(j->error, 0);
	assert_int_equal(j->result.bytes, 100 * PAGE_BYTES);
	assert_int_equal(fake.submits, 100);
	assert_int_equal(fake.most, 3);
}

static void a_queue_that_takes_nothing_is_an_error_not_a_hang(void **state _unused_)
{
	const struct script s = {.full = true};
	_cleanup_free_ struct job *j = run_pages(&fake_async, &s, 10, false);

	assert_int_equal(j->error, -EAGAIN);
	assert_non_null(strstr(j->fault.text, "fake_async"));
}

static void the_first_error_is_the_first_of_the_trace(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.bad = {3, 5}};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 20, true);

		assert_int_equal(j->error, 0);
		assert_int_equal(j->result.requests, 20);
		assert_int_equal(j->result.bytes, 18 * PAGE_BYTES);
		assert_int_equal(j->result.errors, 2);
		assert_int_equal(j->result.error_kinds, 2);
		assert_false(j->result.stopped_by_error);
		for (unsigned k = 0; k < 2; k++) {
			const struct play_error *e = &j->result.error[k];

			assert_int_equal(e->count, 1);
			assert_int_equal(e->first_offset, (e->error == EIO ? 2 : 4) * PAGE_BYTES);
			assert_int_equal(e->first_length, PAGE_BYTES);
			assert_int_equal(e->first_request, e->error == EIO ? 3 : 5);
		}
	}
}

static void one_error_of_two_is_told_by_the_earlier_request(void **state _unused_)
{
	/* Requests 2 and 7 read the same bad page; 7 comes back before 2. */
	const struct script s = {.bad = {2}};
	struct job *j;

	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		_cleanup_(trace_fini) struct trace t;

		trace_init(&t);
		for (size_t k = 0; k < 7; k++)
			assert_int_equal(trace_push(&t, req_make((k == 6 ? 1 : k) * PAGE_BYTES, k + 1, OP_READ)), 0);
		j = run_trace(fake_engines[i], &s, &t, true, IO_MAX);
		assert_int_equal(j->result.error_kinds, 1);
		assert_int_equal(j->result.error[0].count, 2);
		assert_int_equal(j->result.error[0].first_request, 2);
		assert_int_equal(j->result.error[0].first_length, 2);
		free(j);
	}
}

static void an_error_stops_the_play_and_what_is_in_flight_is_reaped(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.bad = {21}};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 100, false);

		assert_int_equal(j->error, 0);
		assert_true(j->result.stopped_by_error);
		assert_int_equal(j->result.errors, 1);
		assert_int_equal(j->result.error[0].first_request, 21);
		assert_int_equal(j->result.requests, fake.submits);
		assert_int_equal(j->result.bytes, (fake.submits - 1) * PAGE_BYTES);
		assert_in_range(j->result.requests, 21, 21 + fake_engines[i]->max_depth - 1);
		assert_int_equal(fake.count, 0);
	}
}

static void errors_beyond_the_table_are_counted(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.bad = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 12, true);

		assert_int_equal(j->result.errors, 10);
		assert_int_equal(j->result.error_kinds, PLAY_ERRNOS);
		assert_int_equal(j->result.bytes, 2 * PAGE_BYTES);
	}
}

static void what_goes_wrong_ends_a_run_where_it_is(void **state _unused_)
{
	/* Longer than any number of requests that one call may take. */
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.bad = {100, 300}, .moves_less = 500};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 1000, true);

		assert_int_equal(j->error, 0);
		assert_int_equal(j->result.requests, 1000);
		assert_int_equal(fake.submits, 1000);
		assert_int_equal(j->result.seeks, 1);
		assert_int_equal(j->result.errors, 2);
		assert_int_equal(j->result.bytes, 997 * PAGE_BYTES + 10);
	}
}

static void a_short_read_is_counted_with_what_it_lacks(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.moves_less = 4};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 12, false);

		assert_int_equal(j->result.requests, 12);
		assert_int_equal(j->result.short_reads, 1);
		assert_int_equal(j->result.short_bytes, PAGE_BYTES - 10);
		assert_int_equal(j->result.bytes, 11 * PAGE_BYTES + 10);
		assert_int_equal(j->result.errors, 0);
	}
}

static void a_long_request_goes_in_pieces_and_counts_once(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.moves_less = 13};
		_cleanup_(trace_fini) struct trace t;
		struct job *j;

		trace_init(&t);
		for (size_t k = 0; k < 20; k++) /* pages 0-3, 4-7, ... : page 12 starts the second piece of none */
			assert_int_equal(trace_push(&t, req_make(k * 4 * PAGE_BYTES, 4 * PAGE_BYTES - 1, OP_READ)), 0);
		j = run_trace(fake_engines[i], &s, &t, false, PAGE_BYTES);
		assert_int_equal(j->result.requests, 20);
		assert_int_equal(fake.submits, 19 * 4 + 1);
		assert_int_equal(j->result.short_reads, 1);
		assert_int_equal(j->result.short_bytes, 4 * PAGE_BYTES - 1 - 10);
		assert_int_equal(j->result.bytes, 19 * (4 * PAGE_BYTES - 1) + 10);
		free(j);
	}
}

static void a_failing_engine_ends_the_play_with_its_name(void **state _unused_)
{
	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		const struct script s = {.breaks = 6};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 12, true);

		assert_int_equal(j->error, -ENXIO);
		assert_non_null(strstr(j->fault.text, fake_engines[i]->name));
		assert_int_equal(fake.count, 0);
		assert_int_equal(j->result.bytes, 5 * PAGE_BYTES);
	}
}

static void a_failing_reap_ends_the_play(void **state _unused_)
{
	const struct script s = {.reap_fails = true};
	_cleanup_free_ struct job *j = run_pages(&fake_async, &s, 12, true);

	assert_int_equal(j->error, -ENXIO);
	assert_non_null(strstr(j->fault.text, "wait"));
}

static struct trace some_pages(size_t n)
{
	struct trace t;

	trace_init(&t);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_push(&t, req_make(i * PAGE_BYTES, PAGE_BYTES, OP_READ)), 0);
	return t;
}

static void what_is_not_cached_is_a_miss_and_no_error(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = some_pages(12);

	for (size_t i = 0; i < ARRAY_SIZE(fake_engines); i++) {
		for (unsigned shape = 0; shape < 4; shape++) {
			const struct script s = {.cold = 5, .warm_bytes = shape & 1 ? 100 : 0};
			const struct flight_rules rules = {.size = INT64_MAX, .align = 1, .piece_max = IO_MAX,
							   .nowait = true, .reread = shape & 2};
			_cleanup_free_ struct job *j = run_rules(fake_engines[i], &s, &t, false, &rules);
			uint64_t lacks = PAGE_BYTES - s.warm_bytes;

			assert_int_equal(j->error, 0);
			assert_int_equal(j->result.requests, 12);
			assert_int_equal(j->result.misses, 1);
			assert_int_equal(j->result.miss_bytes, lacks);
			assert_int_equal(j->result.bytes, 12 * PAGE_BYTES - (rules.reread ? 0 : lacks));
			assert_int_equal(j->result.errors + j->result.short_reads, 0);
			assert_int_equal(fake.submits, rules.reread ? 13 : 12);
		}
	}
}

static void eagain_of_a_read_that_may_wait_is_an_error(void **state _unused_)
{
	/* fake_many moves what it reads in a row without looking at the script's cold page. */
	for (size_t i = 0; i < 2; i++) {
		const struct script s = {.cold = 5};
		_cleanup_free_ struct job *j = run_pages(fake_engines[i], &s, 12, true);

		assert_int_equal(j->result.misses, 0);
		assert_int_equal(j->result.errors, 1);
		assert_int_equal(j->result.error[0].error, EAGAIN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_as_many_in_flight_as_depth_allows),
		cmocka_unit_test(a_barrier_closes_what_follows_it_in_the_list_too),
		cmocka_unit_test(an_engine_that_cannot_release_ends_the_play_with_its_reason),
		cmocka_unit_test(the_play_goes_on_when_all_have_come_back_at_once),
		cmocka_unit_test(a_full_queue_is_reaped_and_tried_again),
		cmocka_unit_test(a_queue_that_takes_nothing_is_an_error_not_a_hang),
		cmocka_unit_test(the_first_error_is_the_first_of_the_trace),
		cmocka_unit_test(one_error_of_two_is_told_by_the_earlier_request),
		cmocka_unit_test(an_error_stops_the_play_and_what_is_in_flight_is_reaped),
		cmocka_unit_test(errors_beyond_the_table_are_counted),
		cmocka_unit_test(what_goes_wrong_ends_a_run_where_it_is),
		cmocka_unit_test(a_short_read_is_counted_with_what_it_lacks),
		cmocka_unit_test(a_long_request_goes_in_pieces_and_counts_once),
		cmocka_unit_test(a_failing_engine_ends_the_play_with_its_name),
		cmocka_unit_test(a_failing_reap_ends_the_play),
		cmocka_unit_test(what_is_not_cached_is_a_miss_and_no_error),
		cmocka_unit_test(eagain_of_a_read_that_may_wait_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
