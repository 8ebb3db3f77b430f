/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: one thread that takes requests from its source and issues them through its own engine state.
 *
 * The thread looks at one flag between requests and reads the clock only for pauses. All signals are blocked in it, but
 * those that a fault raises (SIGBUS of a mapping reaches its handler only when not blocked).
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"
#include "base/fault.h"
#include "io/engine.h"
#include "run/flight.h"
#include "run/play.h"
#include "trace/source.h"

/* What changes with every request; the loops keep a copy in registers. */
struct job_count {
	uint64_t requests;
	uint64_t bytes;         /* moved by requests that went through at once; the others count in result.bytes */
	uint64_t seeks;
	uint64_t expect;        /* where a request would not be a seek */
	uint64_t room;          /* bytes that may still be issued */
};

#define JOB_ALIGN 64

struct job {
	/* Set by the owner before job_start(). */
	const struct engine *engine;
	struct engine_params params;
	struct flight_rules rules;
	struct source source;
	uint64_t max_requests, max_bytes;
	int64_t think_ns;
	bool continue_on_error;

	/* Between the job and its owner, any time; on a cache line of their own, for the loop uses them at each turn. */
	_Alignas(JOB_ALIGN) _Atomic int64_t began; /* CLOCK_MONOTONIC, 0: not yet */
	atomic_bool ended;
	atomic_bool stop;
	struct event halt;               /* ends a pause */
	_Atomic uint64_t shown_requests; /* how far it is, for progress */
	_Atomic uint64_t shown_bytes;
	_Atomic uint64_t shown_lost;     /* bytes of the trace that did not move: past the end, short, failed */

	/* The thread's own until job_join(). */
	_Alignas(JOB_ALIGN) pthread_t thread;
	void *state;                     /* of the engine */
	struct job_count count;
	struct play_result result;
	bool cut;                        /* job_stop() came before the end of the trace */
	int error;                       /* -errno of the engine itself, with fault */
	struct fault fault;
};

/*
 * Start the thread. began is set and stop_event() posted when the engine is open and the first request is next; ended
 * is set and stop_event() posted at the end. 0 or -errno with the text.
 */
int job_start(struct job *j, struct fault *fault);

/* Let it issue no more; what is in flight is waited for. Any thread, harmless twice. */
void job_stop(struct job *j);

/* Wait for the thread; result, cut, error and fault are then valid. */
void job_join(struct job *j);

/* For the loops (sync.c, async.c). */

/* The loops: 0 at the end, or -errno of the engine with the fault set. */
int job_loop_sync(struct job *j);
int job_loop_async(struct job *j);

static inline bool job_stopped(struct job *j)
{
	return atomic_load_explicit(&j->stop, memory_order_relaxed);
}

static inline void job_show(struct job *j, uint64_t requests, uint64_t bytes)
{
	atomic_store_explicit(&j->shown_requests, requests, memory_order_relaxed);
	atomic_store_explicit(&j->shown_bytes, bytes, memory_order_relaxed);
}

/*
 * Count request r as the next one to be issued, and its seek. False when it would pass max_bytes: the play ends
 * before it.
 */
bool job_take(struct job *j, struct req r);

/* A request is done: false when an error has ended the play. */
bool job_done(struct job *j, const struct flight *f, enum flight_state how);

/* Pause think_ns from now, or until job_stop(). */
void job_think(struct job *j);

/* Make a text of an engine's failure; returns err. */
int job_engine_failed(struct job *j, int err, const char *what);
