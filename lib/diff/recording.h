/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings: what vmmon and iotrace wrote, and what others write of /proc/vmstat, brought into one form that can be
 * compared: figures, each with a value for every run.
 *
 * A recording is one side of a comparison, read from as many files as it has. Their form is told by their content, and
 * they may be packed as traces may:
 *
 *   text   headings and rows of numbers, as vmmon prints them, also in the layout of 2009: the heading repeated, an
 *          empty line before it. Without times, rows are taken as a second apart. Another line with words in it is a
 *          mark, and begins a phase of that name. Numbers under a title without a mode are values as they are, unless
 *          a counter falls or a number is negative: then they are differences per second.
 *   csv    vmmon --csv: time, phase and fields, titles with :rate or :delta where they are no values.
 *   json   vmmon --json: a line about the recording, one for each row, a summary. Of repeated runs one of which has less than
 *          two rows in a phase, the readings at the marks are taken from the summary, and no rows.
 *   dumps  "time: EPOCH", then lines "name value" as in /proc/vmstat, over and over, as the monitors of mmtests and
 *          lkp-tests write them.
 *   report iotrace --json: an object for each run. Its phase is "play N", the Nth of the file.
 *
 * A counter in values is compared by its rate, everything else by its mean level. Of a phase, a counter in values or
 * differences has its total as well, from the summary of json, else from the rows. Times that go back begin a new run.
 *
 * Belongs to one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/stats.h"

/* What is read into memory at most, and what is kept of it. */
#define RECORDING_BYTES_MAX ((size_t)1 << 30)
#define RECORDING_COLUMNS_MAX 2048
#define RECORDING_PHASES_MAX 256
#define RECORDING_FIGURES_MAX 32768

enum figure_kind {
	FIGURE_LEVEL,
	FIGURE_RATE,
	FIGURE_DELTA,
	FIGURE_TOTAL,           /* of the phase; has no parts and no rows */
	FIGURE_LENGTH           /* of the phase, "elapsed"; likewise */
};

struct figure {
	char *phase;            /* "": all of it */
	char *name;
	enum figure_kind kind;
	const char *unit;       /* a constant; "" */
	double *run;            /* the value of each run that has one */
	size_t runs;
	size_t last_run;        /* of the recording, from 1, that gave the last value */
	double *part;           /* means of stretches within the runs, at most RECORDING_PARTS of each */
	size_t parts;
	struct stats rows;      /* of all rows; none in a report */
	double events;          /* what was counted in all runs; negative: not a count */
};

#define RECORDING_PARTS 10

/* What a recording says of its circumstances. */
struct fact {
	char *name, *text;
};

struct recording {
	const char *form;       /* "text", "csv", "json", "dumps", "report"; NULL: nothing read yet */
	struct figure *figure;  /* in the order of the files; of all rows before those of the phases */
	size_t figures;
	size_t last;            /* the figure found last */
	struct fact *fact;
	size_t facts;
	size_t runs, rows;
	size_t before;          /* runs of the files before this one */
	size_t mute;            /* in this file, runs or phases of a single row, of whose counters nothing is known */
	size_t mute_run;        /* the first of them: its number in the file, from 1 */
	char mute_phase[64];    /* "": the whole run; cut when too long */
	double play;            /* of the last report, as it numbers itself */
	unsigned plays;         /* how many there were in the file so far */
};

/* All zero is empty. */
void recording_fini(struct recording *r);

/*
 * Add what a file, or n bytes of memory, hold: at least one run. 0 or -errno, with the text (without the file's name),
 * and the line where there is one: -EINVAL for what is no recording, is damaged or is not of the form of what is there;
 * -EFBIG,
 * -ENOMEM, or what input_open() gives. A recording that failed can only be given up.
 */
int recording_read(struct recording *r, const char *path, struct fault *fault);
int recording_parse(struct recording *r, const char *text, size_t n, struct fault *fault);

/* NULL: none. */
const struct figure *recording_find(const struct recording *r, const char *phase, const char *name,
				    enum figure_kind kind);
