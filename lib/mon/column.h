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
#include "mon/field.h"
#include "mon/vmstat.h"

enum column_mode {
	COLUMN_RATE,   /* difference per second */
	COLUMN_RAW,    /* the value */
	COLUMN_DELTA,  /* difference since the last row */
	COLUMN_AUTO    /* raw for gauges and constants, rate for counters: resolved when a column is added */
};

struct column {
	char *title;              /* as printed */
	enum column_mode mode;    /* never COLUMN_AUTO */
	enum field_class class;   /* a sum is a gauge when all its fields are gauges or constants */
	size_t first_want;        /* its fields in columns->want */
	size_t want_count;
};

struct columns {
	struct column *column;
	size_t count;
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
 * Values of all columns from one reading, values[c->count]. Sums wrap modulo 2^64. Returns the number of fields that are
 * not there now; their columns are marked in missing[c->count] and have the sum of what is there. Allocates nothing.
 */
size_t columns_values(struct columns *c, const char *text, size_t len, uint64_t *values, bool *missing);

/* The difference of two values of a column, modulo 2^64 as two's complement: a gauge may fall. */
static inline int64_t column_difference(uint64_t prev, uint64_t now)
{
	return (int64_t)(now - prev);
}

/* Difference per second; elapsed_ns > 0. */
static inline double column_rate(uint64_t prev, uint64_t now, int64_t elapsed_ns)
{
	return (double)column_difference(prev, now) * 1e9 / (double)elapsed_ns;
}
