/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/ring.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/event.h"

#define LINE 64

/* A reader's own cache line: parts it has let go of. */
struct reader {
	_Alignas(LINE) _Atomic uint64_t done;
	uint64_t taken;
};

struct part {
	struct trace trace;
	uint64_t first;
};

struct ring {
	unsigned readers;
	struct part part[RING_PARTS];
	_Alignas(LINE) _Atomic uint64_t filled; /* parts, ever */
	atomic_bool ended;
	atomic_bool stopped;
	struct event more;                      /* for readers */
	_Alignas(LINE) struct event room;       /* for the filler */
	struct reader reader[];
};

struct ring *ring_new(unsigned readers)
{
	size_t size = sizeof(struct ring) + readers * sizeof(struct reader);
	struct ring *r = aligned_alloc(LINE, size);

	if (!r)
		return NULL;
	*r = (struct ring){.readers = readers};
	for (unsigned i = 0; i < readers; i++)
		r->reader[i] = (struct reader){0};
	return r;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < RING_PARTS; i++)
		trace_fini(&r->part[i].trace);
	free(r);
}

static bool is_stopped(const struct ring *r)
{
	return atomic_load_explicit(&r->stopped, memory_order_acquire);
}

/* Parts that the slowest reader has let go of. */
static uint64_t done_by_all(const struct ring *r)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < r->readers; i++)
		least = MIN(least, atomic_load_explicit(&r->reader[i].done, memory_order_acquire));
	return least;
}

struct trace *ring_room(struct ring *r)
{
	uint64_t filled = atomic_load_explicit(&r->filled, memory_order_relaxed);
	struct trace *t = &r->part[filled % RING_PARTS].trace;

	for (;;) {
		uint32_t seen = event_seen(&r->room);

		if (is_stopped(r))
			return NULL;
		if (filled - done_by_all(r) < RING_PARTS)
			break;
		event_wait(&r->room, seen, INT64_MAX);
	}
	trace_clear(t);
	return t;
}

void ring_put(struct ring *r, uint64_t first)
{
	uint64_t filled = atomic_load_explicit(&r->filled, memory_order_relaxed);
	struct part *p = &r->part[filled % RING_PARTS];

	p->first = first;
	atomic_store_explicit(&r->filled, filled + 1, memory_order_release);
	event_post(&r->more);
}

void ring_end(struct ring *r)
{
	atomic_store_explicit(&r->ended, true, memory_order_release);
	event_post(&r->more);
}

const struct trace *ring_next(struct ring *r, unsigned reader, uint64_t *first)
{
	struct reader *me = &r->reader[reader];
	const struct part *p;

	if (me->taken > atomic_load_explicit(&me->done, memory_order_relaxed)) {
		atomic_store_explicit(&me->done, me->taken, memory_order_release);
		event_post(&r->room);
	}
	for (;;) {
		uint32_t seen = event_seen(&r->more);
		bool ended = atomic_load_explicit(&r->ended, memory_order_acquire);

		if (is_stopped(r))
			return NULL;
		if (atomic_load_explicit(&r->filled, memory_order_acquire) > me->taken)
			break;
		if (ended)
			return NULL;
		event_wait(&r->more, seen, INT64_MAX);
	}
	p = &r->part[me->taken++ % RING_PARTS];
	*first = p->first;
	return &p->trace;
}

bool ring_ready(const struct ring *r, unsigned reader)
{
	return atomic_load_explicit(&r->ended, memory_order_acquire) || is_stopped(r) ||
	       atomic_load_explicit(&r->filled, memory_order_acquire) > r->reader[reader].taken;
}

void ring_stop(struct ring *r)
{
	atomic_store_explicit(&r->stopped, true, memory_order_release);
	event_post(&r->more);
	event_post(&r->room);
}
