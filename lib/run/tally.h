/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of jobs made one. */
#pragma once

#include "run/play.h"

/*
 * Add the counts, errors and first occurrences of from to the sums in to. What is no sum (elapsed_ns, stopped_by,
 * hit_limit, cache_left, texts, fidelity, histograms) stays as it is in to.
 */
void tally_add(struct play_result *to, const struct play_result *from);
