/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/reuse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

/* Of a page's value, beside the time: it has been touched more than once. */
#define AGAIN (UINT64_C(1) << 63)

#define TIME_MAX (UINT64_C(1) << 62)

/* Pages of one region, 256 TiB of one file, have consecutive keys. */
#define REGION_SHIFT 36
#define REGION_PAGES (UINT64_C(1) << REGION_SHIFT)
#define REGIONS_MAX (UINT64_C(1) << (62 - REGION_SHIFT))

#define CHUNK_MAX 20
#define RATE_MAX 32

size_t reuse_bucket(uint64_t distance)
{
	unsigned high;

	if (distance < 1u << REUSE_BITS)
		return (size_t)distance;
	high = 63 - (unsigned)__builtin_clzll(distance);
	return ((size_t)(high - REUSE_BITS) << REUSE_BITS) + (size_t)(distance >> (high - REUSE_BITS));
}

uint64_t reuse_edge(size_t bucket)
{
	size_t octave = bucket >> REUSE_BITS;

	if (octave < 2)
		return bucket;
	return ((bucket & ((1u << REUSE_BITS) - 1)) | 1u << REUSE_BITS) << (octave - 1);
}

int reuse_init(struct reuse *r, uint64_t limit)
{
	*r = (struct reuse){.limit = limit, .times.keys_only = true, .counts = calloc(1, sizeof(*r->counts))};
	return r->counts ? 0 : -ENOMEM;
}

void reuse_fini(struct reuse *r)
{
	ranges_fini(&r->pages);
	ranges_fini(&r->times);
	ranges_fini(&r->regions);
	free(r->counts);
	free(r->part);
}

