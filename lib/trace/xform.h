/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transforms of a whole trace. Each keeps a law, and each law is a property test. All columns of a request
 * (time, file, step) go with it.
 *
 * All return 0, -ENOMEM, or -EINTR when stop_signal() was set meanwhile; the trace then holds valid requests that
 * keep no law, and the caller gives up.
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "trace/trace.h"

/*
 * Extend each read, write and trim to multiples of align (a power of two) at both ends.
 * Law: every original byte is covered, ends are aligned, nothing grows by align or more at either end.
 * -EOVERFLOW when an end would pass REQ_MAX (the fault has the number of the request).
 */
int xform_round_up(struct trace *t, uint64_t align, struct fault *fault);

/*
 * Cut each read, write and trim into pieces whose sizes are drawn uniformly among the multiples of align (a power
 * of two) in size_min..size_max, the last one shorter. Sets the step column: n for all pieces of request n, from 1
 * (a sync is one piece). No memory beside the result.
 * Law: the pieces of a request cover exactly its bytes in order, each has the drawn size but the last.
 * -EINVAL when there is no such size (gen_check_size() tells that beforehand).
 */
int xform_break_up(struct trace *t, uint64_t size_min, uint64_t size_max, uint64_t align, struct rng *rng);

#define SHUFFLE_ALL UINT64_MAX

/*
 * times exchanges of two requests, the first anywhere, the second less than scope places behind it; SHUFFLE_ALL
 * means as many as there are requests, or no limit of scope. An exchange that would bring a request scope or more
 * places away from where it began is not made. SHUFFLE_ALL and a scope of at least the count is a uniform
 * permutation (Fisher-Yates). A scope of 0 or 1 changes nothing.
 * Law: a permutation, in which no request is scope or more places from where it was. Takes 8 bytes a request
 * when scope is below the count.
 */
int xform_shuffle(struct trace *t, uint64_t times, uint64_t scope, struct rng *rng);

/*
 * Mix b (which is not t) into t. Law: the order inside both is kept, and each next request comes from either side
 * with probability in proportion to what is left of it, so that both end together and each merge is as likely as
 * any other. No memory beside the result. Names of files are joined; -EINVAL, and nothing is changed, when one
 * number names two files (the fault tells which).
 */
int xform_interleave(struct trace *t, const struct trace *b, struct rng *rng, struct fault *fault);

/* Give t the names of files that b has, all or none: 0, -ENOMEM, or -EINVAL as above. */
int xform_join_names(struct trace *t, const struct trace *b, struct fault *fault);
