/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces by chance, with all columns or without some, for the laws of transforms; include after cmocka.h. */
#pragma once

#include "base/macro.h"
#include "base/rng.h"
#include "trace/trace.h"

/*
 * Up to max requests within 64 KiB, of all ops, many of which touch, overlap or are alike; times are in no order, often
 * equal and sometimes missing; files are 0..2. Each column is there or not.
 */
static inline void make_any(struct trace *t, struct rng *r, uint64_t max)
{
	size_t n = (size_t)rng_below(r, max + 1);
	bool time = rng_below(r, 4), file = rng_below(r, 2), step = rng_below(r, 2);
	uint64_t end = 0;

	trace_init(t);
	for (size_t i = 0; i < n; i++) {
		enum op op = (enum op)rng_below(r, rng_below(r, 3) ? 2 : OP_COUNT);
		uint64_t length = op == OP_SYNC || op == OP_DATASYNC ? 0 : rng_below(r, 40) * rng_below(r, 40);
		uint64_t offset = rng_below(r, 3) ? rng_below(r, 65536) : end;

		assert_int_equal(trace_push(t, req_make(offset, length, op)), 0);
		end = offset + length;
		assert_int_equal((time ? trace_need_time(t) : 0) | (file ? trace_need_file(t) : 0) |
				     (step ? trace_need_step(t) : 0),
				 0);
		if (time)
			t->time[i] = rng_below(r, 5) ? (int64_t)rng_below(r, 50) : TIME_NONE;
		if (file)
			t->file[i] = (uint32_t)rng_below(r, 3);
		if (step)
			t->step[i] = rng_below(r, 100);
	}
}

/* A copy. */
static inline void copy_any(struct trace *to, const struct trace *from)
{
	trace_init(to);
	for (size_t i = 0; i < from->count; i++)
		assert_int_equal(trace_copy(to, from, i), 0);
}

static inline int64_t time_at(const struct trace *t, size_t i)
{
	return t->time ? t->time[i] : TIME_NONE;
}

static inline uint32_t file_at(const struct trace *t, size_t i)
{
	return t->file ? t->file[i] : 0;
}

static inline uint64_t step_at(const struct trace *t, size_t i)
{
	return t->step ? t->step[i] : 0;
}

static inline bool same_columns(const struct trace *a, size_t i, const struct trace *b, size_t j)
{
	return time_at(a, i) == time_at(b, j) && file_at(a, i) == file_at(b, j) && step_at(a, i) == step_at(b, j);
}

static inline bool same_request(const struct trace *a, size_t i, const struct trace *b, size_t j)
{
	return a->req[i].offset_op == b->req[j].offset_op && a->req[i].length_op == b->req[j].length_op &&
	       same_columns(a, i, b, j);
}
