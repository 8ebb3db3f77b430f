/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A play: a source of requests, issued on a target through an engine, and what came of it.
 *
 * play_open() checks, play_prepare() drops the cache, play_run() issues. The jobs that issue are threads with all
 * signals blocked; the caller's thread waits in play_run(), ends them at a signal or a time limit, and shows the
 * progress, so that the loop that issues reads no clock and asks no question but one flag.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/engine.h"
#include "io/target.h"
#include "trace/trace.h"

#define PLAY_UNLIMITED UINT64_MAX

struct play_params {
	const char *target;          /* path */
	const char *engine;          /* name */
	uint64_t max_requests;       /* PLAY_UNLIMITED: none */
	uint64_t max_bytes;          /* inside the target; a request that would pass it ends the play unissued */
	int64_t max_ns;              /* INT64_MAX: none */
	/*
	 * Pause after each request, the last one too, from its end on; with several in flight from the moment when it
	 * is submitted and another one could be.
	 */
	int64_t think_ns;
	enum io_advice advice;
	bool keep_cache;             /* do not drop the target's pages first */
	bool continue_on_error;
	unsigned depth;              /* requests in flight, >= 1 */
	bool direct;
};

/* What is known before the first request. */
struct play_info {
	const struct target *target;
	const struct engine *engine;
	struct trace_extent extent;  /* of the trace */
	uint64_t requests;
	bool past_end;               /* the trace reaches past the end of the target */
};

#define PLAY_ERRNOS 8

struct play_error {
	int error;                   /* errno, positive */
	uint64_t count;
	uint64_t first_offset, first_length;
	uint64_t first_request;      /* number, from 1 */
};

struct play_result {
	uint64_t requests;           /* issued, also those that failed */
	uint64_t bytes;              /* moved */
	uint64_t seeks;              /* requests that do not start where the one before ended; the first counts */
	uint64_t short_reads;        /* requests that moved less than the target had at that place */
	uint64_t short_bytes;        /* bytes they lacked */
	uint64_t past_end_requests;  /* requests that reached past the end of the target, wholly or partly */
	uint64_t past_end_bytes;
	uint64_t errors;
	struct play_error error[PLAY_ERRNOS]; /* by errno, in order of appearance; further kinds count in errors only */
	unsigned error_kinds;
	uint64_t minor_faults, major_faults;  /* of the threads that played */
	int64_t user_ns, system_ns;           /* likewise */
	int64_t elapsed_ns;          /* from before the first request to after the last */
	uint64_t cache_left;         /* pages still cached after the drop; UINT64_MAX: not known or not dropped */
	int stopped_by;              /* signal, or 0 */
	bool stopped_by_error;
	bool hit_limit;              /* max_requests, max_bytes or max_ns ended it */
};

struct play;

/*
 * Check and prepare all: parameters, engine, target, buffers. 0 and *out, or -errno with the text (-EINVAL: makes no
 * sense, exit status 2; others 1). Nothing is issued or dropped. The trace is borrowed.
 */
int play_open(struct play **out, const struct play_params *p, const struct trace *t, struct fault *fault);
void play_close(struct play *p);
void play_closep(struct play **p);

void play_get_info(const struct play *p, struct play_info *info);

/* Drop the target's cache, unless kept. 0 or -errno with the text. */
int play_prepare(struct play *p, struct fault *fault);

/*
 * Issue all. progress: show it on standard error. 0, or -errno of the engine itself with the text; errors of
 * requests are results. *out is valid either way.
 */
int play_run(struct play *p, bool progress, struct play_result *out, struct fault *fault);
