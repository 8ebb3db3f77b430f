/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/dist.h"
#include "trace/reuse.h"

#include "random.h"

#define EXACT (UINT64_C(1) << 40)

/* The pages in the order of their last touch, the latest first: what an LRU list is, moved by hand. */
struct list {
	struct {
		uint64_t page;
		uint32_t file;
		bool again;
	} entry[5000];
	size_t count;
	uint64_t at[5000]; /* touches at each distance */
	uint64_t touches, again;
};

static void list_touch(struct list *l, uint32_t file, uint64_t page)
{
	size_t i = 0;
	bool again;

	while (i < l->count && (l->entry[i].page != page || l->entry[i].file != file))
		i++;
	l->touches++;
	again = i < l->count;
	if (again) {
		l->at[i]++;
		l->again += !l->entry[i].again;
	} else {
		assert_true(++l->count < ARRAY_SIZE(l->entry));
	}
	memmove(l->entry + 1, l->entry, i * sizeof(*l->entry));
	l->entry[0].page = page;
	l->entry[0].file = file;
	l->entry[0].again = again;
}

static void list_request(struct list *l, uint32_t file, uint64_t offset, uint64_t length)
{
	for (uint64_t byte = offset; byte < offset + length; byte = (byte | (PAGE_BYTES - 1)) + 1)
		list_touch(l, file, byte / PAGE_BYTES);
}

static uint64_t list_misses(const struct list *l, uint64_t pages)
{
	uint64_t misses = l->count;

	for (size_t i = pages; i < ARRAY_SIZE(l->at); i++)
		misses += l->at[i];
	return misses;
}

static void assert_alike(const struct reuse *r, const struct list *l)
{
	_cleanup_free_ struct reuse_point *point = calloc(REUSE_BUCKETS, sizeof(*point));

	assert_int_equal(r->rate, 0);
	assert_int_equal(r->touches, l->touches);
	assert_int_equal(reuse_footprint(r), l->count);
	assert_int_equal(reuse_again(r), l->again);
	for (size_t d = ARRAY_SIZE(l->at); d-- > 0;) {
		if (l->at[d]) {
			assert_int_equal(r->largest, d);
			break;
		}
	}
	reuse_curve(r, point);
	for (size_t b = 0; reuse_edge(b) < ARRAY_SIZE(l->at); b++) {
		double want = l->touches ? (double)list_misses(l, reuse_edge(b)) / (double)l->touches : 0;

		assert_true(fabs(point[b].misses - want) < 1e-12);
		assert_true(point[b].error == 0);
	}
}

static void it_is_what_a_list_moved_by_hand_gives(void **state _unused_)
{
	static struct list l;
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < 120; round++) {
		_cleanup_(reuse_fini) struct reuse u = {0};
		uint64_t range = 1 + rng_below(&r, round % 2 ? 100 : 1000), longest = 1 + rng_below(&r, 40);
		uint64_t where = 0;

		l = (struct list){0};
		assert_int_equal(reuse_init(&u, EXACT), 0);
		for (int i = 0; i < 300; i++) {
			uint32_t file = round % 3 ? 0 : (uint32_t)rng_below(&r, 3) * 30000;
			uint64_t length = rng_below(&r, longest * PAGE_BYTES);

			/* at random, on from the last, or the last again */
			if (rng_below(&r, 3) == 0)
				where = rng_below(&r, range * PAGE_BYTES);
			else if (rng_below(&r, 4))
				where = (where + length) % (range * PAGE_BYTES);
			assert_int_equal(reuse_touch(&u, file, where, length), 0);
			list_request(&l, file, where, length);
		}
		assert_alike(&u, &l);
	}
}

static void touches_of_part_of_a_page_are_touches(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse u = {0};

	assert_int_equal(reuse_init(&u, EXACT), 0);
	assert_int_equal(reuse_touch(&u, 0, 4095, 2), 0);
	assert_int_equal(reuse_touch(&u, 0, 4096, 4096), 0);
	assert_int_equal(reuse_touch(&u, 0, 77, 0), 0);
	assert_int_equal(u.touches, 3);
	assert_int_equal(reuse_footprint(&u), 2);
	assert_int_equal(reuse_again(&u), 1);
	assert_int_equal(u.counts->at[0], 1);
}

