/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the plays of a session have replayed so far, for the sampler beside them: the source "replay" (mon/source.h).
 * replayed_read() may be called by any thread, the others by the one that plays.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "mon/source.h"
#include "run/play.h"

struct replayed {
	pthread_mutex_t lock;
	const struct play *now;          /* NULL: none goes on */
	struct source_replay before;     /* of those that have ended */
};

#define REPLAYED_INIT {.lock = PTHREAD_MUTEX_INITIALIZER}

/* Around play_run(), after play_prepare(). NULL is allowed. */
void replayed_begin(struct replayed *r, const struct play *p);
void replayed_end(struct replayed *r);

/* A source_replay_fn; ctx is the struct replayed. */
void replayed_read(void *ctx, struct source_replay *out);
