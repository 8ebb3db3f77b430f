/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is settled before a play issues anything: does the trace fit the engine and the target, and how large are
 * pieces and buffers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/engine.h"
#include "run/flight.h"
#include "run/play.h"
#include "run/targets.h"
#include "trace/trace.h"

struct play_plan {
	const struct engine *engine;
	enum play_hits hits;
	const struct targets *targets;
	struct trace_extent extent;
	struct flight_rules rules;
	struct engine_params params; /* all but buffers; buf_size is a multiple of 4096, or 0: none is needed */
	size_t buf_align;
};

/*
 * Check all that needs no trace and no target: does what is asked go together, can the engine do it, and can it run
 * here? 0, -EINVAL or what its probe says, with the text.
 */
int plan_engine(struct play_plan *plan, const struct play_params *params, struct fault *fault);

/*
 * Look at the whole trace: only reads unless it may be written, of one file, aligned where I/O is direct, with times
 * where they are to be kept. 0 or -EINVAL; the fault has the number of the first request that does not fit.
 * Needs plan_engine() before.
 */
int plan_trace(struct play_plan *plan, const struct play_params *params, const struct trace *t,
	       const struct targets *targets, struct fault *fault);

/*
 * The same of a part that follows the trace: its first request has number first (from 0). file: of the requests without
 * a target of their own, see targets_default_file(). Any thread.
 */
int plan_part(const struct play_plan *plan, const struct play_params *params, const struct trace *t, uint64_t first,
	      uint32_t file, struct fault *fault);
