/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/vmstat and files like it: reading the text, and finding numbers in it by exact name.
 *
 * A read(2) of a /proc file returns at most about a page, so the whole needs as many reads as it takes, for each of
 * which the kernel gathers all numbers anew: it shows a later instant, and costs as much as the first.
 *
 * A line counts when it is "name number": a name without blanks at the start of the line, blanks or tabs, a decimal
 * number of 64 bits, and perhaps " kB" as /proc/meminfo has it. All others (no number, words, a number without a name
 * as Linux 4.17 prints one, more than 64 bits) are passed over, and so is a carriage return at the end. The last line
 * may lack its newline.
 *
 * A struct vmstat belongs to one thread at a time.
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
	size_t size;     /* of buf; far larger than any kernel's file, so that it grows only on strange input */
	size_t used;     /* bytes of the last reading */
	unsigned reads;  /* read calls that returned data in the last reading */
};

/*
 * Open DIR/vmstat (dir NULL: "/proc") and read it once. 0 or -errno with the text, which names the file: cannot be
 * opened or read, no line of the form "name number" in it (-ENODATA).
 */
int vmstat_open(struct vmstat *v, const char *dir, struct fault *fault);

/* The same with any path and any content. 0 or -errno with the text, which names the file. */
int vmstat_open_file(struct vmstat *v, const char *path, struct fault *fault);
void vmstat_close(struct vmstat *v);

/*
 * Read the whole anew. 0 or -errno: -ENODATA when it is empty now, -EFBIG past 16 MiB, what pread(2) gives. Allocates
 * only when the file has grown past size.
 */
int vmstat_read(struct vmstat *v);

/*
 * The same in steps: begin anew, then one read(2) a call. 1 when more may follow, and then the last line may be cut; 0
 * at the end; -errno as above.
 */
void vmstat_rewind(struct vmstat *v);
int vmstat_read_on(struct vmstat *v);

/* One line of the text: name not terminated. */
struct vmstat_line {
	const char *name;
	size_t name_length;
	uint64_t value;
	size_t start;     /* offset of the line in the text */
	size_t next;      /* offset of the line after it */
};

/*
 * The first well-formed line at or after offset at, which is the start of a line. 1 and the line, or 0 at the end.
 * Pure.
 */
int vmstat_next(const char *text, size_t n, size_t at, struct vmstat_line *out);

/*
 * A name to look up. The hint (where its line began last time; 0 at first) is tried first and the name verified, so
 * that a reading costs one comparison a field while the layout stays, and is right when lines move.
 */
struct vmstat_want {
	const char *name;    /* not empty */
	size_t name_length;
	size_t hint;
	uint64_t value;      /* 0 when not found */
	bool found;
};

/*
 * Look up all n names in the text; the number of names that are not there. Of two lines with one name the first counts
 * (some kernels printed a name twice), unless the hint still holds. Allocates nothing.
 */
size_t vmstat_lookup(const char *text, size_t len, struct vmstat_want *want, size_t n);

/* Whether a line has that name, whatever its value is. Pure. */
bool vmstat_names(const char *text, size_t len, const char *name, size_t name_length);
