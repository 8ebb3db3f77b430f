/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/hists.h"

#include <stdbool.h>

#include "run/more.h"

static bool takes_latency(const struct play_params *p, const struct play_plan *plan, enum op op)
{
	bool to_come = p->more && (op == OP_READ || p->write);

	return p->latency && (plan->extent.ops[op] > 0 || to_come || (op == OP_SYNC && p->fsync_every > 0));
}

static bool takes_lag(const struct play_params *p)
{
	return p->timing != TIMING_NONE;
}

static bool takes_hits(const struct play_params *p, const struct play_plan *plan)
{
	return plan->hits != HITS_NONE && takes_latency(p, plan, OP_READ);
}

unsigned hists_count(const struct play_params *p, const struct play_plan *plan)
{
	unsigned n = (takes_lag(p) ? 1u : 0) + (takes_hits(p, plan) ? 2u : 0);

	for (enum op op = OP_READ; op < OP_COUNT; op++)
		n += takes_latency(p, plan, op);
	return n;
}

void hists_at(struct hists *out, const struct play_params *p, const struct play_plan *plan, struct hist *row)
{
	*out = (struct hists){.lag = NULL};
	for (enum op op = OP_READ; op < OP_COUNT; op++)
		if (takes_latency(p, plan, op))
			out->latency[op] = row++;
	if (takes_lag(p))
		out->lag = row++;
	if (takes_hits(p, plan)) {
		out->hit = row++;
		out->miss = row;
	}
}

static void merge(struct hist *whole, const struct hist *job)
{
	if (whole)
		hist_merge(whole, job);
}

void hists_merge(const struct hists *whole, const struct hists *job)
{
	for (enum op op = OP_READ; op < OP_COUNT; op++)
		merge(whole->latency[op], job->latency[op]);
	merge(whole->lag, job->lag);
	merge(whole->hit, job->hit);
	merge(whole->miss, job->miss);
}
