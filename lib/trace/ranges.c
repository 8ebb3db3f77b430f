/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

void ranges_fini(struct ranges *s)
{
	for (size_t i = 0; i < s->blocks; i++)
		free(s->block[i]);
	free(s->block);
	free(s->first);
	free(s->tree);
	*s = (struct ranges){0};
}

/* The block whose ranges may hold x: the last that begins at x or before, else the first. */
static size_t block_of(const struct ranges *s, uint64_t x)
{
	size_t low = 0, n = s->blocks;

	while (n > 1) {
		size_t half = n / 2;

		low += s->first[low + half] <= x ? half : 0;
		n -= half;
	}
	return low;
}

/* The first range of a block that ends behind x; count when none does. */
static size_t span_of(const struct ranges_block *b, uint64_t x)
{
	size_t low = 0, n = b->count;

	while (n > 1) {
		size_t half = n / 2;

		low += b->key[low + half] <= x ? half : 0;
		n -= half;
	}
	return low + (b->key[low] + b->length[low] <= x);
}

bool ranges_find(const struct ranges *s, uint64_t x, struct ranges_at *at)
{
	if (!s->blocks)
		return false;
	at->block = block_of(s, x);
	at->range = span_of(s->block[at->block], x);
	if (at->range < s->block[at->block]->count)
		return true;
	at->block++;
	at->range = 0;
	return at->block < s->blocks;
}

bool ranges_next(const struct ranges *s, struct ranges_at *at)
{
	if (++at->range < s->block[at->block]->count)
		return true;
	at->block++;
	at->range = 0;
	return at->block < s->blocks;
}

/* The sums of the tree count from 1; slot i covers as many blocks as the lowest bit of i says. */
static void rebuild(struct ranges *s)
{
	for (size_t i = 1; i <= s->blocks; i++)
		s->tree[i] = s->block[i - 1]->total;
	for (size_t i = 1; i <= s->blocks; i++) {
		size_t up = i + (i & -i);

		if (up <= s->blocks)
			s->tree[up] += s->tree[i];
	}
	s->stale = false;
}

/* The total of the first n blocks. */
static uint64_t sum_of(const struct ranges *s, size_t n)
{
	uint64_t sum = 0;

	for (; n; n &= n - 1)
		sum += s->tree[n];
	return sum;
}

/* A block's total changes; delta may be negative, as all is modulo 2^64. */
static void add(struct ranges *s, size_t block, uint64_t delta)
{
	s->total += delta;
	s->block[block]->total += delta;
	for (size_t i = block + 1; !s->stale && i <= s->blocks; i += i & -i)
		s->tree[i] += delta;
}

