/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed about a play. Numbers are printed without the locale.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "run/ahead.h"
#include "run/log.h"
#include "run/play.h"
#include "trace/trace.h"

struct report {
	const char *tool;        /* "iotrace" */
	const char *command;     /* the words of the command line */
	const char *file;        /* the target, as named there */
	uint64_t seed;           /* of the random numbers */
	bool seed_used;          /* some were drawn from it for this play or its trace */
	bool quiet;              /* the seed's line alone, no remarks on the cache */
	bool one_of_many;        /* a run of --repeat: the line, what went wrong, and whether its timing was kept */
	const char *failure;     /* why the play could not go on: its engine, or what followed the trace, failed; NULL: it did not */
	struct play_info info;
	const struct play_params *params;
	const struct ahead *ahead; /* what the readahead was set to; NULL, or as it is: not */
	const char *log_name;    /* --log; NULL: none */
	struct log_stats log;    /* of this play */
};

/*
 * The line of 2009 first: "151.194384MB/s 284.198252s 100001x 450560b COMMAND" (MB = 2^20 bytes, x: seeks, b: bytes per
 * seek; zeros where there is nothing to divide). Then, unless quiet, one "name value" a line:
 *
 *   requests bytes                            always
 *   past_end_requests past_end_bytes          when the trace reached past the end
 *   short_requests short_bytes                when a read gave less than the target has there
 *   misses miss_bytes                         when what was asked for without waiting was not cached
 *   bad_requests bad_words                    when what was read is not what --verify expects
 *   errors                                    when requests failed, and for each errno
 *   error NAME COUNT offset N length N request N    the first such request, which is counted from 1
 *   ended_by failure, signal N, error or limit    when it did not come to its end
 *   minor_faults major_faults                 always
 *   faults_per_second                         of an engine that touches memory
 *   user_seconds system_seconds engine        always
 *   what report_cache.h says of the page cache                      as far as it is known
 *   engine_setup TEXT                         what the engine has set up, when it tells
 *   seed                                      always
 *   cache STATE [RANGES] cache_set_times cache_set_seconds    under --cache; and of what there is to tell
 *   cache_warm_pages cache_missing_pages cache_left_pages
 *   advice NAME [BEGIN-END]                    each that was given to descriptors
 *   readahead N was N FILE                     of each device, or "readahead N by ADVICE", when it was set
 *   cgroup cgroup_limit cgroup_used cgroup_peak cgroup_at_limit    in a cgroup: its folder, bytes, and how often at the limit
 *   ramp_requests behind_calls behind_bytes behind_seconds added_syncs most_in_flight loops    when there is something to tell
 *   what report_cache.h says of hits and misses under --hits
 *   what report_time.h says                   when latencies were taken, and when there was a timing
 *   log_records log_waits log_waited_seconds  under --log
 *   job N requests N bytes N errors N elapsed_seconds N [cpu N]     for each of several jobs, and its latencies
 */
void report_play(FILE *f, const struct report *r, const struct play_result *result);

/* What all runs of --repeat have in common, from the last: engine, its setup, seed, jobs, clock. */
void report_setup(FILE *f, const struct report *r, const struct play_result *result);

/*
 * Before the play: how far the trace reaches, and how many of the first max_requests requests reach past the end of
 * the target. Nothing when none does.
 */
void report_past_end(FILE *f, const struct report *r, const struct trace *t, uint64_t max_requests);

/*
 * After the play, in words: that there was no request, failed requests, short reads and bad data, and, unless quiet,
 * waits for the log and pages that could not be dropped before.
 */
void report_troubles(FILE *f, const struct report *r, const struct play_result *result);

/* False when the exit status is to tell of errors, short reads, bad data or reads past the end. */
bool report_is_clean(const struct play_result *result);
