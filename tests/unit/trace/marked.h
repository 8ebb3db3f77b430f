/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces whose requests can be told apart, for the tests of transforms; include after cmocka.h. */
#pragma once

#include "trace/trace.h"

/* The number of a request stands in all its columns, so that one that lost a column is noticed. */
static inline void push_marked(struct trace *t, struct req r, uint64_t mark, bool columns)
{
	assert_int_equal(trace_push(t, r), 0);
	if (!columns)
		return;
	assert_int_equal(trace_need_time(t) | trace_need_file(t) | trace_need_step(t), 0);
	t->time[t->count - 1] = (int64_t)mark;
	t->file[t->count - 1] = (uint32_t)mark;
	t->step[t->count - 1] = mark;
}

static inline void make_marked(struct trace *t, size_t n, uint64_t first, bool columns)
{
	trace_init(t);
	for (size_t i = 0; i < n; i++)
		push_marked(t, req_make(first + i, first + i + 1, (enum op)((first + i) % OP_COUNT)), first + i,
			    columns);
}

/* Which number request i of a trace of make_marked() carries; all of it must be of one piece. */
static inline uint64_t mark_of(const struct trace *t, size_t i)
{
	uint64_t mark = req_offset(t->req[i]);

	assert_int_equal(req_length(t->req[i]), mark + 1);
	assert_int_equal(req_op(t->req[i]), mark % OP_COUNT);
	if (t->time)
		assert_int_equal(t->time[i], mark);
	if (t->file)
		assert_int_equal(t->file[i], mark);
	if (t->step)
		assert_int_equal(t->step[i], mark);
	return mark;
}
