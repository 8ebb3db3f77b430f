/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/tick.h"

#include <string.h>
#include <time.h>

#include "base/macro.h"
#include "base/smallfile.h"

void tick_open_clock(struct tick *t)
{
	*t = (struct tick){.name = "clock_gettime", .why = "not asked for", .base_ns = clock_now()};
	t->base = (uint64_t)t->base_ns;
}

#if TICK_TSC
#include <cpuid.h>

#define HALF_NS (2 * NS_PER_MSEC)
#define TRIES 32

struct pair {
	uint64_t tick;
	int64_t ns;
};

static bool is_invariant(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

static bool kernel_uses_it(void)
{
	char name[8];

	smallfile_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof(name));
	return strcmp(name, "tsc\n") == 0;
}

/* Both clocks at one moment: of many tries the one that took least, so that an interruption does not matter. */
static struct pair read_pair(void)
{
	struct pair best = {0};
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc();
		int64_t ns = clock_now();
		uint64_t took = __rdtsc() - before;

		if (took < least) {
			least = took;
			best = (struct pair){.tick = before + took / 2, .ns = ns};
		}
	}
	return best;
}

/* Is reading the counter cheaper than the clock? A trapped rdtsc takes a microsecond or more. */
static bool is_cheap(void)
{
	int64_t counter = INT64_MAX, clock = INT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		int64_t begin = clock_now(), middle;

		for (int j = 0; j < 8; j++)
			(void)__rdtsc();
		middle = clock_now();
		for (int j = 0; j < 8; j++)
			(void)clock_now();
		counter = MIN(counter, middle - begin);
		clock = MIN(clock, clock_now() - middle);
	}
	return counter < clock;
}

static void rest(void)
{
	struct timespec ts = {.tv_nsec = HALF_NS};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Times 2^TICK_SHIFT; 0 when it is out of all reason. */
static uint64_t rate(struct pair a, struct pair b)
{
	uint64_t ticks = b.tick - a.tick, ns = (uint64_t)(b.ns - a.ns);

	if (b.ns <= a.ns || b.tick <= a.tick || ns / ticks >= 16)
		return 0;
	return (uint64_t)(((unsigned __int128)ns << TICK_SHIFT) / ticks);
}

/* 0, or why not. */
static const char *calibrate(struct tick *t)
{
	struct pair a, b, c;
	uint64_t first, second;

	if (!is_invariant())
		return "the time stamp counter is not invariant";
	if (!kernel_uses_it())
		return "the kernel does not keep time by the time stamp counter";
	if (!is_cheap())
		return "the time stamp counter is dearer to read than the clock";
	a = read_pair();
	rest();
	b = read_pair();
	rest();
	c = read_pair();
	first = rate(a, b);
	second = rate(b, c);
	/* Each is good to some 20 ns in 2 ms, 10 parts in a million; a tenth of a percent means that something is
	 * wrong. */
	if (first == 0 || second == 0 || MAX(first, second) - MIN(first, second) > first / 1000)
		return "the time stamp counter and the clock do not agree";
	*t = (struct tick){.tsc = true, .mult = rate(a, c), .base = a.tick, .base_ns = a.ns, .name = "tsc", .why = ""};
	return NULL;
}

void tick_open(struct tick *t)
{
	const char *why = calibrate(t);

	if (!why)
		return;
	tick_open_clock(t);
	t->why = why;
}

int64_t tick_drift_ppb(const struct tick *t)
{
	struct pair now;
	int64_t took;

	if (!t->tsc)
		return 0;
	now = read_pair();
	took = now.ns - t->base_ns;
	return took > 0 ? (int64_t)((__int128)(tick_clock(t, now.tick) - now.ns) * NS_PER_SEC / took) : 0;
}

#else

void tick_open(struct tick *t)
{
	tick_open_clock(t);
	t->why = "no known counter on this processor";
}

int64_t tick_drift_ppb(const struct tick *t _unused_)
{
	return 0;
}

#endif
