/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/log.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/outfile.h"
#include "run/logform.h"

#define RINGS_BYTES (UINT64_C(64) << 20)
#define RING_LEAST 256
#define RING_MOST 16384
/* What is in the rings is written out at the latest after this. */
#define REST_NS (20 * NS_PER_MSEC)

/* Begins the memory of the rings: the rings follow, then their records. */
struct shared {
	struct event wake;
	atomic_bool ended;
};

struct log {
	struct outfile file;
	enum log_form form;
	unsigned play;
	uint64_t records; /* of this play */

	/* while a play is on */
	pthread_t thread;
	unsigned jobs;
	struct shared *shared; /* NULL: no play */
	size_t shared_bytes;
	struct log_ring *rings;
};

int log_open(struct log **out, const char *path, struct fault *fault)
{
	_cleanup_(log_abortp) struct log *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return fault_set(fault, -ENOMEM, "no memory");
	l->file.fd = -1;
	r = outfile_open(&l->file, path, fault);
	if (r < 0)
		return r;
	l->file.despite_stop = true;
	l->form = logform_of_name(path);
	logform_header(l->form, &l->file);
	*out = TAKE_PTR(l);
	return 0;
}

void log_remark(struct log *l, const char *text)
{
	if (l->form != LOG_TEXT)
		return;
	outfile_write(&l->file, "# ", 2);
	/* a name may have a line feed in it */
	for (; *text; text++)
		outfile_write(&l->file, (unsigned char)*text < ' ' ? "?" : text, 1);
	outfile_write(&l->file, "\n", 1);
}

static uint64_t ring_records(unsigned jobs)
{
	uint64_t n = RING_MOST;

	while (n > RING_LEAST && n * jobs * sizeof(struct log_record) > RINGS_BYTES)
		n /= 2;
	return n;
}

static void free_rings(struct log *l)
{
	if (l->shared)
		munmap(l->shared, l->shared_bytes);
	l->shared = NULL;
}

static int make_rings(struct log *l, unsigned jobs)
{
	uint64_t records = ring_records(jobs);
	struct log_record *record;
	void *p;

	l->shared_bytes = sizeof(struct log_ring) + jobs * (sizeof(struct log_ring) + records * sizeof(*record));
	/* Populated, so that its first faults are not counted as the play's. */
	p = mmap(NULL, l->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	l->shared = p;
	l->jobs = jobs;
	l->rings = (struct log_ring *)p + 1;
	record = (struct log_record *)(l->rings + jobs);
	for (unsigned i = 0; i < jobs; i++)
		l->rings[i] =
		    (struct log_ring){.record = record + i * records, .mask = records - 1, .wake = &l->shared->wake};
	return 0;
}

_Static_assert(sizeof(struct shared) <= sizeof(struct log_ring), "the rings begin after one ring's size");

void log_wake(struct log_ring *r)
{
	event_post(r->wake);
}

void log_wait(struct log_ring *r)
{
	int64_t begin;

	r->tail_seen = atomic_load_explicit(&r->tail, memory_order_acquire);
	if (r->next - r->tail_seen <= r->mask)
		return;
	atomic_fetch_add_explicit(&r->waits, 1, memory_order_relaxed);
	begin = clock_now();
	log_wake(r);
	do {
		uint32_t seen = event_seen(&r->space);

		/* Either the writer sees that we wait, or we see that it has made room (both sequentially consistent).
		 */
		atomic_store(&r->waiting, true);
		r->tail_seen = atomic_load(&r->tail);
		if (r->next - r->tail_seen > r->mask)
			event_wait(&r->space, seen, INT64_MAX);
	} while (r->next - r->tail_seen > r->mask);
	atomic_fetch_add_explicit(&r->waited_ns, clock_now() - begin, memory_order_relaxed);
}

/* Write what is in a ring. How many records. */
static uint64_t drain(struct log *l, unsigned job)
{
	struct log_ring *r = &l->rings[job];
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	uint64_t n = head - tail;

	while (tail != head) {
		/* Room is given back in parts, so that a job that waits need not wait for all. */
		uint64_t part = MIN(head - tail, r->mask / 4 + 1);

		for (uint64_t i = 0; i < part; i++)
			logform_record(l->form, &l->file, &r->record[(tail + i) & r->mask], job, l->play);
		tail += part;
		atomic_store(&r->tail, tail);
		if (atomic_load(&r->waiting)) {
			atomic_store(&r->waiting, false);
			event_post(&r->space);
		}
	}
	return n;
}

static void *writer(void *arg)
{
	struct log *l = arg;

	for (;;) {
		uint32_t seen = event_seen(&l->shared->wake);
		bool ended = atomic_load_explicit(&l->shared->ended, memory_order_acquire);
		uint64_t n = 0;

		for (unsigned i = 0; i < l->jobs; i++)
			n += drain(l, i);
		l->records += n;
		if (ended)
			return NULL;
		if (n == 0)
			event_wait(&l->shared->wake, seen, clock_now() + REST_NS);
	}
}

int log_begin(struct log *l, unsigned jobs, struct fault *fault)
{
	sigset_t block, old;
	int r = make_rings(l, jobs);

	if (r < 0)
		return fault_set(fault, r, "no memory for the rings of %u jobs: %s", jobs, strerror(-r));
	l->records = 0;
	l->play++;
	sigfillset(&block);
	pthread_sigmask(SIG_SETMASK, &block, &old);
	r = pthread_create(&l->thread, NULL, writer, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		return 0;
	free_rings(l);
	return fault_set(fault, -r, "cannot start a thread: %s", strerror(r));
}

struct log_ring *log_ring(struct log *l, unsigned job)
{
	return &l->rings[job];
}

void log_end(struct log *l, struct log_stats *stats)
{
	atomic_store_explicit(&l->shared->ended, true, memory_order_release);
	event_post(&l->shared->wake);
	pthread_join(l->thread, NULL);
	*stats = (struct log_stats){.records = l->records};
	for (unsigned i = 0; i < l->jobs; i++) {
		stats->waits += atomic_load_explicit(&l->rings[i].waits, memory_order_relaxed);
		stats->waited_ns += atomic_load_explicit(&l->rings[i].waited_ns, memory_order_relaxed);
	}
	free_rings(l);
}

int log_close(struct log *l, struct fault *fault)
{
	int r = outfile_commit(&l->file, fault);

	log_abort(l);
	return r;
}

void log_abort(struct log *l)
{
	struct log_stats ignored;

	if (!l)
		return;
	if (l->shared)
		log_end(l, &ignored);
	outfile_abort(&l->file);
	free(l);
}

void log_abortp(struct log **l)
{
	log_abort(*l);
}
