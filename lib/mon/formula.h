/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formulas over fields:
 *
 *   formula  = product { ("+" | "-") product }
 *   product  = factor { ("*" | "/") factor }
 *   factor   = NUMBER | NAME | STRING | "sum(" GLOB ")" | "(" formula ")" | "-" factor
 *   NUMBER   = digits [ "." digits ]
 *   NAME     = a letter or "_", then letters, digits, "_", ":" and "."
 *   STRING   = """ a field whose name has other characters """
 *   GLOB     = anything but ")", as for a column
 *
 * with blanks between them. The names "seconds" (the length of the interval) and "page_size" (of the kernel, in bytes)
 * are no fields. "*" and "/" bind closer than "+" and "-", and those of one rank are taken from left to right.
 *
 * What a field means is its owner's: vmmon takes the difference over the interval for counters, the value at its end
 * for gauges. A result is undefined when a field is not there or a division is by zero. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct formula_op {
	enum {
		FORMULA_NUMBER,
		FORMULA_FIELD,
		FORMULA_SECONDS,
		FORMULA_ADD,
		FORMULA_SUBTRACT,
		FORMULA_MULTIPLY,
		FORMULA_DIVIDE,
		FORMULA_NEGATE
	} kind;
	double number;
	size_t field;        /* what resolve() gave */
};

/* In the order of evaluation; all zero is none. */
struct formula {
	struct formula_op *op;
	size_t count;
};

/* The deepest nesting. */
#define FORMULA_DEPTH 32

/* A field by its text, "sum(...)" included, n bytes. 0 and *field, or -errno with the text. */
typedef int formula_resolve(void *ctx, const char *text, size_t n, size_t *field, struct fault *fault);

/* 0, or -errno: -EINVAL with the text, which says at which character; -ENOMEM; what resolve() gives. */
int formula_parse(struct formula *f, const char *text, formula_resolve *resolve, void *ctx, struct fault *fault);
void formula_fini(struct formula *f);

/* The number of a field; false: it is not there. */
typedef bool formula_number(void *ctx, size_t field, double *out);

/* True and a finite *out, or false: undefined. Allocates nothing. */
bool formula_value(const struct formula *f, double seconds, formula_number *number, void *ctx, double *out);
