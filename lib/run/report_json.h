/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report for programs: one JSON object a play on a line of its own, so that a file of several plays is JSON lines.
 * Its members are described in iotrace(1), JSON OUTPUT; times are integers in ns and sizes in bytes.
 */
#pragma once

#include <stdint.h>

#include "mon/vmstat.h"
#include "run/json.h"
#include "run/report.h"
#include "run/runs.h"

/* What belongs to the document and to no other report. */
struct report_run {
	unsigned play;                /* of the command line, from 1 */
	uint64_t run, runs;           /* of --repeat, from 1 */
	int64_t start_unix_ns;        /* CLOCK_REALTIME before the play */
	const struct vmstat *begin;   /* read then, */
	const struct vmstat *end;     /* and after it; both NULL: not read */
	struct runs *summary;         /* of all runs, in the last one's; NULL: none */
};

void report_json(struct json *j, const struct report *r, const struct play_result *result, const struct report_run *run);

/* A histogram, with its buckets or without. */
void report_hist_json(struct json *j, const char *key, const struct hist *h, bool buckets);
