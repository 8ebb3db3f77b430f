/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/ring.h"
#include "trace/source.h"

#define _cleanup_ring_ _cleanup_(ring_freep)

static void ring_freep(struct ring **r)
{
	ring_free(*r);
}

/* Requests of which each offset is its number, in parts of changing size. */
struct filler {
	struct ring *ring;
	uint64_t first, count;
	uint64_t given;     /* what it got rid of */
};

static void *fill(void *arg)
{
	struct filler *f = arg;
	uint64_t at = f->first, end = f->first + f->count;

	for (unsigned k = 1; at < end; k = k * 7 % 1013) {
		struct trace *t = ring_room(f->ring);
		uint64_t begin = at;

		if (!t)
			return NULL;
		for (unsigned i = 0; i < k && at < end; i++, at++)
			if (trace_push(t, req_make(at, 1, OP_READ)))
				return NULL;
		ring_put(f->ring, begin);
		f->given = at - f->first;
	}
	ring_end(f->ring);
	return NULL;
}

struct reader {
	struct source source;
	uint64_t next, step; /* numbers that must come */
	uint64_t seen;
	bool wrong;
};

static void *take(void *arg)
{
	struct reader *r = arg;
	struct batch b;

	while (source_next(&r->source, &b))
		for (size_t i = 0; i < b.count; i++) {
			r->wrong |= req_offset(b.req[i * b.step]) != r->next || b.first + i * b.step != r->next;
			r->next += r->step;
			r->seen++;
		}
	return NULL;
}

static void one_reader_gets_all_in_order_behind_the_trace(void **state)
{
	_cleanup_(trace_fini) struct trace head = {0};
	_cleanup_ring_ struct ring *ring = ring_new(1);
	struct filler f = {.ring = ring, .first = 5, .count = 300000};
	struct reader r = {.step = 1};
	pthread_t thread;

	(void)state;
	assert_non_null(ring);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(trace_push(&head, req_make(i, 1, OP_READ)), 0);
	source_of_trace(&r.source, &head);
	r.source.more = ring;
	assert_int_equal(pthread_create(&thread, NULL, fill, &f), 0);
	take(&r);
	pthread_join(thread, NULL);
	assert_int_equal(r.seen, 300005);
	assert_false(r.wrong);
	assert_false(source_next(&r.source, &(struct batch){0}));
}

static void shares_of_several_readers_are_all_of_it_once(void **state)
{
	enum { READERS = 3 };
	_cleanup_ring_ struct ring *ring = ring_new(READERS);
	struct filler f = {.ring = ring, .first = 4, .count = 200000};
	struct reader r[READERS];
	pthread_t thread[READERS], filler;
	uint64_t seen = 0;

	(void)state;
	assert_non_null(ring);
	for (unsigned i = 0; i < READERS; i++) {
		/* the first of 4, 5, 6... that is i modulo 3 */
		r[i] = (struct reader){.step = READERS, .next = i == 0 ? 6 : i + 3};
		r[i].source = (struct source){.step = READERS, .more = ring, .reader = i, .share = i};
		assert_int_equal(pthread_create(&thread[i], NULL, take, &r[i]), 0);
	}
	assert_int_equal(pthread_create(&filler, NULL, fill, &f), 0);
	pthread_join(filler, NULL);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(thread[i], NULL);
		assert_false(r[i].wrong);
		seen += r[i].seen;
	}
	assert_int_equal(seen, 200000);
}

static void a_filler_waits_for_the_slowest(void **state)
{
	_cleanup_ring_ struct ring *ring = ring_new(2);
	const struct trace *t;
	uint64_t first;

	(void)state;
	assert_non_null(ring);
	assert_false(ring_ready(ring, 0));
	for (unsigned i = 0; i < RING_PARTS; i++) {
		assert_non_null(ring_room(ring));
		ring_put(ring, i);
	}
	for (unsigned i = 0; i < RING_PARTS; i++) {
		t = ring_next(ring, 0, &first);
		assert_non_null(t);
		assert_int_equal(first, i);
	}
	assert_false(ring_ready(ring, 0));
	assert_true(ring_ready(ring, 1));

	struct filler f = {.ring = ring, .first = RING_PARTS, .count = 1};
	pthread_t thread;

	/* it has no room until reader 1 lets go of the first part, which is at its second call */
	assert_int_equal(pthread_create(&thread, NULL, fill, &f), 0);
	assert_non_null(ring_next(ring, 1, &first));
	assert_non_null(ring_next(ring, 1, &first));
	assert_int_equal(first, 1);
	pthread_join(thread, NULL);
	assert_int_equal(f.given, 1);
	assert_non_null(ring_next(ring, 0, &first));
	assert_int_equal(first, RING_PARTS);
	assert_null(ring_next(ring, 0, &first));
}

static void a_stop_sends_home_who_waits(void **state)
{
	_cleanup_ring_ struct ring *ring = ring_new(1), *full = ring_new(1);
	struct filler f = {.ring = full, .count = UINT64_MAX};
	struct reader r = {.source = {.step = 1, .more = ring}, .step = 1};
	pthread_t reader, filler;

	(void)state;
	assert_non_null(ring);
	assert_non_null(full);
	assert_int_equal(pthread_create(&reader, NULL, take, &r), 0);
	assert_int_equal(pthread_create(&filler, NULL, fill, &f), 0);
	ring_stop(ring);
	ring_stop(full);
	pthread_join(reader, NULL);
	pthread_join(filler, NULL);
	assert_int_equal(r.seen, 0);
	assert_null(ring_room(full));
	assert_true(ring_ready(ring, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reader_gets_all_in_order_behind_the_trace),
		cmocka_unit_test(shares_of_several_readers_are_all_of_it_once),
		cmocka_unit_test(a_filler_waits_for_the_slowest),
		cmocka_unit_test(a_stop_sends_home_who_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
