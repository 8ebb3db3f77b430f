/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"
#include "mon/hist.h"

#define HOUR UINT64_C(3600000000000)

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Any magnitude from 0 to below 2^bits is as likely as any other. */
static uint64_t any_magnitude(struct rng *r, unsigned bits)
{
	return rng_next(r) >> (64 - rng_between(r, 1, bits));
}

static struct hist *empty(void)
{
	struct hist *h = hist_new();

	assert_non_null(h);
	return h;
}

static void nothing_recorded_gives_zeros(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *h = empty();
	struct hist_bar bar;
	size_t at = 0;

	assert_int_equal(h->count, 0);
	assert_int_equal(hist_percentile(h, 500000), 0);
	assert_true(hist_mean(h) == 0 && hist_stddev(h) == 0);
	assert_false(hist_next(h, &at, &bar));
}

static void one_value_is_every_percentile(void **state _unused_)
{
	static const uint64_t values[] = {0,	     1,	   2047,     2048,	   2049,
					  123456789, HOUR, HIST_TOP, HIST_TOP + 1, UINT64_C(1) << 60};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_(hist_freep) struct hist *h = empty();

		hist_record(h, values[i]);
		assert_int_equal(h->min, values[i]);
		assert_int_equal(h->max, values[i]);
		for (uint32_t p = 0; p <= 1000000; p += 1000)
			assert_int_equal(hist_percentile(h, p), values[i]);
		assert_true(hist_mean(h) == (double)values[i]);
		assert_true(hist_stddev(h) == 0);
	}
}

/* Buckets follow each other without gaps, and are never wider than a thousandth of what is in them. */
static void buckets_tile_the_range_in_three_digits(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *h = empty();
	struct hist_bar bar;
	uint64_t next = 0;
	size_t at = 0, n = 0;

	for (size_t i = 0; i < HIST_BUCKETS; i++)
		h->bucket[i] = 1;
	for (; hist_next(h, &at, &bar); n++) {
		assert_int_equal(bar.low, next);
		assert_int_equal(bar.count, 1);
		assert_int_equal(hist_bucket(bar.low), n);
		assert_int_equal(hist_bucket(bar.high), n);
		if (at == HIST_BUCKETS)
			break;
		assert_true((bar.high - bar.low) * 1024 <= bar.low);
		next = bar.high + 1;
	}
	assert_int_equal(n, HIST_BUCKETS - 1);
	assert_int_equal(bar.high, UINT64_MAX);
	assert_true(bar.low > HOUR);
}

static const uint32_t asked[] = {0, 1, 10000, 250000, 500000, 900000, 990000, 999000, 999900, 999999, 1000000};

static void check_percentiles(const uint64_t *sorted, size_t n, const struct hist *h)
{
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		size_t rank = (n * asked[i] + 999999) / 1000000;
		uint64_t truth = sorted[rank ? rank - 1 : 0], told = hist_percentile(h, asked[i]);

		assert_true(told >= h->min && told <= h->max);
		if (truth > HIST_TOP)
			assert_int_equal(told, h->max);
		else
			assert_true((MAX(truth, told) - MIN(truth, told)) * 1024 <= truth);
	}
}

static void percentiles_are_those_of_the_sorted_values(void **state _unused_)
{
	enum { MOST = 5000 };
	uint64_t values[MOST];
	struct rng rng;

	rng_init(&rng, 20091130);
	for (int round = 0; round < 200; round++) {
		_cleanup_(hist_freep) struct hist *h = empty();
		size_t n = rng_between(&rng, 1, MOST);
		unsigned bits = (unsigned)rng_between(&rng, 1, 44);
		double sum = 0, deviation = 0;

		for (size_t i = 0; i < n; i++) {
			values[i] = any_magnitude(&rng, bits);
			hist_record(h, values[i]);
			sum += (double)values[i];
		}
		qsort(values, n, sizeof(values[0]), ascending);
		assert_int_equal(h->count, n);
		assert_int_equal(h->min, values[0]);
		assert_int_equal(h->max, values[n - 1]);
		check_percentiles(values, n, h);
		for (size_t i = 0; i < n; i++)
			deviation += pow((double)values[i] - sum / (double)n, 2);
		deviation = sqrt(deviation / (double)n);
		assert_true(fabs(hist_mean(h) - sum / (double)n) <= 1e-9 * sum / (double)n);
		assert_true(fabs(hist_stddev(h) - deviation) <= 1e-6 * deviation);
	}
}

static void small_deviations_of_long_times_are_kept(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *h = empty();

	for (int i = 0; i < 1000; i++)
		hist_record(h, UINT64_C(60000000000) + (i % 2 ? 3 : 0));
	assert_true(fabs(hist_stddev(h) - 1.5) < 0.01);
}

static void merging_is_recording_all(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *all = empty();
	_cleanup_(hist_freep) struct hist *sum = empty();
	struct rng rng;

	rng_init(&rng, 3);
	for (int part = 0; part < 5; part++) {
		_cleanup_(hist_freep) struct hist *h = empty();

		/* the fourth is empty */
		for (int i = 0; i < (part == 3 ? 0 : 1000); i++) {
			uint64_t v = any_magnitude(&rng, 45), n = rng_below(&rng, 3);

			hist_record_many(h, v, n);
			for (uint64_t k = 0; k < n; k++)
				hist_record(all, v);
		}
		hist_merge(sum, h);
	}
	assert_memory_equal(sum, all, sizeof(*all));
}

static void bars_hold_every_value_once(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *h = empty();
	struct hist_bar bar;
	uint64_t last = 0, count = 0;
	struct rng rng;
	size_t at = 0;

	rng_init(&rng, 4);
	for (int i = 0; i < 3000; i++)
		hist_record(h, any_magnitude(&rng, 42));
	while (hist_next(h, &at, &bar)) {
		assert_true(bar.count > 0);
		assert_true(count == 0 || bar.low > last);
		assert_true(bar.high >= bar.low);
		last = bar.high;
		count += bar.count;
	}
	assert_int_equal(count, 3000);
}

static void a_cleared_one_is_as_new(void **state _unused_)
{
	_cleanup_(hist_freep) struct hist *h = empty();
	_cleanup_(hist_freep) struct hist *fresh = empty();

	hist_record(h, 5);
	hist_record(h, 500000);
	hist_clear(h);
	assert_memory_equal(h, fresh, sizeof(*h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_recorded_gives_zeros),
	    cmocka_unit_test(one_value_is_every_percentile),
	    cmocka_unit_test(buckets_tile_the_range_in_three_digits),
	    cmocka_unit_test(percentiles_are_those_of_the_sorted_values),
	    cmocka_unit_test(small_deviations_of_long_times_are_kept),
	    cmocka_unit_test(merging_is_recording_all),
	    cmocka_unit_test(bars_hold_every_value_once),
	    cmocka_unit_test(a_cleared_one_is_as_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
