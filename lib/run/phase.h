/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Phases in the marks of a sampler: one goes from a mark that names it to the next mark. The phases of a run follow each other
 * without a gap.
 */
#pragma once

#include <stdbool.h>

#include "mon/sampler.h"

/* Is there a phase from this mark, and has it ended? */
bool phase_ends(const struct mark *m);

/* The mark at the end of the run that begins with first. first itself: no phase of it has ended. */
const struct mark *phase_last(const struct mark *first);

/* The next phase behind m with the name of that of like; NULL: none. */
const struct mark *phase_next_like(const struct mark *m, const struct mark *like);

/* Is m the first phase of its name? */
bool phase_is_first_like(const struct mark *m, const struct mark *first);
