/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers with units, as users and trace files write them. THE table of unit letters is units.c.
 *
 * Sizes:   digits and at most one letter of b k m g t p, either case: 1, 2^10, 2^20, 2^30, 2^40 and 4096
 *          bytes (p = a page of 4096 bytes, everywhere). No letter: the unit the caller gives. Decimal
 *          always (leading zeros too). Signs, fractions, exponents, hex, separators and blanks are refused.
 * Counts:  digits only.
 * Times:   digits, at most nine decimals behind a '.', and a unit s ms us ns; result in nanoseconds.
 *
 * All work on n bytes that need no terminator, none looks at the locale. They return 0, -EINVAL (not of
 * that form) or -ERANGE (over the type or the stated limit), and then set *why to a constant phrase such
 * as "not a number", "unknown unit", "does not fit into 63 bits".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define UNITS_MAX INT64_MAX /* largest size in bytes: a file offset */

/* log2 of the bytes of a unit letter (either case), or -1. */
int units_shift(char letter);

/* The letter of a unit of 2^shift bytes, '\0' when there is none. */
char units_letter(unsigned shift);

/* A size in bytes, at most UNITS_MAX; shift: unit of a number without a letter. */
int units_bytes(const char *s, size_t n, unsigned shift, uint64_t *bytes, const char **why);

/* The same, with a '-' allowed in front (for --skip). */
int units_bytes_signed(const char *s, size_t n, unsigned shift, int64_t *bytes, const char **why);

/* A count, 0..UINT64_MAX. */
int units_count(const char *s, size_t n, uint64_t *count, const char **why);

/*
 * A time in nanoseconds, 0..INT64_MAX; scale: nanoseconds of a number without a unit (1000000000 for
 * seconds, 1000000 for milliseconds). More decimals than the unit has nanoseconds are refused, not rounded.
 */
int units_time(const char *s, size_t n, int64_t scale, int64_t *ns, const char **why);

/* A plain decimal fraction such as 0.75 or 1.2 (distribution parameters), 0..1e15. */
int units_fraction(const char *s, size_t n, double *value, const char **why);

/*
 * A number as programs write it: digits with a sign, decimals and an exponent if need be (-12.5e-3); the range of
 * double. Exact to the last bit or nearly so.
 */
int units_real(const char *s, size_t n, double *value, const char **why);

/* A factor such as 0.5 or 3, with at most nine decimals, in billionths; exact. */
int units_billionths(const char *s, size_t n, uint64_t *billionths, const char **why);

/*
 * Write bytes with a letter, always: the preferred unit when it divides bytes, else the largest that does (450560
 * is "110p" under PAGE_SHIFT, "450560b" under 0 and "440k" under any other). Returns the length written,
 * without a terminator; buf must hold UNITS_TEXT bytes, which may all be overwritten.
 */
#define UNITS_TEXT 24
size_t units_print(char *buf, uint64_t bytes, unsigned preferred_shift);

/* Write a number in digits only; the rest as above. */
size_t units_print_count(char *buf, uint64_t v);
