/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The histograms that a play takes: of each job, and of all together. */
#pragma once

#include "mon/hist.h"
#include "run/plan.h"
#include "run/play.h"

/* Each is NULL where the play takes none. */
struct hists {
	struct hist *latency[OP_COUNT];
	struct hist *lag;
	struct hist *hit, *miss;
};

/* How many there are; the same for each job and the whole. */
unsigned hists_count(const struct play_params *p, const struct play_plan *plan);

/* Give them the memory of so many in a row. */
void hists_at(struct hists *out, const struct play_params *p, const struct play_plan *plan, struct hist *row);

/* Add those of a job to those of the whole, which has the same. */
void hists_merge(const struct hists *whole, const struct hists *job);
