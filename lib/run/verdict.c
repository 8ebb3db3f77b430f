/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/verdict.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/hist.h"

#define P99 990000

/* At least two digits, in a unit that people read. Returns buf. */
static const char *time_text(char *buf, size_t cap, int64_t ns)
{
	if (ns < 10 * NS_PER_USEC)
		snprintf(buf, cap, "%" PRId64 " ns", ns);
	else if (ns < 10 * NS_PER_MSEC)
		snprintf(buf, cap, "%" PRId64 " us", (ns + NS_PER_USEC / 2) / NS_PER_USEC);
	else if (ns < 10 * NS_PER_SEC)
		snprintf(buf, cap, "%" PRId64 " ms", (ns + NS_PER_MSEC / 2) / NS_PER_MSEC);
	else
		snprintf(buf, cap, "%" PRId64 " s", (ns + NS_PER_SEC / 2) / NS_PER_SEC);
	return buf;
}

double verdict_stretch(const struct play_fidelity *f)
{
	return f->due_ns > 0 ? (double)f->issue_ns / (double)f->due_ns : 1;
}

/* The text grows; what no longer fits is left out. */
static void add(char *text, size_t *used, const char *what)
{
	int n = snprintf(text + *used, VERDICT_TEXT - *used, "%s", what);

	*used = MIN(*used + (size_t)MAX(n, 0), (size_t)VERDICT_TEXT - 1);
}

bool verdict_of(const struct play_fidelity *f, char *text)
{
	uint64_t issued = f->lag ? f->lag->count : 0;
	int64_t p99 = f->lag ? (int64_t)hist_percentile(f->lag, P99) : 0, over = f->issue_ns - f->due_ns;
	bool mean = f->median_gap_ns == 0 && issued > 1;
	int64_t gap = mean ? f->due_ns / (int64_t)(issued - 1) : f->median_gap_ns;
	/* A single request, or all of them due at once: there is no gap to lose. */
	bool late = gap > 0 && p99 >= gap, stretched = over > NS_PER_MSEC && over > f->due_ns / 100;
	char part[160], lag[32], gap_text[32];
	size_t used = 0;

	if (issued == 0) {
		snprintf(text, VERDICT_TEXT, "timing unknown: no request was timed");
		if (f->skipped)
			snprintf(text, VERDICT_TEXT, "timing unknown: no request was timed, %" PRIu64 " never issued",
				 f->skipped);
		return false;
	}
	add(text, &used, late || stretched ? "timing lost: " : "timing valid: ");
	snprintf(part, sizeof(part), "p99 lag %s, %s gap %s", time_text(lag, sizeof(lag), p99),
		 mean ? "mean" : "median", time_text(gap_text, sizeof(gap_text), gap));
	add(text, &used, part);
	if (late || stretched) {
		snprintf(part, sizeof(part), ", %" PRIu64 " of %" PRIu64 " requests late by more than that", f->late,
			 issued);
		add(text, &used, part);
	}
	if (stretched) {
		snprintf(part, sizeof(part), ", the whole took %.4f times as long as it should", verdict_stretch(f));
		add(text, &used, part);
	}
	if (f->untimed) {
		snprintf(part, sizeof(part), ", %" PRIu64 " without a time", f->untimed);
		add(text, &used, part);
	}
	if (f->inversions) {
		snprintf(part, sizeof(part), ", %" PRIu64 " earlier than one in front", f->inversions);
		add(text, &used, part);
	}
	if (f->skipped) {
		snprintf(part, sizeof(part), ", %" PRIu64 " never issued", f->skipped);
		add(text, &used, part);
	}
	return !late && !stretched;
}
