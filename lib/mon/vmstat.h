/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/vmstat: reading the text, and finding counters in it by exact name.
 *
 * A read(2) of a /proc file returns at most about a page, so the whole needs as many reads as it takes, each of
 * which shows a later instant; vmstat_read() says how many it took.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct vmstat {
	int fd;
	char *path;      /* for messages */
	char *buf;
	size_t size;     /* of buf; grows in open and, rarely, in read */
	size_t used;     /* bytes of the last reading */
	unsigned reads;  /* read calls that returned data in the last reading */
};

/*
 * Open DIR/vmstat (dir NULL: "/proc") and read it once. 0 or -errno with the text: cannot be opened, empty, no line of the form
 * "name number" in it.
 */
int vmstat_open(struct vmstat *v, const char *dir, struct fault *fault);
void vmstat_close(struct vmstat *v);

/* Read the whole anew. 0 or -errno (-ENODATA: it is empty now). Allocates only when the file has grown past what open foresaw. */
int vmstat_read(struct vmstat *v);

/* One line of the text: name not terminated. Lines that are not "name number" are passed over. */
struct vmstat_line {
	const char *name;
	size_t name_length;
	uint64_t value;   /* as unsigned 64 bits, exact; "-N" is kept as two's complement with negative set */
	bool negative;
	size_t next;      /* offset in the text of the line after it */
};

/* The first well-formed line at or after offset at. 1 and the line, or 0 at the end. Pure. */
int vmstat_next(const char *text, size_t n, size_t at, struct vmstat_line *out);

/*
 * Where names were found last time: offsets are tried first and the name is verified, so that a reading costs one
 * comparison a field while the layout stays, and is still right when lines move. The first of two lines with
 * one name counts. ids: caller's array of n results; found[i] false when the name is not there now.
 */
struct vmstat_want {
	const char *name;
	size_t name_length;
	size_t hint;      /* offset of its line in the last reading */
	uint64_t value;
	bool found;
};

/* Look up all n names in text; 0, or the number of names that are not there. Pure, allocates nothing. */
size_t vmstat_lookup(const char *text, size_t len, struct vmstat_want *want, size_t n);
