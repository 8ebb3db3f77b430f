/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of a reading, as rows show it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum stamp {
	STAMP_NONE,
	STAMP_ELAPSED,  /* seconds since the first reading */
	STAMP_ISO,      /* date and time of UTC (ISO 8601): 2026-11-30T14:25:03.123Z */
	STAMP_MONO      /* CLOCK_MONOTONIC in nanoseconds, which other programs can be asked for too */
};

#define STAMP_TEXT 40

/* Characters of a column for such times. */
int stamp_width(enum stamp kind);

/*
 * The text of moment when, of CLOCK_MONOTONIC, in buf of STAMP_TEXT bytes, not terminated; start: the first reading.
 * Seconds have so many decimals, 1 to 9, cut, so that no row shows a later time than its own. Returns the length; 0 for
 * STAMP_NONE. Allocates nothing.
 */
size_t stamp_text(char *buf, enum stamp kind, unsigned decimals, int64_t start, int64_t when);

/* Likewise the date and time of ns since 1970, from then on. Pure. */
size_t stamp_iso(char *buf, unsigned decimals, int64_t unix_ns);
