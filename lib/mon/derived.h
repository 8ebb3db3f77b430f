/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns with names of ours: THE table of formulas worth a name. */
#pragma once

#include <stddef.h>

struct derived {
	const char *name;
	const char *unit;     /* "percent", "s", ...; "1" for a ratio */
	const char *formula;  /* mon/formula.h */
	double most;          /* a value above it, or below zero, is undefined; 0: no limit */
	const char *meaning;  /* a phrase */
};

extern const struct derived derived_columns[];
extern const size_t derived_count;

/* NULL: none. */
const struct derived *derived_find(const char *name);
