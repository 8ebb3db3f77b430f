/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request on its way: cut to what lies inside the target, issued in pieces no call is too short for, and
 * accounted. Every engine and both loops count here, so that equal traces give equal figures.
 *
 * A struct flight and a struct play_result belong to the thread of their job.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/engine.h"
#include "run/play.h"
#include "trace/trace.h"

/* What is the same for all requests of a play. */
struct flight_rules {
	const struct targets *targets; /* several, then size is that of the request's; NULL: one */
	uint64_t size;       /* of the target at open, bytes */
	uint64_t plain_end;  /* size, less the tail that direct I/O reads by a longer io */
	uint64_t zero_end;   /* the same of writes that may go to the engine's write_many; 0: none may */
	uint64_t align;      /* of direct I/O, a power of two; 1: none */
	uint64_t piece_max;  /* longest io, bytes, a multiple of align, at most IO_MAX (a trim is one io, however long) */
	bool nowait;         /* -EAGAIN and less than asked are misses of the page cache; the rest is read again, or left */
	bool reread;
	bool verify;         /* compare what was read with DATA_OFFSET; pieces fit the buffer then */
};

struct flight {
	struct io io;        /* buf and slot are set by the owner and stay */
	uint64_t offset;     /* the request as the trace has it */
	uint64_t length;
	uint64_t number;     /* its number in the trace, from 1 */
	uint64_t want;       /* bytes of it inside the target */
	uint64_t moved;      /* bytes done so far */
	int error;           /* that made it fail, -errno */
	bool issues;         /* there is something to issue */
	bool filled;         /* buf is as payload_fill() left it; stays from one request to the next */
	bool added;          /* a sync that is no request of the trace */
	bool missed;         /* counted as a miss */
	bool bad;            /* counted as a request with bad words */
};

/* Bytes of a request that lie inside a target of size bytes. */
uint64_t flight_inside(uint64_t size, uint64_t offset, uint64_t length);

/*
 * Begin request number of the trace. Counts what lies past the end. Returns true when io is to be issued, false when
 * there is nothing to issue (no length, or wholly past the end): the request is then done. A sync always is issued, and
 * has no length.
 */
bool flight_begin(struct flight *f, const struct flight_rules *rules, struct req r, uint64_t number,
		  struct play_result *tally);

/* Begin a sync that is no request; number: of the request before it. */
void flight_begin_sync(struct flight *f, uint64_t number, struct play_result *tally);

enum flight_state {
	FLIGHT_DONE,    /* counted, also when short */
	FLIGHT_AGAIN,   /* io is set to the next piece: issue it */
	FLIGHT_FAILED   /* counted as an error */
};

/* Account io->res of a piece that was issued; the bytes moved are counted at once. */
enum flight_state flight_land(struct flight *f, const struct flight_rules *rules, struct play_result *tally);
