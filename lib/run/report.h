/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is printed: the report of a play, and the begin / end table of a sampled session.
 * Numbers are printed without the locale.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "mon/sampler.h"
#include "run/play.h"

/*
 * The seed's line first ("151.194384MB/s 284.198252s 100001x 450560b COMMAND"; MB = 2^20, x = seeks, b = bytes per
 * seek, zeros on an empty play), then, unless quiet, lines of our own: requests, bytes, short reads and errors if any, faults, CPU times, seed.
 */
void report_play(FILE *f, const struct play_result *r, const struct play_info *info, const char *command, uint64_t seed, bool quiet);

/* Before the play: how far the trace reaches, when past the end; pages that stayed cached. On standard error. */
void report_before(FILE *f, const struct play_info *info, const struct play_result *r);

/* Per column: begin, end, difference, rate, from two readings; then missed or late ticks, if any. */
void report_table(FILE *f, const struct columns *c, const struct sample *begin, const struct sample *end, const struct sampler_stats *stats);
