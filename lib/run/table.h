/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a sampled session, from the marks of the sampler. Numbers are printed without the locale; "-" stands
 * for what is not defined, as where a field was not there.
 */
#pragma once

#include <stdio.h>

#include "mon/column.h"
#include "mon/sampler.h"

/* Columns up to which a run of several phases is shown with a line a mark. */
#define TABLE_ACROSS 8

/*
 * The run that begins with a mark, behind an empty line. Unless NULL, the name ("play 2") is told.
 *
 * Of one phase, a line a column: title, value at begin and at end, difference, difference per second with two decimals
 * (phase_rate()), whatever the mode of the column. The heading says how long it is from begin to end.
 *
 * Of several phases, a line a mark with the values of that moment, and below for each phase, with its length, a line of
 * differences and one of differences per second. Of many columns, a table as above for each phase.
 *
 * Returns the first mark behind the run; NULL: there is none.
 */
const struct mark *table_print(FILE *f, const char *name, const struct columns *c, const struct mark *first);

/*
 * What all runs of the sampler have in common, when they are two or more: for each phase, by its name, and each column
 * the mean of the differences over the runs, their standard deviation, and behind "+-" the standard error of the mean
 * in percent, as perf stat --repeat has it; the same of the differences per second; and first of the seconds that the
 * phase took.
 */
void table_repeat(FILE *f, const struct columns *c, const struct mark *first);

/*
 * One line: rows given out, ticks missed, the largest delay of a tick; and, when there were any, readings that took
 * more than one read and readings in which a field was not there; and a note when memory could not be locked.
 */
void table_ticks(FILE *f, const struct sampler_stats *stats);
