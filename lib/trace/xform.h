/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transforms of a whole trace. Each keeps a law, and each law is a property test.
 *
 * All return 0, -ENOMEM, or -EINTR when stop_signal() was set meanwhile (the trace is then some valid
 * in-between state or unchanged; the caller gives up).
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "trace/trace.h"

/*
 * Extend each read, write and trim to multiples of align (a power of two) at both ends.
 * Law: every original byte is covered, ends are aligned, nothing grows by align or more at either end.
 * -EOVERFLOW when an end would pass REQ_MAX (fault names the request number).
 */
int xform_round_up(struct trace *t, uint64_t align, struct fault *fault);

/*
 * Cut each read, write and trim into pieces of a size drawn from size_min..size_max (rounded down to align, at
 * least align), the last one shorter. Sets the step column: n for all pieces of request n, from 1.
 * Law: the pieces of a request cover exactly its bytes in order, each has the drawn size but the last.
 */
int xform_break_up(struct trace *t, uint64_t size_min, uint64_t size_max, uint64_t align, struct rng *rng);

#define SHUFFLE_ALL UINT64_MAX

/*
 * times random exchanges with locality scope, as the seed of 2009 walked: see xform.c. times == SHUFFLE_ALL and
 * scope >= count is a uniform permutation (Fisher-Yates). Law: a permutation; nothing moves further than scope
 * allows (stated in xform.c); scope is clipped to count.
 */
int xform_shuffle(struct trace *t, uint64_t times, uint64_t scope, struct rng *rng);

/*
 * Mix b into t. Law: the order inside both is kept, and each next request comes from either side with probability
 * in proportion to what is left of it, so both end together.
 */
int xform_interleave(struct trace *t, const struct trace *b, struct rng *rng);