static int grow(struct ranges *s)
{
	size_t capacity = MAX(2 * s->capacity, 64);
	struct ranges_block **block;
	uint64_t *first, *tree;

	block = reallocarray(s->block, capacity, sizeof(*block));
	if (!block)
		return -ENOMEM;
	s->block = block;
	first = reallocarray(s->first, capacity, sizeof(*first));
	if (!first)
		return -ENOMEM;
	s->first = first;
	tree = reallocarray(s->tree, capacity + 1, sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	s->tree = tree;
	s->capacity = capacity;
	return 0;
}

/* An empty block at a place of the index. Its first key is still to be set. */
static int insert_block(struct ranges *s, size_t at)
{
	struct ranges_block *b;

	if (s->blocks == s->capacity && grow(s) < 0)
		return -ENOMEM;
	b = malloc(sizeof(*b) + (s->keys_only ? 0 : RANGES_BLOCK * sizeof(*b->value)));
	if (!b)
		return -ENOMEM;
	b->count = 0;
	b->total = 0;
	memmove(s->block + at + 1, s->block + at, (s->blocks - at) * sizeof(*s->block));
	memmove(s->first + at + 1, s->first + at, (s->blocks - at) * sizeof(*s->first));
	s->block[at] = b;
	s->blocks++;
	if (at + 1 < s->blocks)
		s->stale = true;
	else
		s->tree[at + 1] = sum_of(s, at) - sum_of(s, s->blocks & (s->blocks - 1));
	return 0;
}

static void remove_block(struct ranges *s, size_t at)
{
	free(s->block[at]);
	s->blocks--;
	memmove(s->block + at, s->block + at + 1, (s->blocks - at) * sizeof(*s->block));
	memmove(s->first + at, s->first + at + 1, (s->blocks - at) * sizeof(*s->first));
	s->stale |= at < s->blocks;
}

/* Move n ranges of a block to another place, in the same or another block. */
static void move(const struct ranges *s, struct ranges_block *to, size_t at, const struct ranges_block *from,
		 size_t first, size_t n)
{
	memmove(to->key + at, from->key + first, n * sizeof(*to->key));
	memmove(to->length + at, from->length + first, n * sizeof(*to->length));
	if (!s->keys_only)
		memmove(to->value + at, from->value + first, n * sizeof(*to->value));
}

/* Move the ranges from number "from" on to the block behind, which has room for them. */
static void move_up(struct ranges *s, size_t at, uint32_t from)
{
	struct ranges_block *b = s->block[at], *next = s->block[at + 1];
	uint32_t n = b->count - from;
	uint64_t moved = 0;

	move(s, next, n, next, 0, next->count);
	move(s, next, 0, b, from, n);
	for (uint32_t i = 0; i < n; i++)
		moved += next->length[i];
	next->count += n;
	b->count = from;
	next->total += moved;
	b->total -= moved;
	s->first[at + 1] = next->key[0];
	s->stale = true;
}

static bool fits_one(const struct ranges *s, size_t at)
{
	return at + 1 < s->blocks && s->block[at]->count + s->block[at + 1]->count <= RANGES_BLOCK / 2;
}

/* Neighbours that together fill half a block become one. */
static void join(struct ranges *s, size_t at)
{
	if (s->block[at]->count == 0) {
		remove_block(s, at);
		return;
	}
	if (!fits_one(s, at)) {
		if (!at || !fits_one(s, at - 1))
			return;
		at--;
	}
	move_up(s, at, 0);
	remove_block(s, at);
}

/* Make room for a range at a place, which may lie behind the last of its block. */
static int make_room(struct ranges *s, struct ranges_at *at)
{
	struct ranges_block *b = s->block[at->block];
	bool last = at->block + 1 == s->blocks && at->range == b->count;

	if (b->count < RANGES_BLOCK)
		return 0;
	if (insert_block(s, at->block + 1) < 0)
		return -ENOMEM;
	if (last) { /* what only grows at its end fills its blocks */
		at->block++;
		at->range = 0;
		return 0;
	}
	move_up(s, at->block, RANGES_BLOCK / 2);
	if (at->range > RANGES_BLOCK / 2) {
		at->block++;
		at->range -= RANGES_BLOCK / 2;
	}
	return 0;
}

static void put(struct ranges *s, struct ranges_at at, struct range p)
{
	struct ranges_block *b = s->block[at.block];

	b->key[at.range] = p.key;
	b->length[at.range] = p.length;
	if (!s->keys_only)
		b->value[at.range] = p.value;
}

static int insert_at(struct ranges *s, struct ranges_at at, struct range new)
{
	struct ranges_block *b;

	if (make_room(s, &at) < 0)
		return -ENOMEM;
	b = s->block[at.block];
	move(s, b, at.range + 1, b, at.range, b->count - at.range);
	put(s, at, new);
	b->count++;
	s->count++;
	s->first[at.block] = b->key[0];
	add(s, at.block, new.length);
	return 0;
}

int ranges_insert(struct ranges *s, struct range new)
{
	struct ranges_at at;

	if (!s->blocks && insert_block(s, 0) < 0)
		return -ENOMEM;
	at.block = block_of(s, new.key);
	at.range = s->block[at.block]->count ? span_of(s->block[at.block], new.key) : 0;
	if (at.range) {
		struct ranges_at left = {at.block, at.range - 1};
		struct range before = ranges_get(s, left);

		if (before.key + before.length == new.key && before.value + before.length == new.value) {
			s->block[at.block]->length[left.range] += new.length;
			add(s, at.block, new.length);
			return 0;
		}
	}
	return insert_at(s, at, new);
}

int ranges_cut(struct ranges *s, struct ranges_at at, uint64_t from, uint64_t length)
{
	struct ranges_block *b = s->block[at.block];
	struct range p = ranges_get(s, at);
	uint64_t before = from - p.key, behind = p.length - before - length;
	struct range rest = {from + length, behind, p.value + before + length};

	if (before && behind) {
		b->length[at.range] = before;
		add(s, at.block, -(length + behind));
		at.range++;
		return insert_at(s, at, rest);
	}
	add(s, at.block, -length);
	if (before) {
		b->length[at.range] = before;
	} else if (behind) {
		put(s, at, rest);
	} else {
		s->count--;
		b->count--;
		move(s, b, at.range, b, at.range + 1, b->count - at.range);
	}
	s->first[at.block] = b->key[0];
	join(s, at.block);
	return 0;
}

uint64_t ranges_behind(struct ranges *s, struct ranges_at at)
{
	const struct ranges_block *b = s->block[at.block];
	uint64_t sum = 0;

	if (s->stale)
		rebuild(s);
	if (at.range >= b->count / 2) {
		for (size_t i = at.range + 1; i < b->count; i++)
			sum += b->length[i];
	} else {
		for (size_t i = 0; i <= at.range; i++)
			sum -= b->length[i];
		sum += b->total;
	}
	return sum + s->total - sum_of(s, at.block + 1);
}
