/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that follow those of the trace while it is played. One thread reads them, asks here whether the play wants
 * them, and puts them into a ring; the jobs take them from there.
 *
 * What play_open() says of a trace as a whole (ops, files, alignment) is said here of each part, in the same words, and
 * the limits of the play are kept here, so that nothing past them is put into the ring.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "run/plan.h"
#include "run/play.h"
#include "trace/ring.h"

struct more {
	struct ring *ring;                  /* borrowed, with a reader for each job */
	/*
	 * Read all that follows, and ask more_admit() of a more of its own, as if it were played; NULL: it can be read
	 * only once. 0, or -errno with the text.
	 */
	int (*rehearse)(void *ctx, struct fault *fault);
	void *ctx;
	atomic_bool begun;                  /* more_begin() was called, stop_event() was posted */

	/* Set by more_begin(), then the reading thread's. */
	const struct play_plan *plan;
	const struct play_params *params;
	uint64_t requests, bytes;           /* that the limits leave */
	uint32_t file;
	atomic_bool limited;                /* a limit has ended it */
	_Atomic(const struct fault *) failed; /* by the reading thread, before ring_end(): why nothing more came; NULL: it did */
};

/*
 * The trace before it is that, and the limits do not end within it. All but the more are borrowed. What can be
 * rehearsed is, before anything is issued: 0, or -errno with the text.
 */
int more_begin(struct more *m, const struct play_plan *plan, const struct play_params *params, const struct trace *t,
	       struct fault *fault);

/* Why there was no more, when it could not be read or played; buf, or NULL when that is not so. */
const char *more_failure(const struct more *m, char *buf, size_t cap);

/* For a rehearsal: the limits and the file as before the first request, of what begin was called for. */
void more_begin_again(struct more *m, const struct more *begun);

/*
 * May the requests of t, the first of which has number first (from 0), be played? 1; 0: those that are left in t, and
 * none after them; -EINVAL with the text: none of them.
 */
int more_admit(struct more *m, struct trace *t, uint64_t first, struct fault *fault);
