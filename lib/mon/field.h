/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of vmstat fields: gauge or counter, unit, and what became of old names.
 *
 * The class follows a rule, so it is valid for names that no table has heard of: nr_* is a gauge, everything else a
 * counter, with the exceptions listed in field.c. The rule was checked against mm/vmstat.c of Linux 2.6.3x to 6.18.
 */
#pragma once

#include <stddef.h>

#include "base/fault.h"

enum field_class {
	FIELD_GAUGE,    /* an amount: may fall */
	FIELD_COUNTER,  /* events since boot: never falls */
	FIELD_CONSTANT  /* the same for as long as the machine runs */
};

enum field_class field_class_of(const char *name);

/* "gauge", "counter", "constant". */
const char *field_class_name(enum field_class c);

/* What one step of the number is: "pages", "KiB", "huge pages", "nodes", "events". */
const char *field_unit(const char *name);

/*
 * What became of a name (or a glob) of older or newer kernels, a phrase without a full stop; NULL when nothing is known.
 */
const char *field_history(const char *name);

/*
 * Edits (insert, delete, replace, swap neighbours) between two names. Names over 63 bytes count as entirely different.
 */
unsigned field_distance(const char *a, const char *b);

/*
 * The fault for a name that the text of a vmstat file lacks: the name, what became of it, and up to three names of the
 * text that are near. Returns -ENOENT.
 */
int field_unknown(const char *name, const char *text, size_t len, struct fault *fault);
