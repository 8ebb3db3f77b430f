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
#include "io/target.h"
#include "run/flight.h"
#include "run/play.h"
#include "trace/trace.h"

struct play_plan {
	const struct engine *engine;
	struct trace_extent extent;
	struct flight_rules rules;
	size_t buf_size;    /* of one slot, a multiple of 4096; 0: the engine needs none */
	size_t buf_align;
	uint64_t max_length; /* of an io, bytes */
};

/*
 * Find the engine of params->engine and ask whether it can run here, with that depth and direct I/O. 0, -EINVAL or what
 * its probe says, with the text.
 */
int plan_engine(struct play_plan *plan, const struct play_params *params, struct fault *fault);

/*
 * Look at the whole trace: only reads, of one file, and aligned where I/O is direct. 0 or -EINVAL with a text that
 * names the first request that does not fit. Needs plan_engine() before.
 */
int plan_trace(struct play_plan *plan, const struct play_params *params, const struct trace *t,
	       const struct target *target, struct fault *fault);
