/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: one thread, or process, that takes requests from its source and issues them through its own engine state.
 *
 * It looks at one flag between requests, and reads the clock only for what was asked. All signals are blocked in it, but
 * those that a fault raises (SIGBUS of a mapping reaches its handler only when not blocked).
 *
 * A process is forked by a thread of the job, which then waits for it; so the owner sees no difference, and one that is
 * killed is an error of that job. For it struct job, its gate and its histograms must lie in memory that is shared.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/event.h"
#include "base/fault.h"
#include "io/engine.h"
#include "run/flight.h"
#include "run/gate.h"
#include "run/play.h"
#include "trace/source.h"

/* What changes with every request; the loops keep a copy in registers. */
struct job_count {
	uint64_t requests;
	uint64_t bytes;         /* moved by requests that went through at once; the others count in result.bytes */
	uint64_t seeks;
	uint64_t expect;        /* where a request would not be a seek */
};

#define JOB_ALIGN 64

struct job {
	/* Set by the owner before job_start(). */
	const struct play_params *play;  /* borrowed */
	const struct engine *engine;
	struct engine_params params;     /* but for its buffers, which the job makes: params.buf_size 0: none */
	size_t buf_align;
	struct flight_rules rules;
	struct source source;
	struct gate *gate;               /* of all jobs */
	unsigned index;                  /* from 0 */
	bool think_last;                 /* pause after the last request too: no limit ends the play with it */

	/* Between the job and its owner, any time; on a cache line of their own, for the loop uses them at each turn. */
	_Alignas(JOB_ALIGN) atomic_bool ended;
	atomic_bool call;                /* look at stop */
	atomic_bool stop;
	struct event halt;               /* ends a pause */
	_Atomic uint64_t shown_requests; /* how far it is, for progress */
	_Atomic uint64_t shown_bytes;
	_Atomic uint64_t shown_lost;     /* bytes of the trace that did not move: past the end, short, failed */

	/* The job's own until job_join(). */
	_Alignas(JOB_ALIGN) pthread_t thread;
	int ready;                       /* pipe to the thread that waits for a process; -1: none */
	void *state;                     /* of the engine */
	struct job_count count;
	struct play_result result;
	int64_t began, over;             /* CLOCK_MONOTONIC, about the figures */
	struct rusage before;
	bool cut;                        /* job_stop() came before the end of the source */
	int error;                       /* -errno of the engine itself, with fault */
	struct fault fault;
};

/*
 * Start the thread. The job arrives at the gate when its engine is open and the first request is next; whoever comes last
 * posts stop_event(). ended is set and stop_event() posted at the end. 0 or -errno with the text.
 */
int job_start(struct job *j, struct fault *fault);

/* Let it issue no more; what is in flight is waited for. Any thread, harmless twice. Does not open the gate. */
void job_stop(struct job *j);

/* Wait for the thread; result, began, over, cut, error and fault are then valid. */
void job_join(struct job *j);

/* For the loops (sync.c, async.c). */

/* The loops: 0 at the end, or -errno of the engine with the fault set. */
int job_loop_sync(struct job *j);
int job_loop_async(struct job *j);

static inline bool job_called(const struct job *j)
{
	return atomic_load_explicit(&j->call, memory_order_relaxed);
}

/* After job_called(): is the play to end? */
bool job_stopped(struct job *j);

static inline void job_show(struct job *j, uint64_t requests, uint64_t bytes)
{
	atomic_store_explicit(&j->shown_requests, requests, memory_order_relaxed);
	atomic_store_explicit(&j->shown_bytes, bytes, memory_order_relaxed);
}

/* Is b the beginning of a loop before which the jobs meet? Nothing may be in flight at job_meet(). */
static inline bool job_meets(const struct job *j, const struct batch *b)
{
	return j->play->barrier && b->loop > 0;
}
void job_meet(struct job *j);

/* Count request r as the next one to be issued, and its seek. */
void job_take(struct job *j, struct req r);

/* A request is done: false when an error has ended the play. */
bool job_done(struct job *j, const struct flight *f, enum flight_state how);

/* Is there a pause after request i of n, the last batch of the source? */
static inline bool job_thinks(const struct job *j, size_t i, size_t n)
{
	return j->play->think_ns > 0 && (i + 1 < n || j->source.left > 0 || j->think_last);
}

/* Pause think_ns from now, or until job_stop(). */
void job_think(struct job *j);

/* Make a text of an engine's failure; returns err. */
int job_engine_failed(struct job *j, int err, const char *what);
