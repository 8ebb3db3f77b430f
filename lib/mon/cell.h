/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a column shows: a number of one of three kinds, or nothing; and its text. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum cell_kind {
	CELL_NONE,      /* undefined: a field that is not there, a division by zero */
	CELL_UNSIGNED,  /* a value as the kernel gives it */
	CELL_SIGNED,    /* a difference */
	CELL_REAL       /* a rate, a formula, a value with a fraction; finite */
};

/* As decimals: as many as make four significant digits, at most nine. */
#define CELL_SIGNIFICANT UINT32_MAX

struct cell {
	enum cell_kind kind;
	union {
		uint64_t u;
		int64_t i;
		double real;
	};
	uint32_t decimals;  /* of CELL_REAL: how many the text has; a printer that wants more sets more */
};

#define CELL_TEXT 32 /* bytes of the longest text: sign, 20 digits, point, 9 decimals, terminator */

/*
 * The text in buf of CELL_TEXT bytes, terminated: decimal, "-" for CELL_NONE. Reals are rounded to the nearest, halves
 * away from zero; those beyond 64 bits print the nearest number of 64 bits. Returns its length.
 */
size_t cell_text(char *buf, const struct cell *c);

/* The number as a double; 0 for CELL_NONE. */
double cell_number(const struct cell *c);
