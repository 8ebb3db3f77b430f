/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the columns of a table mean: the text of --csv-columns, of a header line, or of a published corpus.
 *
 * Column names, separated by commas: time offset length op file, and - for a column that is passed over. Behind a name
 * may stand ':' and a unit:
 *   time     s (default) ms us ns, or 100ns: whole numbers on any clock, such as Windows file times
 *   offset, length   a unit letter of base/units, or a number of bytes such as 512; default 1
 *   op       nothing: read write trim discard sync fsync flush datasync fdatasync or r w t s d, in any case;
 *            read0 or read1: this number is a read and the other of 0 and 1 a write;
 *            bit0: hex flags whose lowest bit says read
 * offset must be there. Without length each request is one page (4096 bytes), without op a read. file may stand twice:
 * both parts, joined by '_', are then the name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define LAYOUT_COLUMNS 64
#define LAYOUT_TICK 100 /* ns; the scale of time:100ns */

enum layout_op { LAYOUT_OP_WORDS, LAYOUT_OP_READ0, LAYOUT_OP_READ1, LAYOUT_OP_BIT0 };

struct layout {
	int time, offset, length, op, file, file2; /* number of the column, -1: none */
	int columns;				   /* last one with a meaning, + 1 */
	int unknown;				   /* columns of a header line whose names mean nothing */
	int64_t time_scale;			   /* ns */
	uint64_t offset_unit, length_unit;	   /* bytes */
	enum layout_op ops;
};

/* 0, or -EINVAL with a text. */
int layout_parse(const char *text, struct layout *out, struct fault *fault);

/*
 * The same for the cells of a header line, where a name that is not known is a column to be passed over. -EINVAL when
 * there is no offset.
 */
struct word;
int layout_of_header(const struct word *cells, int count, struct layout *out, struct fault *fault);
