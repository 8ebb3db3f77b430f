/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory is left, so that a trace that does not fit is refused in words, before the kernel has to end
 * something.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "trace/trace.h"

/*
 * Bytes that can still be used without pushing out what is in use: MemAvailable of /proc/meminfo (proc(5)), or what the
 * memory cgroup or the limits RLIMIT_AS and RLIMIT_DATA of this process leave, if less; what no file tells is
 * UINT64_MAX.
 */
uint64_t memory_left(void);

/* What is never used up. */
#define MEMORY_RESERVE (UINT64_C(96) << 20)

/* Would bytes more leave the reserve? As trace.room. */
bool memory_has_room(uint64_t bytes);

/* To be asked about every 2^20 requests that a trace grows: 0, or memory_refuse() when it should not. */
int memory_check(const struct trace *t, struct fault *fault);

/* -ENOMEM, with a text that says how long the trace is and what is left. */
int memory_refuse(const struct trace *t, struct fault *fault);
