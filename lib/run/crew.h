/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs of a play, from start to end. They run beside the caller's thread, which ends them at a signal, at an error
 * of one of them or at the time limit, and shows the progress.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "run/cache_state.h"
#include "run/plan.h"
#include "run/play.h"
#include "trace/trace.h"

/* What they play; all borrowed. */
struct crew_work {
	const struct play_params *play;
	const struct play_plan *plan;
	const struct trace *trace;
	const struct cache_state *cache;
	play_loop_told *loop_told; /* NULL: nobody asks */
	void *loop_ctx;
};

struct crew;

/* Nothing runs yet. 0 and *out, or -ENOMEM with the text. */
int crew_new(struct crew **out, const struct crew_work *work, struct fault *fault);
void crew_free(struct crew *c);
void crew_freep(struct crew **c);

/*
 * Run all jobs, once. 0, or -errno of an engine or of a job's start with the text. *out is valid either way; cache and
 * cache_left in it are added to; its pointers belong to the crew.
 */
int crew_run(struct crew *c, bool progress, struct play_result *out, struct fault *fault);

/* Requests and bytes so far, of all jobs, those before the end of the ramp too; exact after crew_run(). Any thread. */
void crew_shown(const struct crew *c, uint64_t *requests, uint64_t *bytes);
