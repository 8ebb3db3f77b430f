/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Less of a trace: some of its requests, or the same bytes in fewer, or in a smaller target. What stays keeps its order
 * and all its columns. Names of files stay too.
 *
 * Those that return int return 0, -ENOMEM, or -EINTR when stop_signal() was set meanwhile; the trace then holds valid
 * requests that keep no law, and the caller gives up.
 */
#pragma once

#include <stdint.h>

#include "base/rng.h"
#include "trace/trace.h"

/* The first n requests, or the last n; all when there are fewer. */
void cut_head(struct trace *t, uint64_t n);
int cut_tail(struct trace *t, uint64_t n);

/* Each request with probability billionths / 10^9 (at most 1), whatever became of the others. One draw a request. */
int cut_sample(struct trace *t, uint64_t billionths, struct rng *rng);

/*
 * Join each request with the next while that begins where the former ends and has its op and file. Time and step are
 * those of the first. Syncs are not joined.
 * Law: the same bytes in the same order, and no two neighbours that could still be joined.
 */
int cut_merge(struct trace *t);

/*
 * Offsets modulo size (> 0). A request that reaches over the edge is cut there, and goes on at 0; its pieces have its
 * columns. Syncs are left as they are.
 * Law: byte number i of the trace is at its old place modulo size, and nothing ends past size.
 */
int cut_wrap(struct trace *t, uint64_t size);
