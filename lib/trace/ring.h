/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests on their way from the thread that reads them to those that play them: a ring of traces of bounded size.
 *
 * One thread fills, any number of readers take; each reader sees all parts in order, and a part is filled again when
 * the last of them has let go of it. Threads of one process only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace.h"

/* Requests of a part, and parts: small enough to stay in a cache of the processor. */
#define RING_PART 4096u
#define RING_PARTS 16u

struct ring;

/* readers >= 1. NULL: no memory. */
struct ring *ring_new(unsigned readers);
void ring_free(struct ring *r);

/*
 * The filler's: the next part to fill, without requests, but with the arrays and names it had before. Waits for room.
 * NULL: nobody reads any more. What is filled in is handed on by ring_put(); its first request has number first.
 */
struct trace *ring_room(struct ring *r);
void ring_put(struct ring *r, uint64_t first);

/* There will be no more. */
void ring_end(struct ring *r);

/*
 * A reader's: the next part, which is its own to read until the next call, and the number of its first request. NULL:
 * the end, or ring_stop() was called.
 */
const struct trace *ring_next(struct ring *r, unsigned reader, uint64_t *first);

/* Would ring_next() return at once? */
bool ring_ready(const struct ring *r, unsigned reader);

/* Send everybody home: the filler gets no room, readers get nothing more. Any thread, any time. */
void ring_stop(struct ring *r);
