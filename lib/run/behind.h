/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Advice behind the position of a job, as programs that read a stream give it: what lies between the place of the last
 * advice and the end of what was moved last is not needed any more, is cold, or shall be paged out.
 *
 * A run is a sequence of requests none of which is further than the step from what was moved before; gaps in it count
 * as passed. Each time the run has grown by the step the part that grew is advised, and the rest of it when it ends: at
 * a request elsewhere, and at the end of the play. The kernel drops no folio that a range holds in part
 * (mapping_try_invalidate() in mm/truncate.c), and folios grow with the readahead: so each advice reaches back
 * BEHIND_BACK over what was advised before in the run, where next to nothing is left to look at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct job;
struct flight;

#define BEHIND_BACK (UINT64_C(4) << 20)

struct behind {
	uint64_t begin, top;   /* of the run, bytes */
	uint64_t from, end;    /* what is not advised yet */
	bool down;             /* it grows downwards */
	unsigned target;       /* its number */
	uint64_t calls, bytes; /* advised */
	int64_t ns;            /* that it took: in the play's time, in no latency */
};

/*
 * A read or write of a target, by its number, has ended. 0, or -errno with the fault of the job set. Nothing without
 * play->behind_bytes.
 */
int job_pass(struct job *j, const struct flight *f, unsigned target);

/* The play is over: what is left of the run. As job_pass(). */
int job_pass_end(struct job *j);
