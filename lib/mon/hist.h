/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of times, fine where they are short and coarse where they are long.
 *
 * Buckets are log-linear: below 2^(HIST_BITS + 1) ns each value has its own, above every power of two is cut into
 * 2^HIST_BITS equal ones. A bucket is therefore never wider than 1/1024 of the values in it, and what is read from
 * its middle is off by at most 1/2048: three significant digits from 1 ns to HIST_TOP (73 minutes). Longer values
 * count in the last bucket. Count, least, greatest, sum and sum of squares are kept exactly beside the buckets.
 *
 * A struct hist has no pointers and a fixed size (270 KiB), so that it may be in memory that processes share. One
 * writes at a time; a reader who looks meanwhile gets figures that may not belong together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_BITS 10
#define HIST_TOP_BITS 42
#define HIST_TOP ((UINT64_C(1) << HIST_TOP_BITS) - 1) /* ns */
#define HIST_BUCKETS ((HIST_TOP_BITS - HIST_BITS + 1u) << HIST_BITS)

struct hist {
	uint64_t count;
	uint64_t min, max;          /* ns; UINT64_MAX and 0 when empty */
	uint64_t sum;               /* ns; 584 years in all */
	unsigned __int128 squares;  /* sum of the squares */
	uint64_t bucket[HIST_BUCKETS];
};

/* Heap; NULL: no memory. Every page of it has been written, so that recording causes no page faults. */
struct hist *hist_new(void);
void hist_free(struct hist *h);
void hist_freep(struct hist **h);

/* Empty it; also how one in memory that the caller has is begun. */
void hist_clear(struct hist *h);

/* The bucket of a value, 0..HIST_BUCKETS-1. */
static inline size_t hist_bucket(uint64_t ns)
{
	uint64_t v = __builtin_expect(ns > HIST_TOP, 0) ? HIST_TOP : ns;
	unsigned shift = 63u - HIST_BITS - (unsigned)__builtin_clzll(v | UINT64_C(1) << HIST_BITS);

	return ((size_t)shift << HIST_BITS) + (size_t)(v >> shift);
}

static inline void hist_record(struct hist *h, uint64_t ns)
{
	h->count++;
	h->sum += ns;
	h->squares += (unsigned __int128)ns * ns;
	if (ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	h->bucket[hist_bucket(ns)]++;
}

/* The same n times. */
void hist_record_many(struct hist *h, uint64_t ns, uint64_t n);

/* Add all of other to h. */
void hist_merge(struct hist *h, const struct hist *other);

/* 0 when empty. */
double hist_mean(const struct hist *h);

/* Of the values, not an estimate for others (divided by count); 0 when empty. */
double hist_stddev(const struct hist *h);

/*
 * The value that millionths/10^6 of all values do not exceed (the smallest with that rank, rounded up): 500000 is the
 * median, 999900 the p99.99. The middle of its bucket, but never below min nor above max; 0 gives min and 1000000 max
 * exactly. 0 when empty.
 */
uint64_t hist_percentile(const struct hist *h, uint32_t millionths);

/* A bucket with something in it. */
struct hist_bar {
	uint64_t low, high;  /* the values it is for, both included */
	uint64_t count;
};

/* Iterate over the buckets that are not empty: *at is 0 at first. False at the end. */
bool hist_next(const struct hist *h, size_t *at, struct hist_bar *bar);
