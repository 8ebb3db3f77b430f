/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording of samples as it is written: text for people (mon/row.h), or one of two forms for programs. Nothing is
 * allocated for a row, but when one is longer than OUTFILE_BUF.
 *
 * CSV: RFC 4180, but lines end with a line feed alone. The first line has the names of the columns: "time" (seconds
 * since the first reading, unless another stamp is asked for), "phase" (empty outside of runs), "run" when there are
 * several, and for each field NAME where the column shows values, NAME:rate and NAME:delta where it shows differences.
 * A field is empty where it is undefined. Nothing else follows.
 *
 * JSON: an object a line. First
 * {"vmmon":VERSION,"command":..,"kernel":..,"start":"2026-11-30T14:25:03.123Z","interval_ns":N,
 * "fields":[{"name":..,"class":..,"unit":..,"mode":..}]}; then each row as
 * {"time_ns":N,"mono_ns":N,"run":N,"phase":..,"values":{NAME: number or null}}, values always as they are, whatever the
 * mode; last, {"summary":{..}} of record_end().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/outfile.h"
#include "mon/column.h"
#include "mon/row.h"
#include "mon/sampler.h"
#include "run/json.h"

enum record_form { RECORD_TEXT, RECORD_CSV, RECORD_JSON };

/* What the head of a recording says of it; borrowed. */
struct record_about {
	const char *command;     /* the words of the command line */
	int64_t interval_ns;
	bool repeats;            /* there are several runs */
};

struct record {
	enum record_form form;
	enum stamp time;
	const struct columns *columns;
	struct record_about about;
	struct row row;          /* of text */
	struct outfile out;      /* of the others, in memory */
	struct json json;
	bool *again;             /* of each column: an earlier one shows the same field */
	const char *text;        /* what was made last */
	size_t length;
	int error;               /* the making failed, -errno */
};

/* The columns must stay as they are. 0 or -ENOMEM. */
int record_init(struct record *r, enum record_form form, enum stamp time, const struct columns *c,
		const struct record_about *about);
void record_fini(struct record *r);

/*
 * Make the head: what stands before the rows, or the heading of text. start: as below, of a sampling not begun the time
 * now.
 */
void record_head(struct record *r, int64_t start);

/* Make a row. start: the first reading. */
void record_row(struct record *r, int64_t start, const struct sample *prev, const struct sample *now);

/*
 * Make the end, empty but for JSON: "phases", in order of time, each
 * {"run","phase","from","to","begin_ns","end_ns","ticks","values"} with, by name, {"begin","end","difference","rate"}
 * (null as phase_rate()); "repeat", under repeats, for each phase {"phase","runs","values"} with
 * {"mean","stddev","percent"} of the differences, null where none was defined; and "rows", "missed", "late_max_ns",
 * "torn", "lacking", "faults", "locked" as struct sampler_stats.
 */
void record_end(struct record *r, int64_t start, const struct mark *first, bool repeats, const struct sampler_stats *stats);
