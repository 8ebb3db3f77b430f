/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where jobs wait for each other: it opens when all have arrived, and closes again behind them. It may lie in memory
 * that processes share. Any number of threads; nothing is lost when some leave, or all are sent home.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"

struct gate {
	_Atomic uint64_t state;    /* parties << 32 | arrived */
	struct event open;
	atomic_bool broken;
	_Atomic int64_t opened;    /* CLOCK_MONOTONIC when it opened first, the same to all who came through; 0: not yet */
};

void gate_init(struct gate *g, unsigned parties);

/*
 * One arrives. Who is to wait takes *seen before and hands it to gate_wait(); somebody else may arrive for it in
 * between. True: that was the last, and the gate has opened.
 */
static inline uint32_t gate_seen(struct gate *g)
{
	return event_seen(&g->open);
}
bool gate_arrive(struct gate *g);

/* Until it opens, or is broken. */
void gate_wait(struct gate *g, uint32_t seen);

/* One who has not arrived will come no more. */
void gate_leave(struct gate *g);

/* Nobody waits here any more, now or later. */
void gate_break(struct gate *g);
