/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/hist.h"

#include <math.h>
#include <string.h>

#include "base/macro.h"

struct hist *hist_new(void)
{
	struct hist *h = aligned_alloc(64, (sizeof(*h) + 63) / 64 * 64);

	if (h)
		hist_clear(h);
	return h;
}

void hist_free(struct hist *h)
{
	free(h);
}

void hist_freep(struct hist **h)
{
	hist_free(*h);
}

void hist_clear(struct hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

void hist_record_many(struct hist *h, uint64_t ns, uint64_t n)
{
	if (n == 0)
		return;
	h->count += n;
	h->sum += ns * n;
	h->squares += (unsigned __int128)ns * ns * n;
	h->min = MIN(h->min, ns);
	h->max = MAX(h->max, ns);
	h->bucket[hist_bucket(ns)] += n;
}

void hist_merge(struct hist *h, const struct hist *other)
{
	if (other->count == 0)
		return;
	h->count += other->count;
	h->sum += other->sum;
	h->squares += other->squares;
	h->min = MIN(h->min, other->min);
	h->max = MAX(h->max, other->max);
	for (size_t i = hist_bucket(other->min); i <= hist_bucket(other->max); i++)
		h->bucket[i] += other->bucket[i];
}

double hist_mean(const struct hist *h)
{
	return h->count ? (double)((long double)h->sum / (long double)h->count) : 0;
}

double hist_stddev(const struct hist *h)
{
	unsigned __int128 squares;
	long double mean, variance;

	if (h->count == 0)
		return 0;
	/*
	 * About the least value, so that the small deviations of long times do not drown: sum (x - min)^2 is exact, for
	 * whatever the terms overflow, the result does not.
	 */
	squares = h->squares - 2 * (unsigned __int128)h->min * h->sum + (unsigned __int128)h->min * h->min * h->count;
	mean = (long double)((unsigned __int128)h->sum - (unsigned __int128)h->min * h->count) / (long double)h->count;
	variance = (long double)squares / (long double)h->count - mean * mean;
	return variance > 0 ? sqrt((double)variance) : 0;
}

/* The values of bucket i. */
static void edges(size_t i, uint64_t *low, uint64_t *high)
{
	size_t shift = i >> HIST_BITS;

	shift -= shift > 0;
	*low = (uint64_t)(i - (shift << HIST_BITS)) << shift;
	*high = i == HIST_BUCKETS - 1 ? UINT64_MAX : *low + (UINT64_C(1) << shift) - 1;
}

uint64_t hist_percentile(const struct hist *h, uint32_t millionths)
{
	uint64_t rank, seen = 0, low, high;
	size_t i;

	if (h->count == 0)
		return 0;
	if (millionths == 0)
		return h->min;
	if (millionths >= 1000000)
		return h->max;
	rank = (uint64_t)(((unsigned __int128)h->count * millionths + 999999) / 1000000);
	/* The last value has its bucket, so the loop ends there at the latest. */
	for (i = hist_bucket(h->min); i < HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	/* The last bucket has no end: what is beyond the top is told as the greatest. */
	if (i == HIST_BUCKETS - 1)
		return h->max;
	edges(i, &low, &high);
	return MIN(MAX(low + (high - low) / 2, h->min), h->max);
}

bool hist_next(const struct hist *h, size_t *at, struct hist_bar *bar)
{
	while (*at < HIST_BUCKETS && h->bucket[*at] == 0)
		++*at;
	if (*at >= HIST_BUCKETS)
		return false;
	edges(*at, &bar->low, &bar->high);
	bar->count = h->bucket[(*at)++];
	return true;
}
