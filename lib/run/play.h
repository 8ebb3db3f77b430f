/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A play: a source of requests, issued on a target through an engine, and what came of it.
 *
 * play_open() checks, play_prepare() drops the cache, play_run() issues. The jobs that issue are threads (or processes)
 * with all signals blocked; the caller's thread waits in play_run(), ends them at a signal, an error of one or a time
 * limit, and shows the progress, so that the loops that issue ask no question but one flag.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/fault.h"
#include "io/cgroup.h"
#include "io/engine.h"
#include "io/residency.h"
#include "io/target.h"
#include "mon/hist.h"
#include "trace/trace.h"

#define PLAY_UNLIMITED UINT64_MAX
#define PLAY_JOBS_MAX 1024

/* How the jobs share the trace; each keeps the order of what it has. */
enum play_split {
	SPLIT_ROUND_ROBIN,   /* job i has requests i, i + jobs, i + 2 * jobs, ... */
	SPLIT_CHUNK,         /* job i has the i-th of as many runs of consecutive requests, equal but for one request */
	SPLIT_COPY           /* each job has the whole trace */
};

/* When a request is due. */
enum play_timing {
	TIMING_NONE,         /* when the one before it is done (or a place in flight is free), and think_ns is over */
	TIMING_RATE,         /* rate requests a second */
	TIMING_BYTE_RATE,    /* rate bytes a second: so long after the one before as that takes with the bytes it had */
	TIMING_TRACE         /* at its time in the trace, divided by speed */
};

enum play_arrival {
	ARRIVAL_EVEN,
	ARRIVAL_POISSON      /* gaps exponential about the same mean, from seed */
};

/* What is written. */
enum play_data {
	DATA_ZERO,
	DATA_RANDOM,         /* from seed; no two blocks of 4096 bytes of one job are equal */
	DATA_OFFSET          /* each 8 bytes at a multiple of 8 hold their own offset in the target, little endian */
};

/* Between two loops of a job; what is done to the pages is said at advise of struct engine. */
enum play_after {
	AFTER_BARRIER,       /* the jobs meet, and once more when what follows it in the list is done */
	AFTER_DONTNEED,
	AFTER_COLD,
	AFTER_PAGEOUT,
	AFTER_FORK           /* job 0 forks a child that ends at once, and waits for it */
};
#define PLAY_AFTER_MAX 8

/* Under USE_NOWAIT, of a read that is not (wholly) in the page cache. */
enum play_miss { MISS_COUNT, MISS_REREAD };

/* How hits of the page cache are told from misses; see hits.h. */
enum play_hits { HITS_NONE, HITS_PROBE, HITS_FAULTS };

/* The page cache before the first request; see cache_state.h. */
enum play_cache {
	CACHE_DROP_FIRST,    /* nothing: it is dropped */
	CACHE_DROP,
	CACHE_KEEP,          /* what there is */
	CACHE_WARM,          /* all that the trace asks for is read in, beside what there is; not for direct I/O or memory */
	CACHE_COLD           /* likewise but for some ranges, beside nothing */
};

/* How often the page cache was set in a run, and what was found afterwards. */
struct play_cache_set {
	uint64_t times;
	int64_t ns;          /* that it took, in no other figure */
	uint64_t warm;       /* CACHE_WARM, CACHE_COLD: pages of 4096 bytes that were to be in */
	uint64_t missing;    /* the most of them that were not; UINT64_MAX: the kernel does not tell */
};

struct log;
struct targets;
struct more;

/* A file of the trace, by its name or number, and its own target. */
struct play_map {
	const char *file;
	const char *target;          /* path */
};

/*
 * All zero is no play: target, engine, max_*, depth and loops must be set. The limits are over all jobs. What does not
 * go together is -EINVAL of play_open() with the text; what it finds is named at the fields.
 */
