/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reuse distances of pages, and from them the share of misses in a cache of any size that drops what was used least
 * recently (LRU; Mattson and others, IBM Systems Journal 9(2), 1970).
 *
 * Each page of 4096 bytes that a request covers is touched, from its first to its last. The distance of a touch is the
 * number of other pages touched since the last touch of its page: it hits in a cache of more pages than that. The
 * first touch of a page misses in all.
 *
 * Pages that were touched one after the other are one range, so that time and memory go with the requests, not with
 * their pages. All is exact while there are at most as many ranges as the limit says. Above it, pages are sampled in
 * space (SHARDS; Waldspurger and others, FAST 2015): only a part of them is followed, the same for all requests, and
 * distances and numbers are multiplied; the part is halved each time the limit is reached again. What is sampled are
 * aligned chunks of pages, as long as requests are on average; within a chunk distances stay exact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/ranges.h"

/* Distances below 64 are told apart; above, 64 to the power of two. */
#define REUSE_BITS 6
#define REUSE_BUCKETS (((62 - REUSE_BITS) + 1) << REUSE_BITS)

/* The bucket of a distance, at most 2^62 - 1, and the least distance in a bucket. Powers of two begin a bucket. */
size_t reuse_bucket(uint64_t distance);
uint64_t reuse_edge(size_t bucket);

/* Parts of the sample, by whose differences its error is estimated. */
#define REUSE_PARTS 16

struct reuse_counts {
	uint64_t first;                   /* touches that were the first of their page */
	uint64_t again;                   /* pages that were touched a second time */
	uint64_t at[REUSE_BUCKETS];       /* touches at a distance */
};

struct reuse {
	uint64_t limit;                   /* ranges */
	uint64_t requests, touches;       /* exact */
	uint64_t largest;                 /* distance; 0 also when there was none */
	unsigned rate;                    /* one page in 2^rate is followed; 0: all */
	unsigned chunk;                   /* log2 of the pages of a chunk, when sampled */
	/* What was exact, then the parts of the sample; NULL: none yet. */
	struct reuse_counts *counts, *part;
	/* inside */
	struct ranges pages;               /* page -> time of its last touch, and AGAIN */
	struct ranges times;               /* the last touches of all pages */
	struct ranges regions;             /* file and upper bits of a page -> upper bits of its key */
	uint64_t now;
	uint64_t region_count;
};

/* limit: above how many ranges to sample, > 0. About 60 bytes of memory for each are used. 0 or -ENOMEM. */
int reuse_init(struct reuse *r, uint64_t limit);
void reuse_fini(struct reuse *r);

/*
 * Touch the pages of a request, none when length is 0; offset + length <= REQ_MAX. 0, -ENOMEM, or -EOVERFLOW after 2^62
 * touches; then it can only be freed.
 */
int reuse_touch(struct reuse *r, uint32_t file, uint64_t offset, uint64_t length);

/* Different pages touched, and those among them that were touched more than once. */
uint64_t reuse_footprint(const struct reuse *r);
uint64_t reuse_again(const struct reuse *r);

struct reuse_point {
	uint64_t touches;                 /* with just the distances of this bucket */
	double misses;                    /* share of all touches that miss in a cache of reuse_edge() pages */
	double error;                     /* standard error of it by sampling, 0 when exact */
};

/* One point a bucket, without touches all 0. */
void reuse_curve(const struct reuse *r, struct reuse_point point[REUSE_BUCKETS]);
