/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: one thread, or process, that takes requests from its source and issues them through its own engine state.
 *
 * It looks at one flag between requests, and reads the clock only for what was asked. All signals are blocked in it,
 * but those that a fault raises (SIGBUS of a mapping reaches its handler only when not blocked).
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

#include "base/clock.h"
#include "base/event.h"
#include "base/fault.h"
#include "base/rng.h"
#include "base/tick.h"
#include "io/engine.h"
#include "mon/hist.h"
#include "run/behind.h"
#include "run/flight.h"
#include "run/gate.h"
#include "run/log.h"
#include "run/pace.h"
#include "run/play.h"
#include "run/reset.h"
#include "trace/source.h"

/* What changes with every request; the loops keep a copy in registers. */
struct job_count {
	uint64_t requests;      /* issued from the start on, before the end of the ramp too; likewise the others */
	uint64_t bytes;         /* moved by requests that went through at once; the others count in result.bytes */
	uint64_t seeks;
	uint64_t expect;        /* where a request would not be a seek */
	uint64_t unissued;      /* those of requests that lie past the end, so that there was nothing to issue */
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
	const struct cache_state *cache_state; /* with reset */
	struct reset *reset;             /* of all jobs; NULL: the cache is not set before loops */
	struct tick tick;                /* of the latencies; CLOCK_MONOTONIC where there is a timing */
	struct hist *latency[OP_COUNT];  /* NULL: not taken */
	struct hist *lag;                /* NULL: no timing */
	enum play_hits hits;
	/* Of reads, which latency[OP_READ] gets from here at the end; NULL: not told. */
	struct hist *hit, *miss;
	int64_t median_gap;              /* ns, of the timing */
	struct log_ring *log;            /* NULL: none */
	unsigned index;                  /* from 0 */
	bool think_last;                 /* pause after the last request too: no limit ends the play with it */
	bool tells_loops;                /* post stop_event() at the end of each loop */

	/*
	 * Between the job and its owner, any time; on a cache line of their own, for the loop uses them at each turn.
	 */
	_Alignas(JOB_ALIGN) atomic_bool ended;
	atomic_bool call;                /* look at stop and ramp_over */
	atomic_bool stop;
	atomic_bool ramp_over;
	struct event halt;               /* ends a pause */
	_Atomic uint64_t shown_requests; /* how far it is, for progress */
	_Atomic uint64_t shown_bytes;
	_Atomic uint64_t shown_loops;    /* finished; under tells_loops */
	_Atomic uint64_t shown_lost;     /* bytes of the trace that did not move: past the end, short, failed */

	/* The job's own until job_join(). */
	_Alignas(JOB_ALIGN) pthread_t thread;
	int ready;                       /* pipe to the thread that waits for a process; -1: none */
	void *state;                     /* of the engine; of several targets that of the last request's */
	void **states;                   /* of each target; NULL: one is enough */
	unsigned target;                 /* number of the last request's */
	struct job_count count;
	struct job_count base;           /* count at the end of the ramp, with all bytes */
	bool ramped;                     /* base is there */
	unsigned in_flight;              /* requests in count that are not done, when the job looks at ramp_over */
	struct play_result result;
	int64_t start;                   /* of all jobs, CLOCK_MONOTONIC */
	int64_t began, over;             /* about the figures */
	int64_t stood;                   /* ns of that, in which the cache was set */
	struct rusage before;
	struct {
		int64_t user_ns, system_ns;
		uint64_t minor, major;
	} excluded;                      /* of before: what setting the cache took of this job */
	struct pace pace;
	struct rng rng;                  /* of data and of samples */
	struct flight flight;            /* the one of a synchronous loop */
	size_t window;                   /* requests of which one is timed, in many.c; 0: not known yet */
	uint64_t sample;                 /* ns, of the last that was timed */
	uint64_t sample_cost, readings_cost; /* ns, with it */
	uint64_t now;                    /* tick: the end of what was done last */
	struct behind behind;
	long stops;                      /* of the thread, by HITS_FAULTS, when they were asked for last */
	uint64_t writes;                 /* since the last sync that fsync_every added */
	bool cut;                        /* job_stop() came before the end of the source */
	int error;                       /* -errno of the engine itself, with fault */
	struct fault fault;
};

/*
 * Start the thread. The job arrives at the gate when its engine is open and the first request is next; whoever comes
 * last posts stop_event(). ended is set and stop_event() posted at the end. 0 or -errno with the text.
 */
int job_start(struct job *j, struct fault *fault);

