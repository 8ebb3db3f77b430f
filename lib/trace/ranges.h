/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disjoint ranges of numbers, each with a value that grows along with them, in order: number x of the range
 * key..key+length-1 has the value value + (x - key).
 *
 * A balanced tree of two levels: blocks of up to RANGES_BLOCK ranges, and an index of blocks with a Fenwick tree of
 * their lengths. Finding, cutting and inserting take a few hundred nanoseconds with millions of ranges; a range takes
 * 24 to 50 bytes, or 16 to 33 without a value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t key, length, value;
};

#define RANGES_BLOCK 128

struct ranges_block {
	uint64_t total;              /* of the lengths */
	uint32_t count;
	uint64_t key[RANGES_BLOCK], length[RANGES_BLOCK];
	uint64_t value[];            /* RANGES_BLOCK, or none when the values are the keys */
};

struct ranges {
	struct ranges_block **block;  /* none is empty */
	uint64_t *first;             /* the first key of each */
	uint64_t *tree;              /* Fenwick tree of their totals, from 1; not valid while stale */
	size_t blocks, capacity;
	size_t count;                /* ranges */
	uint64_t total;              /* of all lengths */
	bool stale;
	bool keys_only;              /* the value of each number is the number, and is not kept */
};

/* All zero is no ranges; keys_only may be set before the first is there. */
void ranges_fini(struct ranges *s);

/* The place of a range: valid until the next cut or insertion. */
struct ranges_at {
	size_t block, range;
};

/* The first range that ends behind x: that which holds x, or the next one. False when there is none. */
bool ranges_find(const struct ranges *s, uint64_t x, struct ranges_at *at);

static inline struct range ranges_get(const struct ranges *s, struct ranges_at at)
{
	const struct ranges_block *b = s->block[at.block];
	uint64_t key = b->key[at.range];

	return (struct range){key, b->length[at.range], s->keys_only ? key : b->value[at.range]};
}

/* Another value of the first number of a range, and so of the others. */
static inline void ranges_set(struct ranges *s, struct ranges_at at, uint64_t value)
{
	s->block[at.block]->value[at.range] = value;
}

/* To the next range; false behind the last. */
bool ranges_next(const struct ranges *s, struct ranges_at *at);

/* Take the numbers from..from+length-1 out of the range at a place, which holds them all. 0 or -ENOMEM. */
int ranges_cut(struct ranges *s, struct ranges_at at, uint64_t from, uint64_t length);

/*
 * Add a range (length > 0) that overlaps no other. Where it goes on with the numbers and values of the one before it,
 * that becomes longer. 0 or -ENOMEM.
 */
int ranges_insert(struct ranges *s, struct range new);

/* How many numbers of all ranges are behind those of a place (not counting the rest of its own range). */
uint64_t ranges_behind(struct ranges *s, struct ranges_at at);
