/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of one run of a recording, until they are brought into figures. Columns may come at any time: what was
 * before is missing there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "diff/recording.h"

enum rowset_mode {
	ROWSET_VALUE,
	ROWSET_RATE,
	ROWSET_DELTA,
	ROWSET_UNKNOWN   /* a value or a rate: the rows tell */
};

struct rowset_column {
	char *name;               /* without a mode */
	enum rowset_mode mode;
	bool counter;
	size_t first;             /* the first row that has a value */
	double *value;            /* of the rows from there; NaN: missing */
	size_t count, capacity;
};

struct rowset {
	struct recording *to;
	struct rowset_column *column;
	size_t columns;
	size_t last;              /* the column found last: the next is likely to be asked for next */
	char **phase_name;        /* the first is "", of rows without a phase */
	size_t phases;
	double *time;             /* seconds; NaN: unknown */
	unsigned *phase;
	size_t rows, capacity;
	double *scratch, *weight; /* of as many as there are rows */
	bool totals_known;        /* totals and lengths of phases are not to be taken from the rows */
};

/* All else zero. */
void rowset_fini(struct rowset *s);

/*
 * The column of that title, made if need be: NAME, or NAME:raw, :rate, :delta; without a mode it has the one given.
 * counter: -1 for what the name says. Its index, or -ENOMEM, -E2BIG.
 */
ssize_t rowset_column(struct rowset *s, const char *title, size_t n, enum rowset_mode mode, int counter);

/* Likewise. */
ssize_t rowset_phase(struct rowset *s, const char *name, size_t n);

/*
 * Begin a row, with all values missing; a time before that of the last row ends the run first. 0, -ENOMEM, -E2BIG or
 * -ERANGE.
 */
int rowset_row(struct rowset *s, double time, size_t phase);

/* Set a value of the row begun last. 0, -ENOMEM, or -ERANGE when it is too large. */
int rowset_set(struct rowset *s, size_t column, double value);

/*
 * Bring the rows into figures of the recording, as one run, and forget them; the columns and phases stay. 0 or -errno
 * as above. rowset_bring() leaves the run open for figures of the caller's, until rowset_close_run().
 */
int rowset_end_run(struct rowset *s);
int rowset_bring(struct rowset *s);
void rowset_close_run(struct rowset *s);