struct play_params {
	const char *target;          /* path, or memory: anon:BYTES, which each job has for itself, or memfd:BYTES */
	const char *engine;          /* name */
	uint64_t max_requests;       /* PLAY_UNLIMITED: none; those before the end of the ramp count too */
	uint64_t max_bytes;          /* inside the target; a request that would pass it ends the play unissued */
	int64_t max_ns;              /* from the end of the ramp; INT64_MAX: none */
	/*
	 * Pause after each request, the last one too, from its end on; with several in flight from the moment when it
	 * is submitted and another one could be. Not with a timing.
	 */
	int64_t think_ns;
	/*
	 * What of the targets is in the page cache before a run; but for CACHE_DROP_FIRST and CACHE_KEEP before each
	 * loop too.
	 */
	enum play_cache cache;
	const struct span *cold;     /* of CACHE_COLD; borrowed */
	unsigned cold_count;
	bool continue_on_error;
	bool direct;
	/*
	 * Targets of single files of the trace. The others are for target: one file, or all of them if that is asked.
	 */
	const struct play_map *map;
	unsigned map_count;
	bool all_on_one;

	/* The engine's; engine_check() says what goes together. */
	enum io_touch touch;
	/*
	 * In order: said to the descriptors of all targets at the start of each run, and of each loop when the cache is
	 * set before it; or by an engine that maps for what it maps. Borrowed.
	 */
	const struct io_hint *hints;
	unsigned hint_count;
	/*
	 * Advice behind what was moved, by each job: see behind.h. DONTNEED, or of an engine that maps COLD or PAGEOUT
	 * too; not looked at when behind_bytes is 0.
	 */
	enum io_advice behind;
	uint64_t behind_bytes;
	unsigned use;                /* USE_ bits */
	enum play_miss miss;         /* with USE_NOWAIT */
	bool hits;                   /* tell hits from misses, which are read; needs latency */

	/* Load shape. */
	unsigned depth;              /* requests in flight of each job, >= 1 */
	unsigned jobs;               /* 1..PLAY_JOBS_MAX; 0 is taken as 1 */
	enum play_split split;
	bool processes;              /* a process for each job in place of a thread */
	const unsigned *cpus;        /* job i runs on CPU cpus[i % cpu_count]; a CPU that is not there is -EINVAL */
	unsigned cpu_count;          /* 0: where the kernel likes */
	uint64_t loops;              /* times that each job plays its share; 0: until a limit or a signal */
	/* What each job does after each loop that it has played to its end, in order; it is part of all figures. */
	enum play_after after[PLAY_AFTER_MAX];
	unsigned after_count;        /* 0: nothing; the jobs always start together */
	int64_t ramp_ns;             /* what completes before is not in the figures; 0: none */

	/* Timing. It is open loop: due times are absolute from the start, lateness never moves the later ones. */
	enum play_timing timing;
	uint64_t rate;               /* of all jobs together, >= 1; TIMING_RATE and TIMING_BYTE_RATE */
	enum play_arrival arrival;   /* likewise */
	double speed;                /* TIMING_TRACE: > 0; 2 is twice as fast. A trace without any time is -EINVAL */
	bool spin;                   /* wait the last 60 us busily; not without a timing */

	/*
	 * Writing. Without write the target is opened for reading alone and a trace with other ops is -EINVAL. With it
	 * nothing grows: a write past the end of a file is cut there and counted as such, as reads are.
	 */
	bool write;
	bool dsync;                  /* each write is on the device when it completes; not without write */
	uint64_t fsync_every;        /* after so many writes of a job one fsync; 0: never; not without write */
	enum play_data data;
	bool verify;                 /* compare what is read with DATA_OFFSET */

	uint64_t seed;               /* of random data and arrivals */
	bool latency;                /* take times and fill the histograms */
	/*
	 * The process is in it from before the target's cache is touched until the last job has ended, each run anew;
	 * borrowed; NULL: it stays where it is.
	 */
	struct cgroup *cgroup;
	struct log *log;             /* a line for each request issued, begun by the caller for this run; borrowed; NULL: none */
	/*
	 * What follows the trace while it is played, see more.h; borrowed; NULL: nothing. With one job or
	 * SPLIT_ROUND_ROBIN, one loop, no processes; the trace then is not empty, and only its extent is known.
	 */
	struct more *more;
};

