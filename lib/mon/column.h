/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: what the user asked to see, bound to the fields of this kernel.
 *
 * Specifications: NAME, a glob ('pgscan_*': each match a column, in the order of the file), 'sum(GLOB)' (one
 * column under that text, the sum of the matches); each with :raw, :rate, :delta or :auto behind it, which then stands
 * in the title too. Names match exactly. Globs are those of fnmatch(3).
 *
 * A struct columns belongs to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/cell.h"
#include "mon/field.h"
#include "mon/sample.h"
#include "mon/vmstat.h"

enum column_mode {
	COLUMN_RATE,   /* difference per second */
	COLUMN_RAW,    /* the value */
	COLUMN_DELTA,  /* difference since the last row */
	COLUMN_AUTO    /* raw for gauges and constants, rate for counters: resolved when a column is added */
};

struct column {
	char *title;              /* as printed: the name, and the mode when the user wrote one */
	char *name;               /* without the mode */
	const char *unit;         /* of the value, a constant: "pages", "KiB", "events", ... */
	enum column_mode mode;    /* never COLUMN_AUTO */
	enum field_class class;   /* a sum is a gauge when all its fields are gauges or constants */
	size_t term;              /* what it shows, in columns->term */
};

/* A number of a reading: a field, or a sum of fields. */
struct term {
	size_t first_want;        /* its fields in columns->want */
	size_t want_count;
};

struct columns {
	struct column *column;
	size_t count;
	struct term *term;
	size_t term_count;        /* values of a reading (struct sample): not the same as the number of columns */
	struct vmstat_want *want; /* names owned */
	size_t want_count;
};

/*
 * Add what spec names; mode holds unless the spec has its own. text, len: a reading of the kernel's file. 0, or -errno with the
 * text, and c as before: empty or malformed specification (-EINVAL), no such field (-ENOENT: with the nearest names and what
 * became of it), -ENOMEM. A struct columns of zeros is empty.
 */
int columns_add(struct columns *c, const char *spec, enum column_mode mode, const char *text, size_t len,
		struct fault *fault);
void columns_fini(struct columns *c);

/*
 * The values of one reading, values[c->term_count]. Sums wrap modulo 2^64. Returns the number of fields that are
 * not there now; their terms are marked in missing[c->term_count] and have the sum of what is there. Allocates nothing.
 */
size_t columns_values(struct columns *c, const char *text, size_t len, uint64_t *values, bool *missing);

/*
 * What column i shows at now, in its own mode: the one function that every printer asks. prev is the sample before it, or
 * the begin of a phase for what it shows over the whole phase.
 */
struct cell columns_cell(const struct columns *c, size_t i, const struct sample *prev, const struct sample *now);

/*
 * The same in another mode (not COLUMN_AUTO):
 *   COLUMN_RAW    the value at now; prev may be NULL. Of a formula its value over prev to now, CELL_NONE without prev.
 *   COLUMN_DELTA  now less prev (CELL_SIGNED, modulo 2^64: a gauge may fall); CELL_NONE for a formula.
 *   COLUMN_RATE   the same per second (CELL_REAL, no decimals); CELL_NONE for a formula, or when no time has passed.
 * CELL_NONE when a field it needs was not there, now or (but for COLUMN_RAW of a field) at prev.
 */
struct cell columns_cell_as(const struct columns *c, size_t i, enum column_mode mode, const struct sample *prev,
			    const struct sample *now);
