/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/gate.h"

#include "base/clock.h"

#define ARRIVED UINT64_C(0xffffffff)
#define PARTY (UINT64_C(1) << 32)

void gate_init(struct gate *g, unsigned parties)
{
	*g = (struct gate){.state = parties * PARTY};
}

/* Add to the state; open when all who are left are there. */
static bool change(struct gate *g, uint64_t by)
{
	uint64_t old = atomic_load(&g->state), new;
	bool opens;

	do {
		new = old + by;
		opens = (new & ARRIVED) == new >> 32;
		if (opens)
			new &= ~ARRIVED;
		if (opens && atomic_load(&g->opened) == 0)
			atomic_store(&g->opened, clock_now());
	} while (!atomic_compare_exchange_weak(&g->state, &old, new));
	if (opens)
		event_post(&g->open);
	return opens;
}

bool gate_arrive(struct gate *g)
{
	return change(g, 1);
}

void gate_wait(struct gate *g, uint32_t seen)
{
	while (event_seen(&g->open) == seen && !atomic_load(&g->broken))
		event_wait(&g->open, seen, INT64_MAX);
}

void gate_leave(struct gate *g)
{
	change(g, -PARTY);
}

void gate_break(struct gate *g)
{
	atomic_store(&g->broken, true);
	event_post(&g->open);
}
