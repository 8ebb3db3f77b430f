/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: what the user asked to see, bound to the fields of this kernel.
 *
 * Specifications: NAME, NAME:raw, NAME:rate, NAME:delta, a glob ('pgscan_*', each match a column, in the
 * order of the file), 'sum(GLOB)' (one column under that text, the sum of the matches).
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
	char *title;              /* as printed: the name, or "sum(...)" */
	enum column_mode mode;    /* never COLUMN_AUTO */
	enum field_class class;
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
 * Add what spec names. text, len: a reading of the kernel's file. 0, or -errno with the text: empty or malformed
 * specification (-EINVAL), no such field (-ENOENT: with the nearest names and what became of it).
 */
int columns_add(struct columns *c, const char *spec, enum column_mode mode, const char *text, size_t len, struct fault *fault);
void columns_fini(struct columns *c);

/*
 * Values of all columns from one reading, values[c->count]. Sums wrap modulo 2^64. Returns 0, or the number of fields
 * that are missing now (their columns are marked in missing[], which may be NULL).
 */
size_t columns_values(struct columns *c, const char *text, size_t len, uint64_t *values, bool *missing);

/*
 * What a column shows between two readings: raw value, difference, or difference per second (elapsed in ns, > 0).
 * Differences are signed: modulo 2^64 as two's complement.
 */
double column_show(const struct column *c, uint64_t prev, uint64_t now, int64_t elapsed_ns);
