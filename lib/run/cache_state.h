/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page cache of the targets as a play wants it before its first request, or before each loop, and what the kernel
 * says of it afterwards.
 *
 * To be warm is what the trace asks for, each page of it once; to be cold is a range, in whole pages. Both are exact:
 * without readahead, and without the large folios that straddle the end of a range.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "run/play.h"
#include "run/targets.h"

/* Parts of a target, in order, no two of them touch. */
struct spans {
	struct span *span;
	size_t count, capacity;
	uint64_t pages;
};

struct cache_state {
	enum play_cache how;
	const struct targets *targets;  /* borrowed */
	struct spans *warm;             /* of each target; NULL: nothing */
	const struct span *cold;        /* borrowed */
	unsigned cold_count;
};

/*
 * What is the same each time; the trace is looked at here alone. 0, or with the text -EINVAL (a target that is memory
 * cannot be cold or warm), -ENOMEM, -EINTR.
 */
int cache_state_init(struct cache_state *s, const struct play_params *params, const struct trace *t,
		     const struct targets *targets, struct fault *fault);
void cache_state_fini(struct cache_state *s);

/* Is it to be set before each loop? */
static inline bool cache_state_is_of_loops(const struct cache_state *s)
{
	return s->how != CACHE_DROP_FIRST && s->how != CACHE_KEEP;
}

/*
 * Set it, and add to *done and *left (as in struct play_result; UINT64_MAX before the first time) what came of it. Ends
 * early when stop_signal() is set, or *stop. 0 or -errno with the text. Any thread or process, one at a time; what
 * descriptors were advised is to be said again.
 */
int cache_state_set(const struct cache_state *s, struct play_cache_set *done, uint64_t *left, const atomic_bool *stop,
		    struct fault *fault);
