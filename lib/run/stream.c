/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/stream.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/files.h"
#include "run/foreign.h"
#include "run/look.h"
#include "run/more.h"
#include "run/save.h"

struct stream {
	struct program *p;
	size_t first, end;          /* steps that the thread runs */
	struct import **import;     /* of each of them, where it is one: kept to be asked */
	uint64_t *left;             /* of each of them that keeps the first requests: how many more */
	struct program shadow;      /* the program as the thread sees it: its trace is the part just read */
	struct more more;
	pthread_t thread;
	bool joined;
	atomic_bool cancel;
	pthread_mutex_t lock;       /* over what follows */
	bool going;                 /* p->trace is complete as far as it goes, the rest is to be streamed */
	bool full;                  /* it is as long as it may get */
	bool ended;                 /* the thread will do no more */
	int64_t began;              /* when the first request came; 0: none yet */
	uint64_t count;             /* requests let through */
	int err;                    /* that ended it, about step at, with fault */
	size_t at;
	struct fault fault;
};

/* --- the thread --- */

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

/* A part is ready. 0, or -errno with the fault: -ECANCELED when no more is wanted. */
static int give(struct stream *s, struct trace *part)
{
	const struct step *last = &s->p->step[s->end];
	struct trace *room;
	int r = give_to_head(s, part);

	if (r < 0)
		return fault_set(&s->fault, r, "no memory");
	if (r > 0 && !s->full)
		return 0;
	if (!wait_for_ring(s))
		return -ECANCELED;
	if (r > 0 || part->count == 0)
		return 0;
	r = last->action->plays ? more_admit(&s->more, part, s->count, &s->fault) : 1;
	if (r < 0) {
		s->at = s->end;
		return r;
	}
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
		uint64_t *left = &s->left[i - s->first];
		int r = step->action->single && part->count ? step->action->run(&s->shadow, step, &s->fault) : 0;

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

static void *run_sources(void *arg)
{
	struct stream *s = arg;
	int r = 0;

	for (size_t i = s->first; i < s->end && r == 0; i++) {
		s->at = i;
		if (s->p->step[i].action->source)
			r = run_source(s, &s->p->step[i]);
	}
	pthread_mutex_lock(&s->lock);
	s->err = r == -ECANCELED ? 0 : r;
	s->ended = true;
	pthread_mutex_unlock(&s->lock);
	ring_end(s->more.ring);
	event_post(stop_event());
	return NULL;
}

/* --- who waits for it --- */

/* Wait for the beginning. True: it is all. */
static bool wait_for_head(struct stream *s)
{
	bool waits = stream_may_wait(s->p, s->first, s->end);

	for (;;) {
		uint32_t seen = event_seen(stop_event());
		int64_t deadline = INT64_MAX;
		bool done;

		pthread_mutex_lock(&s->lock);
		if (waits && s->began)
			deadline = s->began + STREAM_WAIT_NS;
		done = s->ended || s->full || clock_now() >= deadline || stop_signal();
		s->going = done && !s->ended;
		pthread_mutex_unlock(&s->lock);
		if (done)
			return !s->going;
		event_wait(stop_event(), seen, deadline);
	}
}

static int start(struct stream *s, struct fault *fault)
{
	sigset_t block, old;
	int r;

	sigfillset(&block);
	sigdelset(&block, SIGBUS);
	sigdelset(&block, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &block, &old);
	r = pthread_create(&s->thread, NULL, run_sources, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r ? fault_set(fault, -r, "cannot start a thread: %s", strerror(r)) : 0;
}

/* The thread reads no more, or has come to its end. */
static void finish(struct stream *s)
{
	if (s->joined)
		return;
	atomic_store(&s->cancel, true);
	ring_stop(s->more.ring);
	event_post(stop_event());
	pthread_join(s->thread, NULL);
	s->joined = true;
}

/* Give all parts to put(), the first ones in p->trace. 0: that was all; 1: it ended before; or -errno with the text. */
static int put_all(struct stream *s, int (*put)(void *to, const struct trace *part, struct fault *fault), void *to,
		   struct fault *fault)
{
	const struct trace *part;
	uint64_t first;
	int r = put(to, &s->p->trace, fault);

	atomic_store(&s->more.begun, true);
	event_post(stop_event());
	while (r == 0 && !stop_signal() && (part = ring_next(s->more.ring, 0, &first)))
		r = put(to, part, fault);
	finish(s);
	return r == 0 && (s->err < 0 || stop_signal()) ? 1 : r;
}

static int put_saved(void *to, const struct trace *part, struct fault *fault)
{
	return save_put(to, part, fault);
}

static int save(struct stream *s, const struct step *step, struct fault *fault)
{
	_cleanup_(save_abort) struct save v = SAVE_NONE;
	int r = save_open(&v, s->p, step, false, fault);

	if (r == 0)
		r = put_all(s, put_saved, &v, fault);
	if (r)
		return MIN(r, 0);
	trace_clear(&s->shadow.trace);
	r = save_put(&v, &s->shadow.trace, fault);
	return r < 0 ? r : save_end(&v, &s->shadow.trace, fault);
}

static int put_looked(void *to, const struct trace *part, struct fault *fault)
{
	return look_put(to, part, fault);
}

static int look(struct stream *s, const struct step *step, struct fault *fault)
{
	_cleanup_(look_close) struct look l = {0};
	int r = look_open(&l, s->p, step, fault);

	if (r == 0)
		r = put_all(s, put_looked, &l, fault);
	return r ? MIN(r, 0) : look_end(&l, fault);
}

static int run_last(struct stream *s, const struct step *step, struct fault *fault)
{
	if (step->action->saves)
		return save(s, step, fault);
	return step->action->looks ? look(s, step, fault) : step->action->run(s->p, step, fault);
}

/* The step that ends it, while the thread reads. As stream_run(). */
static int run_end(struct stream *s, size_t *at, int *status, struct fault *fault)
{
	struct program *p = s->p;
	const struct step *step = &p->step[s->end];
	int r;

	*at = s->end;
	p->more = &s->more;
	r = run_last(s, step, fault);
	p->more = NULL;
	return r < 0 ? r : (*status = r, *at = s->end + 1, 1);
}

static void set_up(struct stream *s, struct program *p, size_t i)
{
	*s = (struct stream){.p = p, .first = i, .end = stream_end(p, i), .shadow = *p, .lock = PTHREAD_MUTEX_INITIALIZER};
	trace_init(&s->shadow.trace);
	for (size_t k = i; k < s->end; k++) {
		const struct params *params = &p->step[k].params;

		if (params->seed_number == s->shadow.seed_number)
			continue;
		rng_init(&s->shadow.rng, params->seed);
		s->shadow.seed_number = params->seed_number;
	}
}

static void stream_free(struct stream *s)
{
	for (size_t i = 0; s->import && i < s->end - s->first; i++)
		import_free(s->import[i]);
	free(s->import);
	free(s->left);
	ring_free(s->more.ring);
	trace_fini(&s->shadow.trace);
}

static void tell_imports(const struct stream *s)
{
	for (size_t i = s->first; i < s->end; i++)
		if (s->import[i - s->first] && (s->err == 0 || i < s->at))
			foreign_tell(s->p, &s->p->step[i], s->import[i - s->first]);
}

int stream_run(struct program *p, size_t i, size_t *at, int *status, struct fault *fault)
{
	_cleanup_(stream_free) struct stream s;
	int r;

	set_up(&s, p, i);
	*at = i;
	s.import = calloc(s.end - s.first, sizeof(struct import *));
	s.left = calloc(s.end - s.first, sizeof(*s.left));
	s.more.ring = ring_new(MAX(p->step[s.end].params.play.jobs, 1));
	if (!s.import || !s.left || !s.more.ring)
		return fault_set(fault, -ENOMEM, "no memory");
	for (size_t k = s.first; k < s.end; k++)
		s.left[k - s.first] = p->step[k].number;
	r = start(&s, fault);
	if (r < 0)
		return r;
	if (!wait_for_head(&s))
		r = stop_signal() ? fault_set(fault, -EINTR, "interrupted") : run_end(&s, at, status, fault);
	finish(&s);
	p->rng = s.shadow.rng;
	p->seed_number = s.shadow.seed_number;
	if (r < 0)
		return r;
	tell_imports(&s);
	if (s.err < 0) {
		*at = s.at;
		*fault = s.fault;
		return s.err;
	}
	if (r == 0)
		*at = s.end;
	return r;
}
