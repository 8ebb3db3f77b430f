/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report_time.h"

#include <inttypes.h>

#include "base/macro.h"
#include "run/verdict.h"

/* A clock that is off by less does not show in three digits. */
#define DRIFT_TOLD_PPB 500000

void report_hist(FILE *f, const char *what, const struct hist *h)
{
	static const struct {
		const char *name;
		uint32_t millionths;
	} part[] = {
	    {"p50", 500000}, {"p90", 900000}, {"p99", 990000}, {"p99.9", 999000}, {"p99.99", 999900},
	};

	fprintf(f, "%s count %" PRIu64 " min %" PRIu64 " mean %.0f stddev %.0f", what, h->count, h->count ? h->min : 0,
		hist_mean(h), hist_stddev(h));
	for (size_t i = 0; i < ARRAY_SIZE(part); i++)
		fprintf(f, " %s %" PRIu64, part[i].name, hist_percentile(h, part[i].millionths));
	fprintf(f, " max %" PRIu64 "\n", h->max);
}

void report_latency(FILE *f, const char *prefix, const struct play_result *result)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		const struct hist *h = result->op[op].latency;
		char what[64];

		if (!h || h->count == 0)
			continue;
		snprintf(what, sizeof(what), "%slatency_ns %s", prefix, op_name(op));
		report_hist(f, what, h);
	}
}

static uint64_t latencies(const struct play_result *result)
{
	uint64_t n = 0;

	for (enum op op = 0; op < OP_COUNT; op++)
		n += result->op[op].latency ? result->op[op].latency->count : 0;
	return n;
}

void report_clock(FILE *f, const struct play_result *result)
{
	uint64_t count = latencies(result);

	if (!result->clock)
		return;
	fprintf(f, "clock %s", result->clock);
	if (result->clock_why && result->clock_why[0])
		fprintf(f, " (%s)", result->clock_why);
	fputc('\n', f);
	if (result->clock_drift_ppb <= -DRIFT_TOLD_PPB || result->clock_drift_ppb >= DRIFT_TOLD_PPB)
		fprintf(f, "clock_drift_ppm %" PRId64 "\n", result->clock_drift_ppb / 1000);
	if (result->timed < count)
		fprintf(f, "latency_sampled %" PRIu64 " of %" PRIu64 "\n", result->timed, count);
}

void report_verdict(FILE *f, const struct play_result *result)
{
	char text[VERDICT_TEXT];

	if (!result->fidelity.lag)
		return;
	verdict_of(&result->fidelity, text);
	fprintf(f, "%s\n", text);
}

void report_fidelity(FILE *f, const struct play_result *result)
{
	const struct play_fidelity *fid = &result->fidelity;

	if (!fid->lag)
		return;
	fprintf(f, "stretch %.6f\n", verdict_stretch(fid));
	report_hist(f, "lag_ns", fid->lag);
	fprintf(f, "late %" PRIu64 "\ninversions %" PRIu64 "\nuntimed %" PRIu64 "\nskipped %" PRIu64 "\n", fid->late,
		fid->inversions, fid->untimed, fid->skipped);
	report_verdict(f, result);
}