/* 2009's pattern: every 100 pages a read of 110. */
static void of_pattern_hot_10_a_tenth_is_touched_again(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse u = {0};
	_cleanup_free_ struct reuse_point *point = calloc(REUSE_BUCKETS, sizeof(*point));

	assert_int_equal(reuse_init(&u, EXACT), 0);
	for (uint64_t page = 0; page <= 10000000; page += 100)
		assert_int_equal(reuse_touch(&u, 0, page * PAGE_BYTES, 110 * PAGE_BYTES), 0);
	assert_int_equal(u.touches, 11000110);
	assert_int_equal(reuse_footprint(&u), 10000110);
	assert_int_equal(reuse_again(&u), 1000000);
	/* by the very next request: nine others of the ten lie between */
	assert_int_equal(u.counts->at[9], 1000000);
	assert_int_equal(u.largest, 9);
	reuse_curve(&u, point);
	assert_true(point[9].misses == 1);
	assert_true(fabs(point[10].misses - 10000110.0 / 11000110) < 1e-12);
	/* in ranges, not in pages */
	assert_true(u.pages.count < 300000);
}

static void a_loop_needs_a_cache_as_large_as_itself(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse u = {0};
	_cleanup_free_ struct reuse_point *point = calloc(REUSE_BUCKETS, sizeof(*point));
	const uint64_t pages = UINT64_C(1) << 30;

	assert_int_equal(reuse_init(&u, EXACT), 0);
	/* 4 TiB in requests of 4 GiB */
	for (int loop = 0; loop < 4; loop++)
		for (uint64_t page = 0; page < pages; page += 1 << 20)
			assert_int_equal(reuse_touch(&u, 0, page * PAGE_BYTES, PAGE_BYTES << 20), 0);
	assert_int_equal(reuse_footprint(&u), pages);
	assert_int_equal(reuse_again(&u), pages);
	assert_int_equal(u.largest, pages - 1);
	reuse_curve(&u, point);
	assert_true(point[reuse_bucket(pages) - 1].misses == 1);
	assert_true(point[reuse_bucket(pages)].misses == 0.25);
	assert_true(u.pages.count < 10);
}

static void offsets_and_files_at_their_limits_are_apart(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse u = {0};

	assert_int_equal(reuse_init(&u, EXACT), 0);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(reuse_touch(&u, TRACE_FILE_MAX, REQ_MAX - 4096, 4096), 0);
		assert_int_equal(reuse_touch(&u, 0, REQ_MAX - 4096, 4096), 0);
		assert_int_equal(reuse_touch(&u, 0, 0, 1), 0);
		/* over the edge of a region */
		assert_int_equal(reuse_touch(&u, 1, (UINT64_C(1) << 48) - 4096, 8192), 0);
	}
	assert_int_equal(u.touches, 14);
	assert_int_equal(reuse_footprint(&u), 7);
	assert_int_equal(reuse_again(&u), 7);
	assert_int_equal(u.largest, 6);
	assert_int_equal(reuse_touch(&u, 2, 0, REQ_MAX), 0);
	assert_int_equal(u.touches, (UINT64_C(1) << 51) + 14);
	/* as if more than two thousand of these had come */
	u.touches = (UINT64_C(1) << 62) - 1;
	assert_int_equal(reuse_touch(&u, 2, 0, 8192), -EOVERFLOW);
}

static void buckets_are_in_order_and_hold_powers_of_two_at_their_edge(void **state _unused_)
{
	for (size_t b = 0; b < REUSE_BUCKETS; b++) {
		assert_int_equal(reuse_bucket(reuse_edge(b)), b);
		if (b)
			assert_int_equal(reuse_bucket(reuse_edge(b) - 1), b - 1);
	}
	for (unsigned i = 0; i < 62; i++)
		assert_true(reuse_edge(reuse_bucket(UINT64_C(1) << i)) == UINT64_C(1) << i);
	assert_int_equal(reuse_bucket((UINT64_C(1) << 62) - 1), REUSE_BUCKETS - 1);
}

