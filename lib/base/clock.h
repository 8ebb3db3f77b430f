/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Monotonic time in nanoseconds (CLOCK_MONOTONIC): the one clock of plays, samples and marks. */
#pragma once

#include <stdint.h>
#include <time.h>

#define NS_PER_SEC INT64_C(1000000000)
#define NS_PER_MSEC INT64_C(1000000)
#define NS_PER_USEC INT64_C(1000)

static inline int64_t clock_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}
