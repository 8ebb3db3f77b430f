/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns: what the user asked to see, bound to the fields of this kernel.
 *
 * Specifications:
 *   NAME        one field: of /proc/vmstat (or where plain names are looked for), or with the prefix of another source
 *               (mon/source.h): node:0:nr_dirty, pressure:io:some:total
 *   GLOB        each match a column, in the order of the file; names and instances may be globs: 'pgscan_*',
 *               'disk:sd*:reads'. Globs are those of fnmatch(3), instances those of glob(7)
 *   sum(GLOB)   one column under that text, the sum of the matches
 *   DERIVED     a name of mon/derived.h
 *   NAME=FORMULA  a formula of the user's own (mon/formula.h): counters are their difference over the interval, gauges
 *               and constants their value at its end; a field in it may have a mode too
 *   ?SPEC       any of these; a column that shows nothing when the fields are not there
 *
 * Fields have :raw, :rate, :delta or :auto behind them, which then stands in the title too. Names match exactly. A
 * name that this kernel counts in parts (field_alias()) is their sum.
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
#include "mon/formula.h"
#include "mon/sample.h"
#include "mon/sources.h"

enum column_mode {
	COLUMN_RATE,   /* difference per second */
	COLUMN_RAW,    /* the value */
	COLUMN_DELTA,  /* difference since the last row */
	COLUMN_AUTO    /* raw for gauges and constants, rate for counters: resolved when a column is added */
};

struct column {
	char *title;              /* as printed: the name, and the mode when the user wrote one */
	char *name;               /* without the mode */
	const char *unit;         /* of the value, a constant: "pages", "KiB", "events", ...; "1" for a ratio */
	enum column_mode mode;    /* never COLUMN_AUTO; COLUMN_RAW for a formula */
	enum field_class class;   /* a sum of gauges and constants is a gauge; FIELD_DERIVED: a formula */
	size_t term;              /* what it shows, in columns->term; not of a formula */
	struct formula formula;   /* over terms */
	double most;              /* of a formula: a value above it or below zero is undefined; 0: no limit */
	const char *alias;        /* the glob that stands for the name on this kernel, a constant; NULL: none */
};

/* A field of a source. */
struct operand {
	char *name;               /* as a column of its own would have it */
	size_t source;            /* in columns->sources */
	size_t want;              /* in the source */
	enum field_class class;
	enum field_fresh fresh;
	const char *unit;
	uint32_t divisor, decimals;
	bool narrow;              /* begins anew at 2^32 */
};

/* A number of a reading: a field, or a sum of fields. */
struct term {
	size_t first, count;      /* in columns->operand; none: a field that is not there */
	enum field_class class;
	enum column_mode mode;    /* in formulas */
	uint32_t decimals;        /* it is in steps of 10^-decimals */
	bool narrow;              /* one of its fields begins anew at 2^32 */
};

struct columns {
	struct column *column;
	size_t count;
	struct term *term;
	size_t term_count;        /* values of a reading (struct sample): not the same as the number of columns */
	struct operand *operand;
	size_t operand_count;
	struct sources sources;
};

/* Nothing is asked for yet. As sources_init(). All zero has nothing to be released. */
int columns_init(struct columns *c, const struct sources_params *p, struct fault *fault);
void columns_fini(struct columns *c);

/*
 * Add what spec names; mode holds unless the spec has its own. Opens the sources it needs. 0, or -errno with the text,
 * and c as before but for these:
 *   -EINVAL  empty or malformed specification, no such field or instance (with the nearest names and what became of it)
 *   others   no memory; a file that cannot be read, which the text names
 */
int columns_add(struct columns *c, const char *spec, enum column_mode mode, struct fault *fault);

/*
 * Values of the last reading (sources_read() of c->sources, or what opening a source has read): values[c->term_count],
 * and which of them are not there in missing[c->term_count]; they have the sum of what is there. Returns the number of
 * fields that are not there. Sums wrap modulo 2^64. Allocates nothing.
 */
size_t columns_values(const struct columns *c, uint64_t *values, bool *missing);

/*
 * What column i shows at now, in its own mode: the one function that every printer asks. prev is the sample before it,
 * or the begin of a phase for what it shows over the whole phase.
 */
struct cell columns_cell(const struct columns *c, size_t i, const struct sample *prev, const struct sample *now);

/*
 * The same in another mode (not COLUMN_AUTO):
 *   COLUMN_RAW    the value at now; prev may be NULL. Of a formula its value over prev to now, CELL_NONE without prev.
 *   COLUMN_DELTA  now less prev (CELL_SIGNED, modulo 2^64: a gauge may fall); CELL_NONE for a formula. A counter of 32 bits that
 *                 falls by more than half of them has passed their end.
 *   COLUMN_RATE   the same per second (CELL_REAL, no decimals); CELL_NONE for a formula, or when no time has passed.
 * CELL_NONE when a field it needs was not there, now or (but for COLUMN_RAW of a field) at prev.
 */
struct cell columns_cell_as(const struct columns *c, size_t i, enum column_mode mode, const struct sample *prev,
			    const struct sample *now);