/* What is known before the first request. */
struct play_info {
	const struct target *target;   /* the first */
	const struct targets *targets; /* NULL: there are no others */
	const struct engine *engine;
	struct trace_extent extent;  /* of the trace */
	uint64_t requests;
	bool past_end;               /* the trace reaches past the end of its targets */
	unsigned jobs;
};

#define PLAY_ERRNOS 8

struct play_error {
	int error;                   /* errno, positive */
	uint64_t count;
	uint64_t first_offset, first_length;
	uint64_t first_request;      /* number, from 1 */
};

/* Of the requests of one op. */
struct play_op {
	uint64_t requests;
	uint64_t bytes;              /* moved (for a trim: trimmed, which is not in play_result.bytes) */
	/*
	 * From the start of a request (when it was due, if there is a timing) to its end; errors are in it, what issued
	 * nothing is not. NULL: params.latency is false, or the trace has no such op. Asynchronous engines share
	 * one reading of the clock among the requests that one call brings back, and among those that are submitted
	 * next. Belongs to the play until its next prepare, run or close.
	 */
	const struct hist *latency;
};

/* How well a timing was kept; all zero without one. */
struct play_fidelity {
	int64_t due_ns;              /* from the start to when the last request issued was due: the time it should take */
	int64_t issue_ns;            /* from the start to when it was issued: the stretch is issue_ns / due_ns */
	int64_t median_gap_ns;       /* between consecutive due times of the whole */
	uint64_t late;               /* requests issued more than median_gap_ns after they were due */
	uint64_t inversions;         /* requests whose time is before that of one its job issued earlier: due with it */
	uint64_t untimed;            /* requests without a time: due with the one before */
	uint64_t skipped;            /* requests that were never issued: the play ended before them */
	const struct hist *lag;      /* from due to issue; NULL without a timing; lifetime as of latency */
};

/* What a play did to the page cache of all its targets, and had read; see effect.h. */
struct play_effect {
	struct residency before, after;  /* the first request, and the last */
	bool told;                       /* these are known */
	bool process_told, device_told;  /* likewise the next */
	uint64_t process_reads;          /* bytes that this process had read from devices meanwhile */
	uint64_t device_reads;           /* bytes read from the targets' device, by all who use it */
};

struct play_result {
	uint64_t requests;           /* issued, also those that failed */
	uint64_t bytes;              /* read and written */
	uint64_t seeks;              /* requests that do not start where the one before ended; the first counts; no syncs */
	uint64_t short_reads;        /* requests that moved less than the target had at that place */
	uint64_t short_bytes;        /* bytes they lacked */
	uint64_t past_end_requests;  /* requests that reached past the end of the target, wholly or partly */
	uint64_t past_end_bytes;
	uint64_t misses;             /* USE_NOWAIT, hits: reads that were not wholly in the page cache; no errors */
	uint64_t miss_bytes;         /* what they lacked there; not told by faults */
	uint64_t bad_words;          /* verify: 8-byte words that hold something else; makes the play unclean */
	uint64_t bad_requests;       /* reads with such words */
	uint64_t first_bad_offset;   /* of the first such word of the first such request of the trace */
	uint64_t first_bad_value;    /* what it holds: the offset where it belongs, when a block went astray */
	uint64_t first_bad_request;  /* its number, from 1 */
	uint64_t errors;
	struct play_error error[PLAY_ERRNOS]; /* by errno, in order of appearance; further kinds count in errors only */
	unsigned error_kinds;
	uint64_t minor_faults, major_faults;  /* of the threads that played */
	int64_t user_ns, system_ns;           /* likewise */
	int64_t elapsed_ns;          /* from before the first request (or the end of the ramp) to after the last */
	uint64_t cache_left;         /* pages still cached after a drop, the most; UINT64_MAX: not known or not dropped */
	struct play_cache_set cache;
	struct cgroup_usage cgroup;  /* params.cgroup: as the last job ended; at_limit: in this run */
	int stopped_by;              /* signal, or 0 */
	bool stopped_by_error;
	bool hit_limit;              /* max_requests, max_bytes or max_ns ended it */

