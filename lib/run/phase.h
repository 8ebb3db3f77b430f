/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phases in the marks of a sampler: one goes from a mark that names it to the next mark. The phases of a run follow
 * each other without a gap.
 */
#pragma once

#include <stdbool.h>

#include "mon/sampler.h"
#include "mon/stats.h"

/* Is there a phase from this mark, and has it ended? */
bool phase_ends(const struct mark *m);

/* The mark at the end of the run that begins with first. first itself: no phase of it has ended. */
const struct mark *phase_last(const struct mark *first);

/* Is m the first of two or more phases of its name? */
bool phase_is_repeated(const struct mark *m, const struct mark *first);

/* In how many runs there is the phase that like begins, or one behind it of its name. */
unsigned phase_runs(const struct mark *like);

/* Of the phase that like begins and all behind it of its name: how long they took. *out is made anew. */
void phase_seconds(struct stats *out, const struct mark *like);

/*
 * The difference per second of column i from one sample to the other, CELL_NONE where there is none: a gauge has one
 * only when the user asked for it by :rate.
 */
struct cell phase_rate(const struct columns *c, size_t i, const struct sample *from, const struct sample *to);

/*
 * Likewise what column i shows of each: the difference, or, of what has none, the one number of the phase. And the
 * differences per second. What is not defined is left out.
 */
void phase_differences(struct stats *out, const struct columns *c, size_t i, const struct mark *like);
void phase_rates(struct stats *out, const struct columns *c, size_t i, const struct mark *like);
