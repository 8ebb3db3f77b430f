/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same requests at other places, at other times, in the other direction, or with another op. None is lost or added;
 * what is not named here stays.
 *
 * All return 0, or -EINTR when stop_signal() was set meanwhile, or -EOVERFLOW with the number of the request in
 * the fault; the trace is then changed in part, and the caller gives up.
 */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "trace/trace.h"

/*
 * Offsets times billionths / 10^9, rounded down to a multiple of align (a power of two). Lengths stay. -EOVERFLOW when
 * a request would end past REQ_MAX.
 */
int remap_scale(struct trace *t, uint64_t billionths, uint64_t align, struct fault *fault);

/* Offsets plus delta; syncs stay. -EOVERFLOW when one would be negative, or a request end past REQ_MAX. */
int remap_shift(struct trace *t, int64_t delta, struct fault *fault);

/* Times times billionths / 10^9, rounded down. -EOVERFLOW when one would not fit. */
int remap_time(struct trace *t, uint64_t billionths, struct fault *fault);

/* Reads, writes and trims get this op, which is one of them. */
int remap_op(struct trace *t, enum op op);

/*
 * The last request first. Times are mirrored between the first and the last of them, so that the gaps are kept, in the
 * other direction too. Law: twice is the trace as it was.
 */
int remap_reverse(struct trace *t);
