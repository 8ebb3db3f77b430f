/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The request log: one record a request, from the jobs through a ring each to a thread that writes the file.
 *
 * Nothing is ever dropped. A job whose ring is full waits until the writer has made room, and the waits are counted,
 * for they are no part of the target's time but change what follows them. When the file cannot be written any more
 * the rings are emptied all the same, so that the play goes on, and log_close() tells it.
 *
 * The form follows the file's name. A record is a request; records of one job stand in the order of
 * their completion, those of several jobs in any order. Times are nanoseconds, sizes bytes, result is the bytes moved
 * or a negative errno.
 *
 *   *.csv   A line of names, then start_ns,latency_ns,op,offset,length,result,job,play,cache. op is the letter of a trace
 *           file, job counts from 0, play from 1 (every log_begin(), so each run of a repeated play counts), cache is
 *           "hit" or "miss", or empty where that is not told.
 *   *.bin   A header of 64 bytes: "iotrlog1", the header's size and a record's size (each uint32_t), zeros. Then
 *           records of 48 bytes: start (int64_t), latency, offset, length (uint64_t each), result (int64_t), job
 *           (uint32_t), play (uint16_t), op (uint8_t, a letter), cache (uint8_t: 0, 1 hit, 2 miss). All little endian,
 *           nothing aligned to more than 8 bytes.
 *   others  Text, which is itself a trace (iotrace(5)) of what was played, with the times at which it was issued:
 *           "TIME OP OFFSET LENGTH # LATENCY RESULT JOB PLAY [CACHE]", LATENCY in ns.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/event.h"
#include "base/fault.h"
#include "base/macro.h"
#include "trace/trace.h"

struct log_record {
	int64_t start;   /* when it was issued, ns since the play's start, by the play's clock */
	uint64_t latency; /* ns, as in the report: where there is a timing, from when it was due */
	uint64_t offset, length;
	int64_t result; /* bytes moved, or -errno */
	enum op op;
	enum log_cache { LOG_NOT_TOLD, LOG_HIT, LOG_MISS } cache; /* of a read, where hits are told from misses */
};

/* One job writes, the log's thread reads. In memory that forked processes share. */
struct log_ring {
	/* the job's own */
	_Alignas(64) uint64_t next; /* records put */
	uint64_t tail_seen;
	struct log_record *record;
	uint64_t mask;   /* records - 1, a power of two */
	struct event *wake; /* of the writer */
	_Atomic uint64_t waits;
	_Atomic int64_t waited_ns;
	/* from the job to the writer, and back */
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t tail;
	atomic_bool waiting;
	struct event space;
};

struct log;

/*
 * Open the file; the writer runs from log_begin() to log_end() only. "-" is standard output. 0 or -errno with the text
 * (without the file's name).
 */
int log_open(struct log **out, const char *path, struct fault *fault);

/* A line of text for people, in a log that is text; between plays. */
void log_remark(struct log *l, const char *text);

/*
 * A play of jobs jobs begins. The rings together take at most 64 MiB, but 256 records each. 0 or -errno with the text.
 */
int log_begin(struct log *l, unsigned jobs, struct fault *fault);

/* The ring of a job, 0..jobs-1, until log_end(). */
struct log_ring *log_ring(struct log *l, unsigned job);

/* For log_put(). */
void log_wait(struct log_ring *r);
void log_wake(struct log_ring *r);

/* By the job alone. A few ns, and no system call but at every quarter of the ring and when it is full. */
static inline void log_put(struct log_ring *r, const struct log_record *record)
{
	if (unlikely(r->next - r->tail_seen > r->mask))
		log_wait(r);
	r->record[r->next & r->mask] = *record;
	atomic_store_explicit(&r->head, ++r->next, memory_order_release);
	if (unlikely((r->next & r->mask >> 2) == 0))
		log_wake(r);
}

struct log_stats {
	uint64_t records;
	uint64_t waits;   /* how often a job waited for room */
	int64_t waited_ns; /* for how long, all jobs together */
};

/*
 * The play has ended and no job puts any more: empty the rings and stop the writer. Statistics of this play. An error
 * of the file is left to log_close().
 */
void log_end(struct log *l, struct log_stats *stats);

/*
 * Write all out; the file takes its name now (outfile.h), also when a signal ended the play. 0 or -errno with the text.
 * Frees l either way.
 */
int log_close(struct log *l, struct fault *fault);

/* Drop what was written, for _cleanup_; NULL is fine. */
void log_abort(struct log *l);
void log_abortp(struct log **l);
