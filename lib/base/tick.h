/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cheapest clock for latencies: the processor's time stamp counter where it can be trusted, else CLOCK_MONOTONIC.
 *
 * The counter is taken when CPUID says that it is invariant (leaf 0x80000007, EDX bit 8: it runs at one rate in all
 * power states), the kernel itself keeps time by it (so that it has found it synchronous on all processors), two
 * measurements of its rate agree, and reading it is cheaper than clock_gettime() (a hypervisor may trap it). Else, and
 * on other processors, a tick is a nanosecond of CLOCK_MONOTONIC and nothing needs to be converted.
 *
 * tick_open() fills the structure, from then on it is constant: all threads, and processes forked after, may use it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#if defined(__x86_64__)
#define TICK_TSC 1
#include <x86intrin.h>
#else
#define TICK_TSC 0
#endif

struct tick {
	bool tsc;
	uint64_t mult;      /* nanoseconds of one tick, times 2^TICK_SHIFT; tsc only */
	uint64_t base;      /* a tick, and */
	int64_t base_ns;    /* CLOCK_MONOTONIC at that tick */
	const char *name;   /* "tsc" or "clock_gettime" */
	const char *why;    /* why it is not the tsc, a constant; "" when it is */
};

/* A tick is under 16 ns, so mult fits; one unit of mult is less than 10^-15 of a nanosecond. */
#define TICK_SHIFT 60

/*
 * Choose and calibrate. Takes some 5 ms, nearly all of it asleep, where the counter is taken. The rate is then known to
 * a few parts in a million of that of CLOCK_MONOTONIC.
 */
void tick_open(struct tick *t);

/* The same without the counter, at once. */
void tick_open_clock(struct tick *t);

/*
 * How far the ticks have gone from CLOCK_MONOTONIC since tick_open(), in parts of 10^9 (positive: ticks run fast). Over
 * a second or more this is the error of the calibration; 0 for the clock itself.
 */
int64_t tick_drift_ppb(const struct tick *t);

/* The time now, in ticks. What is before it in the program may still be under way: fine around a system call. */
static inline uint64_t tick_now(const struct tick *t)
{
#if TICK_TSC
	if (__builtin_expect(t->tsc, 1))
		return __rdtsc();
#else
	(void)t;
#endif
	return (uint64_t)clock_now();
}

/* The same, once all loads before it have their values: for the time that a touch of memory takes. */
static inline uint64_t tick_now_after_loads(const struct tick *t)
{
#if TICK_TSC
	if (__builtin_expect(t->tsc, 1)) {
		_mm_lfence();
		return __rdtsc();
	}
#endif
	return tick_now(t);
}

/* Nanoseconds of a difference of two ticks; exact but for the calibration, rounded down. Up to 2^63 ns. */
static inline uint64_t tick_ns(const struct tick *t, uint64_t ticks)
{
#if TICK_TSC
	if (__builtin_expect(t->tsc, 1))
		return (uint64_t)((unsigned __int128)ticks * t->mult >> TICK_SHIFT);
#else
	(void)t;
#endif
	return ticks;
}

/* CLOCK_MONOTONIC at a tick. */
static inline int64_t tick_clock(const struct tick *t, uint64_t tick)
{
	return tick >= t->base ? t->base_ns + (int64_t)tick_ns(t, tick - t->base)
			       : t->base_ns - (int64_t)tick_ns(t, t->base - tick);
}
