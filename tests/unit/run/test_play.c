/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plays of real files count, with every engine that runs here. */
#include "stage.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/residency.h"

static void plays_every_request(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, PAGES);
		CHECK(e, r, bytes, SIZE);
		CHECK(e, r, seeks, 1);
		CHECK(e, r, short_reads + r.errors + r.past_end_requests + r.hit_limit, 0);
		assert_true(r.elapsed_ns > 0);
	}
}

static void counts_a_seek_where_a_request_does_not_follow(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	trace_swap(&t, 1, 2); /* 0 2 1 3: all four are seeks */
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.depth = deep(e);
		CHECK(e, play_once(&p, &t), seeks, 4);
	}
}

static void a_second_run_gives_the_same_counts(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(10);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = opened(&p, &t);

		play_again(play);
		CHECK(e, play_again(play), bytes, 10 * PAGE_BYTES);
	}
}

static void every_depth_plays_all(void **state _unused_)
{
	static const unsigned depths[] = {1, 2, 7, 64, 1000};
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (size_t d = 0; e->flags & ENGINE_ASYNC && d < ARRAY_SIZE(depths); d++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.depth = depths[d];
			r = play_once(&p, &t);
			CHECK(e, r, requests, PAGES);
			CHECK(e, r, bytes, SIZE);
			CHECK(e, r, seeks, 1);
		}
	}
}

static void a_request_across_the_end_is_played_up_to_it(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one_request(SIZE - 100, PAGE_BYTES, OP_READ);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = opened(&p, &t);
		struct play_result r = play_again(play);
		struct play_info info;

		play_get_info(play, &info);
		assert_true(info.past_end);
		CHECK(e, r, bytes, 100);
		CHECK(e, r, past_end_requests, 1);
		CHECK(e, r, past_end_bytes, PAGE_BYTES - 100);
		CHECK(e, r, short_reads + r.errors, 0);
	}
}

static void a_request_past_the_end_moves_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one_request(SIZE, 10, OP_READ);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(REQ_MAX - 7, 7, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, 2);
		CHECK(e, r, bytes, 0);
		CHECK(e, r, past_end_requests, 2);
		CHECK(e, r, past_end_bytes, 17);
		CHECK(e, r, short_reads + r.errors, 0);
	}
}

static void a_request_of_no_length_counts_and_moves_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one_request(0, 0, OP_READ);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(0, PAGE_BYTES, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(2 * SIZE, 0, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, 3);
		CHECK(e, r, bytes, PAGE_BYTES);
		CHECK(e, r, past_end_requests, 0);
	}
}

static void an_empty_trace_gives_zeros(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(0);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests + r.bytes + r.seeks + r.errors + r.hit_limit, 0);
	}
}

static void an_empty_file_has_nothing_to_read(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	const struct engine *e;

	make_file(0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, 1);
		CHECK(e, r, bytes, 0);
		CHECK(e, r, past_end_bytes, PAGE_BYTES);
	}
}

static void a_request_over_two_gigabytes_is_one_request(void **state _unused_)
{
	const uint64_t size = (UINT64_C(2) << 30) + 3 * PAGE_BYTES + 5;
	_cleanup_(trace_fini) struct trace t = one_request(0, size + 1, OP_READ);
	const struct engine *e;
	bool direct;

	make_file(size);
	direct = direct_works();
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.depth = deep(e);
		/* Direct reads of a hole fill no page cache, which takes seconds. */
		p.direct = direct && e->flags & ENGINE_DIRECT;
		if (!p.direct && strcmp(e->name, "pread") != 0)
			continue;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 1);
		CHECK(e, r, bytes, size);
		CHECK(e, r, seeks, 1);
		CHECK(e, r, past_end_bytes, 1);
		CHECK(e, r, short_reads, 0);
	}
}

static void expect_tail(void)
{
	const uint64_t tail = 77;
	_cleanup_(trace_fini) struct trace t = one_request(PAGE_BYTES, 8 * PAGE_BYTES, OP_READ);
	const struct engine *e;

	make_file(3 * PAGE_BYTES + tail);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.direct = true;
		if (!(e->flags & ENGINE_DIRECT))
			continue;
		r = play_once(&p, &t);
		CHECK(e, r, bytes, 2 * PAGE_BYTES + tail);
		CHECK(e, r, past_end_bytes, 6 * PAGE_BYTES - tail);
		CHECK(e, r, short_reads + r.errors, 0);
	}
}

static void direct_reads_reach_the_unaligned_tail(void **state _unused_)
{
	if (!direct_works())
		skip_because("no direct I/O under /var/tmp");
	expect_tail();
}

/* Pages of f in the page cache; UINT64_MAX: not told. */
static uint64_t cached(void)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;
	struct fault fault;

	assert_int_equal(target_open(&t, "f", 0, &fault), 0);
	return target_residency(&t, &r) < 0 ? UINT64_MAX : r.cached;
}

static void prepare(bool keep)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct fault fault;

	p.cache = CACHE_KEEP;
	play_once(&p, &t);
	p.cache = keep ? CACHE_KEEP : CACHE_DROP_FIRST;
	play = opened(&p, &t);
	assert_int_equal(play_prepare(play, &fault), 0);
}

static void the_cache_is_dropped_before_the_play_unless_kept(void **state _unused_)
{
	_cleanup_close_ int direct = open("f", O_RDONLY | O_DIRECT);

	if (direct < 0)
		skip_because("the file system under /var/tmp may be tmpfs, which keeps its pages");
	if (cached() == UINT64_MAX)
		skip_because("the kernel does not tell what is cached");
	prepare(true);
	assert_int_equal(cached(), PAGES);
	prepare(false);
	assert_int_equal(cached(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(plays_every_request, full_file),
		cmocka_unit_test_setup(counts_a_seek_where_a_request_does_not_follow, full_file),
		cmocka_unit_test_setup(a_second_run_gives_the_same_counts, full_file),
		cmocka_unit_test_setup(every_depth_plays_all, full_file),
		cmocka_unit_test_setup(a_request_across_the_end_is_played_up_to_it, full_file),
		cmocka_unit_test_setup(a_request_past_the_end_moves_nothing, full_file),
		cmocka_unit_test_setup(a_request_of_no_length_counts_and_moves_nothing, full_file),
		cmocka_unit_test_setup(an_empty_trace_gives_zeros, full_file),
		cmocka_unit_test_setup(an_empty_file_has_nothing_to_read, full_file),
		cmocka_unit_test_setup(a_request_over_two_gigabytes_is_one_request, full_file),
		cmocka_unit_test_setup(direct_reads_reach_the_unaligned_tail, full_file),
		cmocka_unit_test_setup(the_cache_is_dropped_before_the_play_unless_kept, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
