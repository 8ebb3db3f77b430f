/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every pattern, whatever its parameters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/gen.h"

#include "patterns.h"

/* Parameters of any kind, small enough that every request can be looked at. */
static struct gen_params random_params(struct rng *r)
{
	struct gen_params p = defaults();

	p.pattern = (enum pattern)rng_below(r, PATTERN_COUNT);
	p.dist.kind = (enum dist_kind)rng_below(r, 2);
	p.align = UINT64_C(1) << rng_below(r, 4);
	p.begin = rng_below(r, 50);
	p.end = rng_below(r, 600);
	p.size_min = rng_below(r, 20);
	p.size_max = p.size_min + (rng_below(r, 2) ? rng_below(r, 20) : 0);
	if (rng_below(r, 3)) {
		p.skip_min = (int64_t)rng_below(r, 40) - 20;
		p.skip_max = p.skip_min + (int64_t)(rng_below(r, 2) ? rng_below(r, 20) : 0);
	} else {
		p.stride = rng_below(r, 40);
	}
	if (rng_below(r, 2))
		p.max_requests = rng_below(r, 100);
	if (rng_below(r, 2))
		p.max_bytes = rng_below(r, 1000);
	p.op = (enum op)rng_below(r, 3);
	return p;
}

/* Of two neighbours of a walk: where the second may begin. */
static void assert_step(const struct gen_params *p, struct req a, struct req b)
{
	bool down = p->pattern == PATTERN_BACKWARD;
	int64_t first = (int64_t)req_offset(a), second = (int64_t)req_offset(b);

	if (p->stride)
		assert_int_equal(down ? first - second : second - first, p->stride);
	else {
		int64_t skip = down ? first - (int64_t)req_end(b) : second - (int64_t)req_end(a);

		assert_true(skip >= p->skip_min && skip <= p->skip_max);
	}
}

static void assert_laws(const struct gen_params *p, const struct trace *t)
{
	uint64_t bytes = 0;
	bool walk = p->pattern != PATTERN_RANDOM && p->pattern != PATTERN_OOO;

	assert_true(t->count <= p->max_requests);
	/* only a first request that max_bytes does not hold may leave nothing */
	if (!t->count) {
		assert_true(p->max_bytes < p->size_max);
		return;
	}
	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];

		assert_int_equal(req_op(r), p->op);
		assert_true(req_offset(r) >= p->begin && req_end(r) <= p->end);
		assert_true(req_length(r) >= p->size_min && req_length(r) <= p->size_max);
		assert_int_equal((req_offset(r) | req_length(r)) & (p->align - 1), 0);
		if (walk && i)
			assert_step(p, t->req[i - 1], r);
		bytes += req_length(r);
	}
	assert_true(bytes <= p->max_bytes);
	if (walk && p->pattern == PATTERN_BACKWARD)
		assert_true(p->end - req_end(t->req[0]) < p->align);
	else if (walk)
		assert_true(req_offset(t->req[0]) - p->begin < p->align);
}

/* A pattern that stopped before its limits did so because nothing more could follow, even with the luckiest draws. */
static void assert_ended_with_reason(const struct gen_params *p, const struct trace *t)
{
	struct req last = t->count ? t->req[t->count - 1] : (struct req){0};
	uint64_t bytes = 0, largest = p->size_max & ~(p->align - 1);
	int64_t reach, skip = p->skip_max;

	for (size_t i = 0; i < t->count; i++)
		bytes += req_length(t->req[i]);
	if (t->count == p->max_requests || bytes + largest > p->max_bytes || p->pattern == PATTERN_RANDOM)
		return;
	if (p->pattern == PATTERN_OOO) {
		uint64_t begin = (p->begin + p->align - 1) & ~(p->align - 1);

		assert_int_equal(t->count, (p->end - begin) / largest);
		return;
	}
	reach = (int64_t)largest;
	if (p->pattern == PATTERN_BACKWARD && p->stride)
		/* the next begins a stride before the last: below begin, or past end when it is larger by more */
		assert_true((int64_t)req_offset(last) - (int64_t)p->stride < (int64_t)p->begin ||
			    req_offset(last) - p->stride + largest > p->end);
	else if (p->pattern == PATTERN_BACKWARD)
		assert_true((int64_t)req_offset(last) - skip - reach < (int64_t)p->begin);
	else if (p->stride)
		assert_true(req_offset(last) + p->stride + largest > p->end);
	else
		assert_true((int64_t)req_end(last) + skip + reach > (int64_t)p->end);
}

static void any_pattern_keeps_the_laws(void **state _unused_)
{
	unsigned good[PATTERN_COUNT] = {0};
	struct rng r;

	rng_init(&r, 8);
	for (int round = 0; round < 40000; round++) {
		struct gen_params p = random_params(&r);
		_cleanup_(trace_fini) struct trace t = {0};

		if (gen_check(&p, &(struct fault){.text = ""}))
			continue;
		generate(&t, &p);
		assert_laws(&p, &t);
		assert_ended_with_reason(&p, &t);
		good[p.pattern]++;
	}
	for (int k = 0; k < PATTERN_COUNT; k++)
		assert_true(good[k] > 100);
}

static void ooo_takes_each_slot_once(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 9);
	for (int round = 0; round < 300; round++) {
		_cleanup_(trace_fini) struct trace t = {0};
		struct gen_params p = defaults();
		unsigned char seen[3000] = {0};

		p.pattern = PATTERN_OOO;
		p.begin = rng_below(&r, 100);
		p.size_min = rng_between(&r, 1, 9);
		p.size_max = rng_between(&r, p.size_min, 9);
		p.end = p.begin + p.size_max + rng_below(&r, 2500);
		generate(&t, &p);
		assert_int_equal(t.count, (p.end - p.begin) / p.size_max);
		for (size_t i = 0; i < t.count; i++) {
			assert_int_equal((req_offset(t.req[i]) - p.begin) % p.size_max, 0);
			assert_int_equal(seen[(req_offset(t.req[i]) - p.begin) / p.size_max]++, 0);
		}
	}
}

static void cutting_the_sequence_changes_nothing(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 10);
	for (int round = 0; round < 4000; round++) {
		struct gen_params p = random_params(&r);
		_cleanup_(trace_fini) struct trace whole = {0};
		struct req some[700], one;
		struct rng a, b;
		struct gen g, h;
		size_t n = 0, got, max;

		if (gen_check(&p, &(struct fault){.text = ""}))
			continue;
		generate(&whole, &p);
		rng_init(&a, SEED);
		rng_init(&b, SEED);
		gen_init(&g, &p, &a);
		gen_init(&h, &p, &b);
		do {
			max = (size_t)rng_between(&r, 1, 20);
			got = gen_fill(&g, some, max);
			assert_true(got <= max && n + got <= whole.count);
			assert_memory_equal(some, whole.req + n, got * sizeof(*some));
			n += got;
		} while (got);
		assert_int_equal(n, whole.count);
		for (size_t i = 0; i < whole.count; i++) {
			assert_int_equal(gen_next(&h, &one), 1);
			assert_memory_equal(&one, whole.req + i, sizeof(one));
		}
		assert_int_equal(gen_next(&h, &one), 0);
		assert_int_equal(gen_next(&h, &one), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_pattern_keeps_the_laws),
		cmocka_unit_test(ooo_takes_each_slot_once),
		cmocka_unit_test(cutting_the_sequence_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