/* Let it issue no more; what is in flight is waited for. Any thread, harmless twice. Does not open the gate. */
void job_stop(struct job *j);

/* The ramp is over: figures begin now. Any thread. */
void job_end_ramp(struct job *j);

/* Wait for the thread; result, began, over, cut, error and fault are then valid. */
void job_join(struct job *j);

/* For the loops; what is about a single request is in turn.c. */

/* 0 at the end, or -errno of the engine with the fault set. */
int job_loop_sync(struct job *j);
int job_loop_async(struct job *j);

static inline int64_t timeval_ns(struct timeval tv)
{
	return tv.tv_sec * NS_PER_SEC + tv.tv_usec * NS_PER_USEC;
}

/* Wait until all jobs have come so far. False: the play ends. */
bool job_meet(struct job *j);

/* A loop is over; the jobs of a play that tells of its loops wake the crew. */
static inline void job_looped(struct job *j)
{
	j->result.loops++;
	if (unlikely(j->tells_loops)) {
		atomic_store_explicit(&j->shown_loops, j->result.loops, memory_order_release);
		event_post(stop_event());
	}
}

static inline bool job_called(const struct job *j)
{
	return atomic_load_explicit(&j->call, memory_order_relaxed);
}

/* After job_called(), with count and in_flight up to date: is the play to end? */
bool job_stopped(struct job *j);

static inline void job_show(struct job *j, uint64_t requests, uint64_t bytes)
{
	atomic_store_explicit(&j->shown_requests, requests, memory_order_relaxed);
	atomic_store_explicit(&j->shown_bytes, bytes, memory_order_relaxed);
}

/*
 * All requests of a batch are done: if it was a whole loop, what follows a loop, and count it. Nothing may be in flight
 * when there is something to do. 1, 0: the play ends meanwhile, or -errno with the fault set.
 */
static inline bool job_ends_loop(const struct job *j, const struct batch *b)
{
	return b->count == j->source.each;
}
int job_end_loop(struct job *j);

/* Of several targets, request i of b turns to its own: state, rules and target are of that. */
void job_turn(struct job *j, const struct batch *b, size_t i);

static inline void job_turn_to(struct job *j, const struct batch *b, size_t i)
{
	if (unlikely(j->rules.targets != NULL))
		job_turn(j, b, i);
}

/* Count request r as the next one to be issued, and its seek. */
void job_take(struct job *j, struct req r);

/* A request is done: false when an error has ended the play. */
bool job_done(struct job *j, const struct flight *f, enum flight_state how);

static inline bool job_takes_times(const struct job *j)
{
	return j->play->latency || j->log;
}

/*
 * A request that was issued has ended: its latency and its line of the log. Ticks; the latency counts from due. end is
 * j->now, which is read again where this took long.
 */
void job_record(struct job *j, struct flight *f, uint64_t due, uint64_t issue, uint64_t end);

/* A request of which nothing lies in the target was not issued: its line of the log, at j->now. */
void job_pass_over(struct job *j, const struct flight *f);

/*
 * When request i of b is due, by the timing (CLOCK_MONOTONIC); to be asked once for each. And account that it was
 * issued at a time.
 */
int64_t job_due(struct job *j, const struct batch *b, size_t i);
void job_issued(struct job *j, int64_t due, int64_t at);

/* Sleep until then, or to the part of it that is to be spun. False: the job is called. *now: the time afterwards. */
bool job_wait_until(struct job *j, int64_t due, int64_t *now);

/* With play->spin, how long before due times the wait is a busy one. */
#define JOB_SPIN_NS (60 * NS_PER_USEC)

/* Fill the buffer of a write that is about to be issued. */
void job_fill(struct job *j, struct flight *f);

/* After a write that is done: is a sync to be added? */
static inline bool job_adds_sync(struct job *j, const struct flight *f)
{
	if (f->io.op != IO_WRITE || j->play->fsync_every == 0 || ++j->writes < j->play->fsync_every)
		return false;
	j->writes = 0;
	return true;
}

/* Is there a pause after request i of n, the last batch of the source? */
static inline bool job_thinks(const struct job *j, size_t i, size_t n)
{
	return j->play->think_ns > 0 && (i + 1 < n || j->source.left > 0 || j->source.more || j->think_last);
}

/* Pause think_ns from now, or until job_stop(). */
void job_think(struct job *j);

/* Make a text of an engine's failure; returns err. */
int job_engine_failed(struct job *j, int err, const char *what);
