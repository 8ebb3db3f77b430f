/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page cache set anew before each loop but the first: the jobs let go of what they map and meet, one of them does
 * it, and they meet again. No figure has the time that it took.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/fault.h"
#include "run/cache_state.h"

struct job;

/* Of all jobs, in memory that they share. */
struct reset {
	_Atomic uint64_t loop;     /* before which it was set last */
	_Atomic int64_t began;     /* being set since then, CLOCK_MONOTONIC; 0: not now */
	_Atomic int64_t took;      /* ns, all times */
	int64_t last;              /* ns; written between the two meetings */
	struct play_cache_set done;
	uint64_t left;
};

/* ns that a play has stood still until now. */
int64_t reset_stood(const struct reset *r, int64_t now);

/* Before loop number loop, >= 1. 1; 0: the play ends meanwhile; -errno with the fault of the job set. */
int job_reset(struct job *j, uint64_t loop);
