/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "base/resident.h"

/* Room for one reading, with the view of it that is given out. */
struct slot {
	struct sample sample;
	uint64_t *values;
	bool *missing;
};

struct mark_node {
	struct mark mark;          /* its next is a mark_node's too */
	struct slot slot;
};

struct sampler {
	struct sampler_params p;
	struct columns columns;

	pthread_mutex_t lock;      /* of the columns' sources, bad, stats, marks and phase */
	const char *bad;           /* file */
	struct sampler_stats stats;
	struct mark_node *first_mark, *last_mark;
	const char *phase;         /* that goes on, the text of the last mark; NULL: none */
	unsigned run, unnamed;     /* runs so far, and marks without a name in this one */

	/* of who samples: the thread's own until it is joined */
	pthread_t thread;
	uint64_t faults;           /* at the first row, at last since then */
	int unlocked;
	struct slot slot[3];       /* the first reading, and two that take turns */
	const struct slot *last;
	int error;

	bool running;              /* started and not joined */
	struct event wake;         /* posted to end the thread */
	atomic_bool done;
};

static int slot_init(struct slot *slot, size_t terms)
{
	slot->values = calloc(terms + 1, sizeof(*slot->values));
	slot->missing = calloc(terms + 1, sizeof(*slot->missing));
	slot->sample = (struct sample){.values = slot->values, .missing = slot->missing};
	return slot->values && slot->missing ? 0 : -ENOMEM;
}

static void slot_fini(struct slot *slot)
{
	free(slot->values);
	free(slot->missing);
}

static void node_freep(struct mark_node **n)
{
	if (!*n)
		return;
	slot_fini(&(*n)->slot);
	free(*n);
}

static void free_marks(struct sampler *s)
{
	while (s->first_mark) {
		_cleanup_(node_freep) struct mark_node *n = s->first_mark;

		s->first_mark = (struct mark_node *)n->mark.next;
	}
}

/* before: the time now. */
static int read_locked(struct sampler *s, struct slot *slot, int64_t before)
{
	int r = sources_read(&s->columns.sources, &s->bad);

	if (r < 0)
		return r;
	slot->sample.when = before + (clock_now() - before) / 2;
	slot->sample.phase = s->phase;
	slot->sample.run = s->run;
	s->stats.torn += s->columns.sources.torn > 0;
	s->stats.missing += columns_values(&s->columns, slot->values, slot->missing) > 0;
	return 0;
}

/* Tick *n after start, or the last one that is due now; *n is its number then. */
static int tick(struct sampler *s, struct slot *slot, int64_t start, int64_t *n)
{
	int64_t now, since, missed;
	int r;

	pthread_mutex_lock(&s->lock);
	now = clock_now();
	since = now - start;
	missed = MAX(since / s->p.interval_ns - *n, INT64_C(0));
	*n += missed;
	s->stats.missed += (uint64_t)missed;
	s->stats.late_max_ns = MAX(s->stats.late_max_ns, since - *n * s->p.interval_ns);
	r = read_locked(s, slot, now);
	if (!r)
		s->stats.ticks++;
	pthread_mutex_unlock(&s->lock);
	return r;
}

static uint64_t faults_so_far(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (uint64_t)u.ru_minflt + (uint64_t)u.ru_majflt;
}

/* Ticks until there is more in the event than was seen (1), max_rows are out (0), or something fails (-errno). */
static int run(struct sampler *s, struct event *end, uint32_t seen)
{
	int64_t start = s->slot[0].sample.when;

	for (int64_t n = 1;; n++) {
		struct slot *slot = &s->slot[1 + s->stats.ticks % 2];
		const struct sample *prev = &s->last->sample;
		int r;

		if (event_wait(end, seen, start + n * s->p.interval_ns))
			return 1;
		r = tick(s, slot, start, &n);
		if (r < 0)
			return r;
		s->last = slot;
		r = s->p.row ? s->p.row(s->p.ctx, s->stats.ticks, prev, &slot->sample) : 0;
		if (r < 0)
			return r;
		if (s->stats.ticks == 1)
			s->faults = faults_so_far();
		if (s->p.max_rows && s->stats.ticks >= s->p.max_rows)
			return 0;
	}
}

static void sample(struct sampler *s, struct event *end, uint32_t seen)
{
	int r;

	/* The default slack of 50 us is most of the lateness of a tick on an idle machine. */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	s->unlocked = resident_lock();
	r = run(s, end, seen);
	s->faults = s->stats.ticks ? faults_so_far() - s->faults : 0;
	if (r > 0)
		return;
	s->error = r;
	atomic_store(&s->done, true);
	event_post(stop_event());
}

static void *thread_main(void *arg)
{
	struct sampler *s = arg;

	prctl(PR_SET_NAME, "sampler", 0UL, 0UL, 0UL);
	sample(s, &s->wake, 0);
	return NULL;
}