/* The same requests, exact and sampled. */
static void compare(struct reuse *exact, struct reuse *sampled, double least_error)
{
	_cleanup_free_ struct reuse_point *a = calloc(REUSE_BUCKETS, sizeof(*a));
	_cleanup_free_ struct reuse_point *b = calloc(REUSE_BUCKETS, sizeof(*b));
	double footprint = (double)reuse_footprint(sampled) / (double)reuse_footprint(exact);
	double again = (double)reuse_again(sampled) / (double)reuse_again(exact);
	double worst = 0, told = 0;

	reuse_curve(exact, a);
	reuse_curve(sampled, b);
	assert_int_equal(exact->rate, 0);
	assert_true(sampled->rate >= 2);
	assert_int_equal(sampled->touches, exact->touches);
	assert_true(footprint > 0.97 && footprint < 1.03);
	assert_true(again > 0.95 && again < 1.05);
	/* Caches of less than a few chunks of the sample say little. */
	for (size_t i = reuse_bucket(8000); i < reuse_bucket(1000000); i++) {
		worst = MAX(worst, fabs(a[i].misses - b[i].misses));
		told = MAX(told, b[i].error);
	}
	/* The error told is one of the counts; distances add as much again. */
	assert_true(told > least_error && told < 0.02);
	assert_true(worst < 6 * told);
}

static void a_sample_tells_the_same_within_its_error(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse exact = {0}, sampled = {0};
	struct dist_params p;
	struct dist d;
	struct fault f;
	struct rng r;

	rng_init(&r, 7);
	assert_int_equal(dist_parse("zipf:0.9", &p, &f), 0);
	dist_init(&d, &p, 200000, &r);
	assert_int_equal(reuse_init(&exact, EXACT) | reuse_init(&sampled, 20000), 0);
	for (int i = 0; i < 1000000; i++) {
		uint64_t page = dist_draw(&d, 200000, &r);

		assert_int_equal(reuse_touch(&exact, 0, page * PAGE_BYTES, PAGE_BYTES), 0);
		assert_int_equal(reuse_touch(&sampled, 0, page * PAGE_BYTES, PAGE_BYTES), 0);
	}
	assert_true(sampled.pages.count <= 20000);
	compare(&exact, &sampled, 0.0001);
}

static void a_sample_of_longer_requests_goes_by_chunks(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse exact = {0}, sampled = {0};
	struct rng r;

	rng_init(&r, 8);
	assert_int_equal(reuse_init(&exact, EXACT) | reuse_init(&sampled, 16000), 0);
	for (int i = 0; i < 200000; i++) {
		uint64_t page = rng_below(&r, 1000000) * rng_below(&r, 1000) / 1000, length = rng_between(&r, 1, 60);

		assert_int_equal(reuse_touch(&exact, 0, page * PAGE_BYTES, length * PAGE_BYTES), 0);
		assert_int_equal(reuse_touch(&sampled, 0, page * PAGE_BYTES, length * PAGE_BYTES), 0);
	}
	assert_true(sampled.chunk >= 5);
	assert_true(sampled.pages.count <= 16000);
	compare(&exact, &sampled, 0.0001);
}

/* Within a chunk distances stay exact: a page that is touched again at once hits in the smallest cache. */
static void a_sample_keeps_short_distances(void **state _unused_)
{
	_cleanup_(reuse_fini) struct reuse u = {0};

	assert_int_equal(reuse_init(&u, 1000), 0);
	for (uint64_t page = 0; page <= 2560000; page += 256)
		for (int twice = 0; twice < 2; twice++)
			assert_int_equal(reuse_touch(&u, 0, page * PAGE_BYTES, 50 * PAGE_BYTES), 0);
	assert_true(u.rate >= 3);
	for (size_t b = 0; b < REUSE_BUCKETS; b++)
		for (unsigned i = 0; i < REUSE_PARTS; i++)
			if (u.part[i].at[b])
				assert_in_range(b, 0, 49);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_what_a_list_moved_by_hand_gives),
		cmocka_unit_test(touches_of_part_of_a_page_are_touches),
		cmocka_unit_test(of_pattern_hot_10_a_tenth_is_touched_again),
		cmocka_unit_test(a_loop_needs_a_cache_as_large_as_itself),
		cmocka_unit_test(offsets_and_files_at_their_limits_are_apart),
		cmocka_unit_test(buckets_are_in_order_and_hold_powers_of_two_at_their_edge),
		cmocka_unit_test(a_sample_tells_the_same_within_its_error),
		cmocka_unit_test(a_sample_of_longer_requests_goes_by_chunks),
		cmocka_unit_test(a_sample_keeps_short_distances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
