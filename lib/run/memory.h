/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory is left, so that a trace that does not fit is refused in words, before the kernel has to end
 * something.
 */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "trace/trace.h"

/*
 * Bytes that can still be used without pushing out what is in use: MemAvailable of /proc/meminfo (proc(5)), or what the
 * memory cgroup of this process leaves, if less; what no file tells is UINT64_MAX.
 */
uint64_t memory_left(void);

/* What is never used up. */
#define MEMORY_RESERVE (UINT64_C(96) << 20)

/* To be asked about every 2^20 requests that a trace grows: 0, or -ENOMEM with the text when it should not. */
int memory_check(const struct trace *t, struct fault *fault);
