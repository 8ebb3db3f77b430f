/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/stream_read.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/files.h"
#include "run/foreign.h"
#include "run/stream.h"
#include "trace/format.h"

static int copy_names(struct trace *to, const struct trace *from)
{
	for (uint32_t i = 0; i < from->file_count; i++) {
		if (!from->files[i] || (i < to->file_count && to->files[i]))
			continue;
		if (trace_name_file(to, i, from->files[i], strlen(from->files[i])))
			return -ENOMEM;
	}
	return 0;
}

static void exchange(struct trace *a, struct trace *b)
{
	struct trace t = *a;

	a->count = b->count, b->count = t.count;
	a->capacity = b->capacity, b->capacity = t.capacity;
	a->req = b->req, b->req = t.req;
	a->time = b->time, b->time = t.time;
	a->file = b->file, b->file = t.file;
	a->step = b->step, b->step = t.step;
}

/* The beginning goes into the trace itself. 1: it has, 0: it is for the ring, -ENOMEM. */
static int give_to_head(struct stream *s, const struct trace *part)
{
	int r = 0;

	pthread_mutex_lock(&s->lock);
	if (!s->going) {
		r = copy_names(&s->p->trace, part) || trace_append(&s->p->trace, part) ? -ENOMEM : 1;
		if (!s->began && part->count)
			s->began = clock_now();
		s->full = s->p->trace.count >= STREAM_HEAD;
		s->count = s->p->trace.count;
	}
	pthread_mutex_unlock(&s->lock);
	event_post(stop_event());
	return r;
}

/* Until there is a ring to put it into. False: there will be none. */
static bool wait_for_ring(struct stream *s)
{
	for (;;) {
		uint32_t seen = event_seen(stop_event());

		if (atomic_load(&s->cancel) || stop_signal())
			return false;
		if (atomic_load_explicit(&s->more.begun, memory_order_acquire))
			return true;
		event_wait(stop_event(), seen, INT64_MAX);
	}
}

/* May it be played? 1; 0: no more than that; or -errno with the fault. */
static int admit(struct stream *s, struct trace *part)
{
	int r = s->p->step[s->end].action->plays ? more_admit(&s->more, part, s->count, &s->fault) : 1;

	if (r < 0)
		s->at = s->end;
	return r;
}

/* A part is ready. 0, or -errno with the fault: -ECANCELED when no more is wanted. */
static int give(struct stream *s, struct trace *part)
{
	struct trace *room;
	int r;

	if (s->rehearsal) {
		r = admit(s, part);
		s->count += part->count;
		return r == 0 ? -ECANCELED : MIN(r, 0);
	}
	r = give_to_head(s, part);
	if (r < 0)
		return fault_set(&s->fault, r, "no memory");
	if (r > 0 && !s->full)
		return 0;
	if (!wait_for_ring(s))
		return -ECANCELED;
	if (r > 0 || part->count == 0)
		return 0;
	r = admit(s, part);
	if (r < 0)
		return r;
	room = ring_room(s->more.ring);
	if (!room)
		return -ECANCELED;
	if (copy_names(room, part))
		return fault_set(&s->fault, -ENOMEM, "no memory");
	exchange(room, part);
	ring_put(s->more.ring, s->count);
	s->count += room->count;
	return r == 0 ? -ECANCELED : 0;
}

/*
 * What was read by step at goes through the steps behind it that change it. 0; 1 when nothing that this step may still
 * read would come through; or -errno with the fault.
 */
static int change(struct stream *s)
{
	int enough = 0;

	for (size_t i = s->at + 1; i < s->end; i++) {
		const struct step *step = &s->p->step[i];
		struct trace *part = &s->shadow.trace;
		uint64_t *left = &s->left[i - s->first], *seen = &s->seen[i - s->first], before = *seen;
		int r;

		*seen += part->count;
		r = step->action->single && part->count ? step->action->run(&s->shadow, step, &s->fault) : 0;
		if (r < 0 && s->fault.request)
			s->fault.request += before;
		if (step->action->first) {
			part->count = MIN(part->count, *left);
			*left -= part->count;
			enough |= *left == 0;
		}
		if (r < 0) {
			s->at = i;
			return r;
		}
	}
	return enough;
}

/* Read step at to its end by next(). 0 or -errno with the fault. */
static int read_all(struct stream *s, ssize_t (*next)(void *reader, struct trace *t, struct fault *fault), void *reader)
{
	struct trace *part = &s->shadow.trace;
	int r, enough;
	ssize_t n;

	do {
		trace_clear(part);
		n = next(reader, part, &s->fault);
		/* What came before a bad line is still played. */
		r = change(s);
		enough = r > 0;
		if (r >= 0)
			r = part->count || part->file_count ? give(s, part) : 0;
	} while (n > 0 && r == 0 && !enough);
	s->cut |= n > 0;
	return n < 0 && r == 0 && !enough ? (int)n : r;
}

static ssize_t next_of_reader(void *reader, struct trace *t, struct fault *fault)
{
	return trace_reader_read(reader, t, RING_PART, fault);
}

static ssize_t next_of_import(void *import, struct trace *t, struct fault *fault)
{
	return import_read(import, t, RING_PART, fault);
}

static int run_source(struct stream *s, const struct step *step)
{
	_cleanup_(trace_reader_freep) struct trace_reader *reader = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (step->format) {
		struct import **import = &s->import[s->at - s->first];

		r = foreign_open(import, step, &s->cancel, &s->fault);
		return r ? r : read_all(s, next_of_import, *import);
	}
	fd = file_open_input(step->file, &s->fault);
	if (fd < 0)
		return fd;
	reader = trace_reader_new(fd, step->params.shift);
	if (!reader)
		return fault_set(&s->fault, -ENOMEM, "no memory");
	trace_reader_set_live(reader, &s->cancel);
	r = read_all(s, next_of_reader, reader);
	if (r == -EINVAL && step == &s->p->step[s->at])
		foreign_hint(step->file, &s->fault);
	return r;
}

/* A file that has become shorter since it was looked at would be played in part without a word. 0 or -EIO. */
static int check_length(struct stream *s)
{
	if (s->cut || s->count >= s->rehearsed)
		return 0;
	return fault_set(&s->fault, -EIO,
			 "it has changed: %" PRIu64 " requests came of %" PRIu64 " that there were before the play", s->count,
			 s->rehearsed);
}

void *stream_read(void *arg)
{
	struct stream *s = arg;
	int r = 0;

	for (size_t i = s->first; i < s->end && r == 0; i++) {
		if (!s->p->step[i].action->source)
			continue;
		s->at = i;
		r = run_source(s, &s->p->step[i]);
	}
	if (r == 0)
		r = check_length(s);
	pthread_mutex_lock(&s->lock);
	s->err = r == -ECANCELED ? 0 : r;
	s->ended = true;
	pthread_mutex_unlock(&s->lock);
	if (s->err < 0)
		atomic_store(&s->more.failed, &s->fault);
	if (!s->rehearsal)
		ring_end(s->more.ring);
	event_post(stop_event());
	return NULL;
}
