/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time in nanoseconds: clock_now() is the one clock of plays, samples and marks (CLOCK_MONOTONIC), clock_unix() the
 * date.
 */
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

/* Since 1970, UTC. */
static inline int64_t clock_unix(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* The same of a moment of clock_now(), by the date as it is set now. */
static inline int64_t clock_unix_at(int64_t when)
{
	return clock_unix() - (clock_now() - when);
}