/* The mixing function of splitmix64. */
static uint64_t hash(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* The counts of the chunk of a page; NULL: it is not in the sample. */
static struct reuse_counts *counts_of(const struct reuse *r, uint64_t page)
{
	uint64_t h;

	if (!r->rate)
		return r->counts;
	h = hash(page >> r->chunk);
	return h >> (64 - r->rate) ? NULL : &r->part[h % REUSE_PARTS];
}

/* How many of the pages begin..end-1 a range says were last touched at "from" or later. */
static uint64_t touched_from(struct range p, uint64_t begin, uint64_t end, uint64_t from)
{
	uint64_t key = MAX(p.key, begin), stop = MIN(p.key + p.length, end);
	uint64_t first = (p.value & ~AGAIN) + (key - p.key), last = first + (stop - key);

	return last > from ? last - MAX(first, from) : 0;
}

/* Pages of the chunk of page that were last touched at "from" or later. */
static uint64_t own_from(const struct reuse *r, uint64_t page, uint64_t from)
{
	uint64_t begin = page >> r->chunk << r->chunk, end = begin + (UINT64_C(1) << r->chunk), sum = 0;
	struct ranges_at at;

	for (bool more = ranges_find(&r->pages, begin, &at); more; more = ranges_next(&r->pages, &at)) {
		struct range p = ranges_get(&r->pages, at);

		if (p.key >= end)
			break;
		sum += touched_from(p, begin, end, from);
	}
	return sum;
}

/*
 * Pages are touched again in the order in which they were from "time" on: forget that, and tell their distance. It is
 * the same for all of them, because what of them has been touched already makes up for what is still to come. "done"
 * others of this request are not in the maps yet.
 */
static int retouch(struct reuse *r, uint64_t page, uint64_t time, uint64_t length, uint64_t done, uint64_t *distance)
{
	struct ranges_at at;
	struct range p;
	uint64_t all, own, others;

	ranges_find(&r->times, time, &at);
	p = ranges_get(&r->times, at);
	all = ranges_behind(&r->times, at) + (p.key + p.length - time) + done - 1;
	own = r->rate ? own_from(r, page, time) + done - 1 : all;
	others = all - own;
	*distance = others > TIME_MAX >> r->rate ? TIME_MAX - 1 : MIN(own + (others << r->rate), TIME_MAX - 1);
	return ranges_cut(&r->times, at, time, length);
}

static void count(struct reuse *r, struct reuse_counts *c, uint64_t distance, uint64_t pages, bool second)
{
	r->largest = MAX(r->largest, distance);
	c->at[reuse_bucket(distance)] += pages << r->rate;
	if (second)
		c->again += pages << r->rate;
}

/* Pages with one past: none, or that of a range. Sets how many, and what they are from now on. */
static int touch_part(struct reuse *r, struct reuse_counts *c, uint64_t page, uint64_t begin, uint64_t *length,
		      uint64_t *flag)
{
	struct ranges_at at;
	bool found = ranges_find(&r->pages, page, &at);
	struct range p = found ? ranges_get(&r->pages, at) : (struct range){.key = UINT64_MAX};
	uint64_t value, distance;
	int err;

	if (p.key > page) {
		*length = MIN(*length, p.key - page);
		*flag = 0;
		c->first += *length << r->rate;
		return 0;
	}
	*length = MIN(*length, p.key + p.length - page);
	*flag = AGAIN;
	value = p.value + (page - p.key);
	err = retouch(r, page, value & ~AGAIN, *length, page - begin, &distance);
	if (err)
		return err;
	count(r, c, distance, *length, !(value & AGAIN));
	return ranges_cut(&r->pages, at, page, *length);
}

/*
 * The usual case where all requests are of one size: just the pages of a range, which needs only another value. But not
 * where it would become one with the range before it. 1 when done, 0 when that is not the case, -ENOMEM.
 */
static int touch_span(struct reuse *r, struct reuse_counts *c, uint64_t page, uint64_t pages)
{
	struct ranges_at at;
	struct range p, before = {0};
	uint64_t distance;
	int err;

	if (!ranges_find(&r->pages, page, &at))
		return 0;
	p = ranges_get(&r->pages, at);
	if (at.range)
		before = ranges_get(&r->pages, (struct ranges_at){at.block, at.range - 1});
	if (p.key != page || p.length != pages ||
	    (before.key + before.length == page && before.value + before.length == (r->now | AGAIN)))
		return 0;
	err = retouch(r, page, p.value & ~AGAIN, pages, 0, &distance);
	if (err)
		return err;
	count(r, c, distance, pages, !(p.value & AGAIN));
	ranges_set(&r->pages, at, r->now | AGAIN);
	return 1;
}

static int touch_parts(struct reuse *r, struct reuse_counts *c, uint64_t begin, uint64_t pages)
{
	struct range run = {.key = begin, .value = r->now};

	for (uint64_t page = begin; page < begin + pages;) {
		uint64_t length = begin + pages - page, flag;
		int err = touch_part(r, c, page, begin, &length, &flag);

		if (err)
			return err;
		if (flag != (run.value & AGAIN)) {
			if (run.length && ranges_insert(&r->pages, run))
				return -ENOMEM;
			run = (struct range){page, 0, (r->now + (page - begin)) | flag};
		}
		run.length += length;
		page += length;
	}
	return ranges_insert(&r->pages, run);
}

static int touch(struct reuse *r, struct reuse_counts *c, uint64_t page, uint64_t pages)
{
	int err = touch_span(r, c, page, pages);

	if (err == 0)
		err = touch_parts(r, c, page, pages);
	if (err < 0)
		return err;
	err = ranges_insert(&r->times, (struct range){r->now, pages, r->now});
	r->now += pages;
	return err;
}

/* log2 of the least power of two that is not below x. */
static unsigned log2_up(uint64_t x)
{
	return x > 1 ? 64 - (unsigned)__builtin_clzll(x - 1) : 0;
}

/*
 * Follow half as many pages. Chunks are at least as long as an average request, and long enough not to cut ranges into
 * many more.
 */
static int thin(struct reuse *r)
{
	uint64_t x = 0;
	struct ranges_at at;

	if (!r->rate++) {
		unsigned request = log2_up(r->touches / r->requests), range = log2_up(r->pages.total / r->limit) + 1;

		r->chunk = MIN(MAX(request, range), CHUNK_MAX);
		r->part = calloc(REUSE_PARTS, sizeof(*r->part));
		if (!r->part)
			return -ENOMEM;
	}
	while (ranges_find(&r->pages, x, &at)) {
		struct range p = ranges_get(&r->pages, at);
		uint64_t from = MAX(x, p.key), end = ((from >> r->chunk) + 1) << r->chunk;
		uint64_t time = (p.value & ~AGAIN) + (from - p.key);
		struct ranges_at then;

		x = MIN(end, p.key + p.length);
		if (counts_of(r, from))
			continue;
		ranges_find(&r->times, time, &then);
		if (ranges_cut(&r->times, then, time, x - from) || ranges_cut(&r->pages, at, from, x - from))
			return -ENOMEM;
	}
	return 0;
}

/* Pages with consecutive keys, chunk by chunk when they are sampled. */
static int touch_keys(struct reuse *r, uint64_t key, uint64_t pages)
{
	uint64_t end = key + pages;
	int err = 0;

	if (!r->rate) {
		err = touch(r, r->counts, key, pages);
	} else {
		while (err == 0 && key < end) {
			uint64_t next = MIN(((key >> r->chunk) + 1) << r->chunk, end);
			struct reuse_counts *c = counts_of(r, key);

			if (c)
				err = touch(r, c, key, next - key);
			key = next;
		}
	}
	while (err == 0 && r->pages.count > r->limit && r->rate < RATE_MAX)
		err = thin(r);
	return err;
}

/* The key of a page's region, made when it is new. */
static int key_of(struct reuse *r, uint32_t file, uint64_t page, uint64_t *key)
{
	uint64_t region = (uint64_t)file << 32 | page >> REGION_SHIFT, id = r->region_count;
	struct ranges_at at;

	struct range p = {.key = UINT64_MAX};

	if (ranges_find(&r->regions, region, &at))
		p = ranges_get(&r->regions, at);
	if (p.key <= region) {
		id = p.value + (region - p.key);
	} else {
		if (id == REGIONS_MAX)
			return -EOVERFLOW;
		if (ranges_insert(&r->regions, (struct range){region, 1, id}))
			return -ENOMEM;
		r->region_count++;
	}
	*key = id << REGION_SHIFT | (page & (REGION_PAGES - 1));
	return 0;
}

int reuse_touch(struct reuse *r, uint32_t file, uint64_t offset, uint64_t length)
{
	uint64_t page = offset >> PAGE_SHIFT, end = (offset + length + PAGE_BYTES - 1) >> PAGE_SHIFT;

	if (!length)
		return 0;
	if (r->touches + (end - page) > TIME_MAX)
		return -EOVERFLOW;
	r->requests++;
	r->touches += end - page;
	while (page < end) {
		uint64_t pages = MIN(end, (page | (REGION_PAGES - 1)) + 1) - page, key;
		int err = key_of(r, file, page, &key);

		if (err == 0)
			err = touch_keys(r, key, pages);
		if (err)
			return err;
		page += pages;
	}
	return 0;
}

static uint64_t sum_of(const struct reuse *r, size_t field)
{
	uint64_t sum = 0, value;

	for (unsigned i = 0; i <= (r->part ? REUSE_PARTS : 0); i++) {
		const struct reuse_counts *c = i ? &r->part[i - 1] : r->counts;

		memcpy(&value, (const char *)c + field, sizeof(value));
		sum += value;
	}
	return sum;
}

uint64_t reuse_footprint(const struct reuse *r)
{
	/* An estimate can be too large, but no page is touched without a touch. */
	return MIN(sum_of(r, offsetof(struct reuse_counts, first)), r->touches);
}

uint64_t reuse_again(const struct reuse *r)
{
	return sum_of(r, offsetof(struct reuse_counts, again));
}

/* The standard error of a sum of the parts, as far as they differ. */
static double error_of(const uint64_t misses[REUSE_PARTS])
{
	double mean = 0, squares = 0;

	for (unsigned i = 0; i < REUSE_PARTS; i++)
		mean += (double)misses[i] / REUSE_PARTS;
	for (unsigned i = 0; i < REUSE_PARTS; i++)
		squares += ((double)misses[i] - mean) * ((double)misses[i] - mean);
	return sqrt(squares * REUSE_PARTS / (REUSE_PARTS - 1));
}

void reuse_curve(const struct reuse *r, struct reuse_point point[REUSE_BUCKETS])
{
	uint64_t exact = r->counts->first, part[REUSE_PARTS] = {0};
	double touches = (double)MAX(r->touches, 1);

	for (unsigned i = 0; r->part && i < REUSE_PARTS; i++)
		part[i] = r->part[i].first;
	/* From the largest cache down: each has the misses of the next larger, and those at the distances between. */
	for (size_t b = REUSE_BUCKETS; b-- > 0;) {
		uint64_t all = exact += r->counts->at[b], here = r->counts->at[b];

		for (unsigned i = 0; r->part && i < REUSE_PARTS; i++) {
			here += r->part[i].at[b];
			all += part[i] += r->part[i].at[b];
		}
		point[b] =
		    (struct reuse_point){here, MIN((double)all / touches, 1), r->part ? error_of(part) / touches : 0};
	}
}