int sampler_open(struct sampler **out, const struct sampler_params *p, struct fault *fault)
{
	_cleanup_(sampler_closep) struct sampler *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	pthread_mutex_init(&s->lock, NULL);
	s->p = *p;
	s->wake.own = true;
	s->bad = "the fields";
	r = columns_init(&s->columns, &p->sources, fault);
	if (r < 0)
		return r;
	*out = TAKE_PTR(s);
	return 0;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	sampler_stop(s);
	free_marks(s);
	for (size_t i = 0; i < ARRAY_SIZE(s->slot); i++)
		slot_fini(&s->slot[i]);
	columns_fini(&s->columns);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void sampler_closep(struct sampler **s)
{
	sampler_close(*s);
}

struct columns *sampler_columns(struct sampler *s)
{
	return &s->columns;
}

const char *sampler_path(const struct sampler *s)
{
	return s->bad;
}

/* At the reading of slot, or at one made now when that is NULL. */
static int fill_mark(struct sampler *s, struct mark_node *n, const struct slot *at)
{
	size_t terms = s->columns.term_count;

	if (!at)
		return read_locked(s, &n->slot, clock_now());
	n->slot.sample.when = at->sample.when;
	memcpy(n->slot.values, at->values, terms * sizeof(*at->values));
	memcpy(n->slot.missing, at->missing, terms * sizeof(*at->missing));
	return 0;
}

static void link_mark(struct sampler *s, struct mark_node *n)
{
	n->mark.ticks = s->stats.ticks;
	n->mark.run = s->run;
	n->mark.sample = n->slot.sample;
	if (s->last_mark)
		s->last_mark->mark.next = &n->mark;
	else
		s->first_mark = n;
	s->last_mark = n;
	s->phase = n->mark.phase[0] ? n->mark.phase : NULL;
}

static void name_mark(struct mark *m, const char *label, const char *phase)
{
	snprintf(m->label, sizeof(m->label), "%s", label);
	snprintf(m->phase, sizeof(m->phase), "%s", phase ? phase : "");
}

static void number_mark(struct mark *m, unsigned number)
{
	char name[MARK_TEXT];

	snprintf(name, sizeof(name), "mark %u", number);
	name_mark(m, name, name);
}

/* What memory it takes is had before the lock is, since a tick may wait for that. */
static int mark_at(struct sampler *s, const char *label, const char *phase, bool begins, const struct slot *at)
{
	_cleanup_(node_freep) struct mark_node *n = calloc(1, sizeof(*n));
	int r = 0;

	if (!n || slot_init(&n->slot, s->columns.term_count) < 0)
		return -ENOMEM;
	if (label)
		name_mark(&n->mark, label, phase);
	pthread_mutex_lock(&s->lock);
	if (begins || s->phase)
		r = fill_mark(s, n, at);
	if (r == 0 && (begins || s->phase)) {
		s->run += begins;
		s->unnamed = begins ? 0 : s->unnamed + !label;
		if (!label)
			number_mark(&n->mark, s->unnamed);
		link_mark(s, TAKE_PTR(n));
	}
	pthread_mutex_unlock(&s->lock);
	return r;
}

static int first_reading(struct sampler *s)
{
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(s->slot); i++) {
		r = slot_init(&s->slot[i], s->columns.term_count);
		if (r < 0)
			return r;
	}
	r = read_locked(s, &s->slot[0], clock_now());
	if (r < 0)
		return r;
	s->last = &s->slot[0];
	return s->p.whole ? mark_at(s, "begin", "begin", true, s->last) : 0;
}

int sampler_run(struct sampler *s)
{
	uint32_t seen = event_seen(stop_event());
	int r = first_reading(s);

	if (r == 0 && !stop_signal())
		sample(s, stop_event(), seen);
	return r;
}

int sampler_start(struct sampler *s)
{
	sigset_t all, old;
	int r = first_reading(s);

	if (r < 0)
		return r;
	/* Signals are the caller's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	r = pthread_create(&s->thread, NULL, thread_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return -r;
	s->running = true;
	return 0;
}

int sampler_begin(struct sampler *s)
{
	return mark_at(s, "begin", "begin", true, NULL);
}

int sampler_mark(struct sampler *s, const char *label, const char *phase)
{
	return mark_at(s, label, label ? phase : NULL, false, NULL);
}

int sampler_end(struct sampler *s)
{
	bool last = s->p.whole && sampler_done(s);

	return mark_at(s, "end", NULL, false, last ? s->last : NULL);
}

void sampler_resume(struct sampler *s, const char *phase)
{
	pthread_mutex_lock(&s->lock);
	if (s->last_mark && !s->phase) {
		snprintf(s->last_mark->mark.phase, sizeof(s->last_mark->mark.phase), "%s", phase);
		s->phase = s->last_mark->mark.phase;
	}
	pthread_mutex_unlock(&s->lock);
}

bool sampler_done(const struct sampler *s)
{
	return atomic_load(&s->done);
}

int sampler_stop(struct sampler *s)
{
	if (s->running) {
		event_post(&s->wake);
		pthread_join(s->thread, NULL);
		s->running = false;
	}
	return s->error;
}

const struct sample *sampler_first(const struct sampler *s)
{
	return &s->slot[0].sample;
}

const struct mark *sampler_marks(const struct sampler *s)
{
	return s->first_mark ? &s->first_mark->mark : NULL;
}

void sampler_get_stats(struct sampler *s, struct sampler_stats *out)
{
	pthread_mutex_lock(&s->lock);
	*out = s->stats;
	pthread_mutex_unlock(&s->lock);
	if (!s->running) {
		out->faults = s->faults;
		out->unlocked = s->unlocked;
	}
}
