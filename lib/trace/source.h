/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a play takes its requests from: a share of a trace in memory, once or over and over. Nothing is copied; a
 * share that steps over the requests of others is a view with gaps. A source is read by one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/ring.h"
#include "trace/trace.h"

/* Requests req[0], req[step], req[2 * step], ...; count of them, all of one loop. */
struct batch {
	const struct req *req;
	const int64_t *time;    /* ns, TIME_NONE where missing, with the same step; NULL: no times */
	const uint32_t *file;   /* likewise; NULL: all 0 */
	size_t count, step;
	uint64_t first;         /* number of req[0] in the trace, from 0 */
	uint64_t loop;          /* from 0 */
};

struct source {
	const struct trace *trace;
	size_t first, step;     /* the share: requests first + n * step of the trace */
	size_t each;            /* as many in each loop; 0: none at all */
	uint64_t left;          /* requests to be handed out; UINT64_MAX: for ever */
	uint64_t loop;
	/*
	 * What follows the trace, and in it requests share + n * step; NULL: nothing. Borrowed; a batch of it is valid
	 * until the next call.
	 */
	struct ring *more;
	unsigned reader;        /* of the ring */
	size_t share;           /* below step */
};

/* The whole of a trace once. The trace is borrowed and must not change meanwhile. */
void source_of_trace(struct source *s, const struct trace *t);

/* The next loop's requests, or the next ones of what follows, which are waited for. False at the end. */
bool source_next(struct source *s, struct batch *out);

/* Would that return at once? */
bool source_ready(const struct source *s);
