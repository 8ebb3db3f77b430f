/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace is like, by looking at each request once. Memory goes with what the requests cover, and is bounded: see
 * trace/reuse.h. A trace may come in parts.
 *
 * Pages are those of reads and writes. A trim is a request of its own kind that touches none.
 */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "trace/reuse.h"
#include "trace/trace.h"

/* Bucket i > 0 holds 2^(i-1)..2^i - 1, bucket 0 only 0. */
#define SURVEY_BUCKETS 65

static inline unsigned survey_bucket(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

struct survey {
	uint64_t requests, bytes;                 /* bytes saturate at UINT64_MAX, those of an op too */
	struct {
		uint64_t requests, bytes;
	} op[OP_COUNT];
	uint64_t files;                           /* that have requests */
	/* Of reads, writes and trims, which have a place: */
	uint64_t placed;
	uint64_t begin, end;                      /* least offset, largest end; 0 when placed is 0 */
	uint64_t length[SURVEY_BUCKETS];
	uint64_t length_min, length_max;
	/*
	 * Requests that begin where the one before in their file ended; the first of a file does not. Of the others
	 * that have one before, the distance from that end, up and down.
	 */
	uint64_t sequential, sequential_bytes;
	uint64_t seek_up[SURVEY_BUCKETS], seek_down[SURVEY_BUCKETS];
	/* Of those that have a time: */
	uint64_t timed;
	int64_t time_min, time_max;               /* ns; 0 when timed is 0 */
	uint64_t time_back;                       /* earlier than the one before */
	struct reuse reuse;
	/* inside */
	uint64_t *file_end;                       /* UINT64_MAX: no request yet */
	uint32_t file_capacity;
	int64_t time_last;
};

/* limit: of reuse_init(). 0 or -ENOMEM. */
int survey_init(struct survey *s, uint64_t limit);
void survey_fini(struct survey *s);

/*
 * Count all requests of t. 0, -ENOMEM, -EINTR when stop_signal() was set meanwhile, or -EOVERFLOW with the text when
 * there are too many pages to count. After a negative return it can only be freed.
 */
int survey_add(struct survey *s, const struct trace *t, struct fault *fault);
