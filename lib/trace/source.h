/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a play takes its requests from: runs of consecutive requests, one after the other.
 *
 * A consumer never needs the whole trace, so an endless source costs no memory; a trace in memory is one run
 * and costs no copy. A source is read by one thread.
 */
#pragma once

#include <stddef.h>

#include "trace/trace.h"

struct batch {
	const struct req *req;
	const int64_t *time;    /* ns, TIME_NONE where missing; NULL: no times */
	const uint32_t *file;   /* NULL: all 0 */
	size_t count;
	uint64_t first;         /* number of req[0] in the whole, from 0 */
};

struct source {
	/* 1 and the next run (valid until the next call), 0 at the end, -errno. */
	int (*next)(struct source *s, struct batch *out);
	const struct trace *trace;
	size_t position;
};

/* The requests of a trace, which is borrowed and must not change meanwhile. */
void source_of_trace(struct source *s, const struct trace *t);

static inline int source_next(struct source *s, struct batch *out)
{
	return s->next(s, out);
}