	struct play_op op[OP_COUNT];
	enum play_hits hits;
	/* Latencies of the reads that hit, and of those that missed; lifetime as of op. NULL: not told, or no reads. */
	const struct hist *hit, *miss;
	struct play_fidelity fidelity;
	struct play_effect effect;           /* of the whole alone */
	uint64_t loops;              /* finished; of the job that finished the fewest */
	uint64_t added_syncs;        /* for fsync_every: no requests, but in op[OP_SYNC].latency */
	unsigned most_in_flight;     /* of one job */
	uint64_t behind_calls;       /* advice behind the position, */
	uint64_t behind_bytes;       /* about so many bytes, */
	int64_t behind_ns;           /* which took so long: in the play's time, in no latency; of all jobs */
	uint64_t ramp_requests;      /* completed before the end of the ramp, in no other figure */
	/*
	 * Touches whose time was taken: each stands for the op[].latency->count / timed touches about it, one of which,
	 * drawn at random, was timed. Equal to the count where all were.
	 */
	uint64_t timed;
	const char *clock;           /* name of the clock of the latencies, a constant; NULL: params.latency is false */
	const char *clock_why;       /* why not the tsc, a constant; "" when it is */
	int64_t clock_drift_ppb;     /* the clock against CLOCK_MONOTONIC over the run, 10^-9: how well it was calibrated */
	char engine_text[160];       /* what the engine really set up, of job 0; may be empty */
	int job_cpu;                 /* of a job's result: the CPU it was pinned to; -1: none */

	/* Each job's own; NULL in a job's result. They belong to the play until its next prepare, run or close. */
	const struct play_result *job;
	unsigned jobs;
};

/* Both kinds of faults, by the time that passed; 0 where none did. */
static inline double play_faults_per_second(const struct play_result *r)
{
	double faults = (double)r->minor_faults + (double)r->major_faults;

	return r->elapsed_ns > 0 ? faults / ((double)r->elapsed_ns / (double)NS_PER_SEC) : 0;
}

struct play;

/*
 * Check and prepare all: parameters, engine, target, buffers. 0 and *out, or -errno with the text (-EINVAL: makes no
 * sense, exit status 2; others 1). Nothing is issued or dropped. The trace is borrowed.
 */
int play_open(struct play **out, const struct play_params *p, const struct trace *t, struct fault *fault);
void play_close(struct play *p);
void play_closep(struct play **p);

void play_get_info(const struct play *p, struct play_info *info);

/*
 * Make all ready for the next run, and drop the target's cache, unless kept. May be left out. 0 or -errno with the
 * text.
 */
int play_prepare(struct play *p, struct fault *fault);

/*
 * Ask to be told in the following runs, by the thread of play_run(), when all jobs have finished a loop but the last;
 * done: how many, which may pass over some. Only of 2 to PLAY_LOOPS_TOLD loops by threads. Before play_prepare().
 */
#define PLAY_LOOPS_TOLD 16
typedef void play_loop_told(void *ctx, uint64_t done);
void play_watch_loops(struct play *p, play_loop_told *told, void *ctx);

/*
 * Issue all. progress: show it on standard error. 0, or -errno of the engine itself with the text; errors of
 * requests are results. *out is valid either way.
 */
int play_run(struct play *p, bool progress, struct play_result *out, struct fault *fault);

/*
 * How far the run is that goes on: requests issued and bytes moved, those of the ramp too. From any thread, between the
 * end of play_prepare() and the next call of it; exact after play_run().
 */
void play_shown(const struct play *p, uint64_t *requests, uint64_t *bytes);
