/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pattern generators: requests by rule, in constant memory.
 *
 * Ranges are exact. No request begins before begin or reaches past end; one that would ends the pattern
 * (patterns that walk) or is never drawn (random, ooo). A request that would pass max_bytes ends it too; where
 * sizes vary, it may be the first.
 *
 * Sizes and skips are drawn uniformly among the multiples of align between their bounds, offsets are multiples of align
 * (begin is rounded up to one). The size of a request is drawn before its offset.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/rng.h"
#include "trace/dist.h"
#include "trace/perm.h"
#include "trace/trace.h"

/*
 * sequential   up from begin: the next starts at the end of the last + skip, or at its start + stride
 * backward     down from end, where the first ends: the next ends at the start of the last - skip, or starts at
 *              its start - stride
 * random       offsets drawn from dist over all starts from which the request fits, with repetition
 * ooo          each slot of the range once, in random order; a slot is size_max long, what is left of the range
 *              behind the last slot is not used
 * stride       sequential whose starts lie stride apart whatever the size; needs stride
 */
enum pattern {
	PATTERN_SEQUENTIAL,
	PATTERN_BACKWARD,
	PATTERN_RANDOM,
	PATTERN_OOO,
	PATTERN_STRIDE,
	PATTERN_COUNT
};

/* "sequential" ...; -1 for an unknown name. */
const char *pattern_name(enum pattern p);
int pattern_of_name(const char *name);

#define GEN_UNLIMITED UINT64_MAX

struct gen_params {
	enum pattern pattern;
	struct dist_params dist;            /* as dist_parse() gives it; only random uses it */
	uint64_t begin, end;                /* bytes, end not included; end <= REQ_MAX */
	uint64_t size_min, size_max;        /* bytes */
	int64_t skip_min, skip_max;         /* bytes from the end of one to the next, may be < 0; random, ooo: unused */
	uint64_t stride;                    /* bytes from start to start, at most REQ_MAX; 0: use skip */
	uint64_t align;                     /* a power of two; 1: none */
	uint64_t max_requests, max_bytes;   /* GEN_UNLIMITED: none */
	/*
	 * What the requests are, or, where write_part is not 0, are unless drawn to be a write: the part of them that
	 * is, 0..1. Syncs have no place: gen_check() wants max_requests, and they all stand at begin with a length of
	 * 0.
	 */
	enum op op;
	double write_part;
};

/* The defaults: sequential reads of a page each, no skip, over 0..10 MiB; uniform, align 1, no limits. */
void gen_params_init(struct gen_params *p);

/*
 * Refuse what could never end or never yield a request: 0 or -EINVAL with a text that names the options
 * (--offset, --size, --skip, --stride, --align, --max-requests, --max-bytes, --pattern, --pdf, --op). A walk
 * must advance with every step: smallest size + smallest skip > 0. A stride excludes a skip.
 */
int gen_check(const struct gen_params *p, struct fault *fault);

/* The part of gen_check() that concerns size and align alone, for other users of them (break-up, round-up). */
int gen_check_size(const struct gen_params *p, struct fault *fault);

/* A size, or distance, drawn among the multiples of align: (first + 0..more) * align. */
struct gen_span {
	int64_t first;
	uint64_t more;
};

/* False when no multiple of align (a power of two) lies in min..max. */
bool gen_span_init(struct gen_span *s, int64_t min, int64_t max, uint64_t align);

static inline int64_t gen_span_draw(const struct gen_span *s, uint64_t align, struct rng *rng)
{
	uint64_t extra = s->more ? rng_between(rng, 0, s->more) : 0;

	return (int64_t)(((uint64_t)s->first + extra) * align);
}

/* State of one run of a pattern. */
struct gen {
	struct gen_params p;        /* begin and end are aligned here */
	unsigned shift;             /* log2 of align */
	struct rng *rng;
	struct gen_span size, skip;
	struct rng mix;             /* of write_part: numbers of its own, so that a walk stays one without chance */
	struct dist dist;           /* random: over all starts of the smallest size */
	struct perm perm;           /* ooo: over the slots */
	uint64_t requests, bytes;   /* given out so far */
	uint64_t position;          /* up: next start; down: next end (stride: start, from the second); ooo: slot */
	bool ended;
};

/* p has passed gen_check(); rng is borrowed, and used by gen_fill() too. */
void gen_init(struct gen *g, const struct gen_params *p, struct rng *rng);

/*
 * The next requests, at most max. Returns how many: less than max only at the end of the pattern. The sequence
 * does not depend on how it is cut into calls.
 */
size_t gen_fill(struct gen *g, struct req *out, size_t max);

/* 1 and a request, or 0 at the end of the pattern. */
int gen_next(struct gen *g, struct req *out);

/* Append a whole pattern. 0, -ENOMEM, or -EINTR when stop_signal() was set meanwhile (t holds the part so far). */
int gen_append(struct trace *t, const struct gen_params *p, struct rng *rng);
