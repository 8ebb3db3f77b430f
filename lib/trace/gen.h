/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern generators: requests by rule, one at a time, in constant memory.
 *
 * Ranges are exact. No request begins before begin or reaches past end; one that would ends the pattern
 * (patterns that walk) or is never drawn (random, ooo). A request that would pass max_bytes ends it too.
 * offset, length and skip are multiples of align.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/rng.h"
#include "trace/dist.h"
#include "trace/trace.h"

enum pattern {
	PATTERN_SEQUENTIAL, /* up from begin: next offset = end of the last + skip, or its start + stride */
	PATTERN_BACKWARD,   /* down from end: the first request ends at end */
	PATTERN_RANDOM,     /* offsets drawn from dist, with repetition */
	PATTERN_OOO,        /* each slot of the range once, in random order, slot size = size_max rounded up to align */
	PATTERN_STRIDE,     /* sequential whose starts lie stride apart whatever the size; needs stride */
	PATTERN_COUNT
};

/* "sequential" ...; -1 for an unknown name. */
const char *pattern_name(enum pattern p);
int pattern_of_name(const char *name);

#define GEN_UNLIMITED UINT64_MAX

struct gen_params {
	enum pattern pattern;
	struct dist_params dist;
	uint64_t begin, end;             /* bytes, end not included; end <= REQ_MAX */
	uint64_t size_min, size_max;     /* bytes */
	int64_t skip_min, skip_max;      /* bytes between the end of one and the start of the next; may be negative */
	uint64_t stride;                 /* bytes from start to start; 0: use skip */
	uint64_t align;                  /* a power of two; 1: none */
	uint64_t max_requests, max_bytes;/* GEN_UNLIMITED: none */
	enum op op;
};

/* The defaults: sequential, uniform, 0..10 MiB (2560 requests), size one page, no skip, no stride, align 1, no limits, reads. */
void gen_params_init(struct gen_params *p);

/*
 * Refuse what could never end or never yield a request: 0 or -EINVAL with a text that names the options
 * (--offset, --size, --skip, --stride, --align, --max-requests, --max-bytes, --pattern, --pdf).
 */
int gen_check(const struct gen_params *p, struct fault *fault);

/* State of one run of a pattern. Checked parameters only; rng is borrowed and used by gen_next(). */
struct gen {
	struct gen_params p;
	struct rng *rng;
	struct dist dist;
	uint64_t requests, bytes;   /* given out so far */
	uint64_t position;          /* where the walk stands */
	uint64_t slot_count;        /* ooo: slots of the range */
	uint64_t slot_next;
	uint64_t keys[4];           /* ooo: keys of the permutation */
	unsigned half_bits;
};

void gen_init(struct gen *g, const struct gen_params *p, struct rng *rng);

/* 1 and a request, or 0 at the end of the pattern. */
int gen_next(struct gen *g, struct req *out);

/* Append a whole pattern. 0, -ENOMEM, or -EINTR when stop_signal() was set meanwhile. */
int gen_append(struct trace *t, const struct gen_params *p, struct rng *rng);
