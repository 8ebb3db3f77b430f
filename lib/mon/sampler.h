/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler: readings on absolute deadlines, in a thread of its own or in that of the caller, and marks from other
 * threads, all with the monotonic time of the reading.
 *
 * Tick n is due at start + n * interval, whatever the ticks before took. A tick that begins after the next one was due
 * skips the ones it missed and counts them. Nothing is allocated in the loop, and what it uses is locked in memory
 * where that is allowed (RLIMIT_MEMLOCK), so that it goes on, late perhaps, while memory is reclaimed around it.
 *
 * Marks cut the time into phases. A run is from a sampler_begin() to the end; it has one phase, or more when marks are
 * set in between. What is sampled outside of runs belongs to no phase.
 *
 * open, start, run, stop, close and what gives out results belong to one thread; marks, sampler_done() and
 * sampler_get_stats() may be called from any.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/column.h"
#include "mon/sample.h"

struct sampler_stats {
	uint64_t ticks;         /* rows given out */
	uint64_t missed;        /* ticks skipped because an earlier one was late by a whole interval */
	int64_t late_max_ns;    /* largest delay of a tick behind its deadline */
	uint64_t torn;          /* readings in which a file needed more than one read */
	uint64_t missing;       /* readings in which a field was not there */
	uint64_t faults;        /* page faults of the thread that samples after its first row; after stop */
	int unlocked;           /* not all it uses could be locked in memory: -errno of resident_lock(); else 0 */
};

struct sampler;

struct sampler_params {
	struct sources_params sources;
	int64_t interval_ns;       /* 1 to 10^15 */
	uint64_t max_rows;         /* 0: no limit */
	/*
	 * Called for each tick in the thread that samples; number counts from 1; the samples' arrays are valid during
	 * the call. A negative return ends the sampling and is what sampler_stop() returns.
	 */
	int (*row)(void *ctx, uint64_t number, const struct sample *prev, const struct sample *now);
	void *ctx;
	bool whole;                /* all from the first reading to the last row is one run, which begins with the start */
};

/* Add columns before start. 0 and *out, or -errno with the text (as columns_init()). */
int sampler_open(struct sampler **out, const struct sampler_params *p, struct fault *fault);

/* Stops first, if need be. NULL is allowed. */
void sampler_close(struct sampler *s);
void sampler_closep(struct sampler **s);

/* The columns, to be filled by columns_add() before sampler_start(). */
struct columns *sampler_columns(struct sampler *s);

/* The file that could not be read, when that was an error; for messages. */
const char *sampler_path(const struct sampler *s);

/* Take the first reading and start the thread, once. 0 or -errno. */
int sampler_start(struct sampler *s);

/*
 * Instead of sampler_start(): sample in this thread until stop_event() is posted or the sampler is done. 0, or the
 * -errno of the first reading; what came later is sampler_stop()'s.
 */
int sampler_run(struct sampler *s);

/*
 * Begin the next run and its first phase, "begin", by a reading made now under the label "begin". Between start and
 * close, as the next three. 0 or -errno.
 */
int sampler_begin(struct sampler *s);

/*
 * Read now and keep it under the label: the phase ends, and the next, unless NULL, begins. Without a label both are
 * called "mark 1", "mark 2" and so on, counted anew in each run, so that the phases of runs that were repeated have the
 * same names. Nothing outside of runs.
 */
int sampler_mark(struct sampler *s, const char *label, const char *phase);

/* The run ends: mark "end", no phase. Of a whole that has all its rows at the last of them. */
int sampler_end(struct sampler *s);

/* The time since the last mark, which ended a run, is a phase of that run after all; it goes on. */
void sampler_resume(struct sampler *s, const char *phase);

/* True when the sampling has ended by itself (max_rows, error, callback); it posts stop_event() then. */
bool sampler_done(const struct sampler *s);

/* Stop and join. 0, or the -errno that ended it. Harmless twice, and without start. */
int sampler_stop(struct sampler *s);

/* After start: the first reading. It stays as long as the sampler. */
const struct sample *sampler_first(const struct sampler *s);

#define MARK_TEXT 64  /* bytes of a label with its terminator; longer ones are cut */

struct mark {
	char label[MARK_TEXT];    /* of the moment */
	char phase[MARK_TEXT];    /* of what goes on from here; empty: nothing */
	unsigned run;
	uint64_t ticks;           /* rows given out before */
	struct sample sample;
	const struct mark *next;  /* in order of time; NULL: the last */
};

/* After stop: the first mark; NULL: none. They stay as long as the sampler. */
const struct mark *sampler_marks(const struct sampler *s);

void sampler_get_stats(struct sampler *s, struct sampler_stats *out);
