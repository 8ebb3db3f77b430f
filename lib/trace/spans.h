/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disjoint spans of numbers, each with a value that grows along with them, in order: number x of the span
 * key..key+length-1 has the value value + (x - key).
 *
 * A balanced tree of two levels: blocks of up to SPANS_BLOCK spans, and an index of blocks with a Fenwick tree of their
 * lengths. Finding, cutting and inserting take a few hundred nanoseconds with millions of spans; a span takes 24 to 50
 * bytes, or 16 to 33 without a value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t key, length, value;
};

#define SPANS_BLOCK 128

struct spans_block {
	uint64_t total;              /* of the lengths */
	uint32_t count;
	uint64_t key[SPANS_BLOCK], length[SPANS_BLOCK];
	uint64_t value[];            /* SPANS_BLOCK, or none when the values are the keys */
};

struct spans {
	struct spans_block **block;  /* none is empty */
	uint64_t *first;             /* the first key of each */
	uint64_t *tree;              /* Fenwick tree of their totals, from 1; not valid while stale */
	size_t blocks, capacity;
	size_t count;                /* spans */
	uint64_t total;              /* of all lengths */
	bool stale;
	bool keys_only;              /* the value of each number is the number, and is not kept */
};

/* All zero is no spans; keys_only may be set before the first is there. */
void spans_fini(struct spans *s);

/* The place of a span: valid until the next cut or insertion. */
struct spans_at {
	size_t block, span;
};

/* The first span that ends behind x: that which holds x, or the next one. False when there is none. */
bool spans_find(const struct spans *s, uint64_t x, struct spans_at *at);

static inline struct span spans_get(const struct spans *s, struct spans_at at)
{
	const struct spans_block *b = s->block[at.block];
	uint64_t key = b->key[at.span];

	return (struct span){key, b->length[at.span], s->keys_only ? key : b->value[at.span]};
}

/* Another value of the first number of a span, and so of the others. */
static inline void spans_set(struct spans *s, struct spans_at at, uint64_t value)
{
	s->block[at.block]->value[at.span] = value;
}

/* To the next span; false behind the last. */
bool spans_next(const struct spans *s, struct spans_at *at);

/* Take the numbers from..from+length-1 out of the span at a place, which holds them all. 0 or -ENOMEM. */
int spans_cut(struct spans *s, struct spans_at at, uint64_t from, uint64_t length);

/*
 * Add a span (length > 0) that overlaps no other. Where it goes on with the numbers and values of the one before it,
 * that becomes longer. 0 or -ENOMEM.
 */
int spans_insert(struct spans *s, struct span new);

/* How many numbers of all spans are behind those of a place (not counting the rest of its own span). */
uint64_t spans_behind(struct spans *s, struct spans_at at);
