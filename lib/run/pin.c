/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/pin.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/macro.h"

/* More than any kernel is built for (CONFIG_NR_CPUS). */
#define CPUS 16384

struct cpus {
	unsigned long word[CPUS / (8 * sizeof(long))];
};

static int set(struct cpus *c)
{
	return sched_setaffinity(0, sizeof(*c), (const cpu_set_t *)(const void *)c) < 0 ? -errno : 0;
}

int pin_thread(unsigned cpu)
{
	struct cpus c = {{0}};

	if (cpu >= CPUS)
		return -EINVAL;
	c.word[cpu / (8 * sizeof(long))] = 1UL << cpu % (8 * sizeof(long));
	return set(&c);
}

int pin_check(unsigned cpu)
{
	struct cpus before = {{0}};
	int r;

	if (sched_getaffinity(0, sizeof(before), (cpu_set_t *)(void *)&before) < 0)
		return -errno;
	r = pin_thread(cpu);
	return r < 0 ? r : set(&before);
}

int pin_lead(void)
{
	int policy = sched_getscheduler(0), before;
	struct sched_param p;

	if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(0, &p) < 0)
		return 0;
	before = p.sched_priority++;
	return sched_setparam(0, &p) < 0 ? 0 : before;
}

void pin_lead_end(int before)
{
	if (before)
		sched_setparam(0, &(const struct sched_param){.sched_priority = before});
}
