/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --hits: was each read served from the page cache? Either by asking for what is there alone (RWF_NOWAIT), and then for the
 * rest as usual, whose latency counts from the first attempt; or, of a mapping, by the faults in which the thread had
 * to wait.
 */
#pragma once

#include "base/fault.h"
#include "base/macro.h"
#include "io/engine.h"
#include "run/job.h"
#include "run/play.h"

/*
 * How it can be told with these parameters, HITS_NONE when it was not asked for; *use gets the bits the engine needs
 * for it. 0, or -EINVAL with the reason why it cannot.
 */
int hits_plan(const struct engine *e, const struct play_params *p, enum play_hits *by, unsigned *use, struct fault *fault);

/* "probe" or "faults", and in a sentence how far that can be trusted. */
const char *hits_method(enum play_hits by);
const char *hits_trust(enum play_hits by);

/* Reads of a play that were hits, and their share of all in percent; a play without reads has a share of 0. */
uint64_t hits_count(const struct play_result *r);
double hits_percent(const struct play_result *r);

/*
 * HITS_FAULTS: before requests that nothing makes the thread sleep between; and f has come back after so many ticks.
 * Has it missed? A short one has not, and nobody is asked. Else j->now is read again, as the question took time.
 */
void hits_ask(struct job *j);
void hits_look(struct job *j, struct flight *f, uint64_t ticks);

static inline void hits_begin(struct job *j)
{
	if (unlikely(j->hits == HITS_FAULTS))
		hits_ask(j);
}
