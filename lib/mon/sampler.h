/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampler: readings on absolute deadlines in a thread of its own, and marks from other threads, all with
 * the monotonic time of the reading.
 *
 * Tick n is due at start + n * interval, whatever the ticks before took. A tick that begins after the next one was due
 * skips the ones it missed and counts them. Nothing is allocated in the loop.
 *
 * open, start, stop, close and what gives out results belong to one thread; sampler_mark(), sampler_done() and
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
	uint64_t torn;          /* readings that needed more than one read */
	uint64_t missing;       /* readings in which a field was not there */
};

struct sampler;

struct sampler_params {
	const char *proc_dir;      /* NULL: /proc */
	int64_t interval_ns;       /* 1 to 10^15 */
	uint64_t max_rows;         /* 0: no limit */
	/*
	 * Called for each tick in the sampler's thread; number counts from 1; the samples' arrays are valid during the
	 * call. A negative return ends the sampling and is what sampler_stop() returns.
	 */
	int (*row)(void *ctx, uint64_t number, const struct sample *prev, const struct sample *now);
	void *ctx;
};

/* Opens the source; add columns before start. 0 and *out, or -errno with the text. */
int sampler_open(struct sampler **out, const struct sampler_params *p, struct fault *fault);

/* Stops first, if need be. NULL is allowed. */
void sampler_close(struct sampler *s);
void sampler_closep(struct sampler **s);

/* The columns, to be filled by columns_add() with sampler_text() before sampler_start(). */
struct columns *sampler_columns(struct sampler *s);
const char *sampler_text(const struct sampler *s, size_t *len);

/* The file that is read, for messages. */
const char *sampler_path(const struct sampler *s);

/* Take the first reading and start the thread, once. 0 or -errno. */
int sampler_start(struct sampler *s);

/* Read now and keep it under the label (borrowed text). Between start and close. 0 or -errno. */
int sampler_mark(struct sampler *s, const char *label);

/* True when the thread has ended by itself (max_rows, error, callback); it posts stop_event() then. */
bool sampler_done(const struct sampler *s);

/* Stop and join. 0, or the -errno that ended it. Harmless twice, and without start. */
int sampler_stop(struct sampler *s);

/* After start: the first reading. It stays as long as the sampler. */
const struct sample *sampler_first(const struct sampler *s);

/* After stop: the reading of the last row, or the first reading when there was no row. */
const struct sample *sampler_last(const struct sampler *s);

/* After stop: the marks, in order of time. */
struct mark {
	const char *label;
	struct sample sample;
};
size_t sampler_marks(const struct sampler *s, const struct mark **marks);

void sampler_get_stats(struct sampler *s, struct sampler_stats *out);
