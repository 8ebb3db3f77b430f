/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an importer of one format is, and what import.c does for it. Private to lib/import.
 *
 * A text format has line(): it is given each line once, makes requests of it by import_emit(), and returns
 *   1        a line of this format, with or without a request;
 *   0        nothing of this format, but to be expected in such a log (a comment, a summary, a blank line);
 *   -EINVAL  neither; import_bad() has said why. What was emitted for this line before stays.
 *   other    -errno, import_fail() has said why, and the import ends.
 * At most IMPORT_BATCH_MIN requests may come of a line. A binary format has read() instead: the same for one record,
 * with -ENODATA at the end of the input.
 */
#pragma once

#include "import/feed.h"
#include "import/import.h"
#include "import/names.h"

struct importer {
	const char *name;
	const char *help;
	size_t state_size;
	/* Prepare the zeroed state; may be NULL. 0 or -errno with the text. */
	int (*open)(struct import *imp, struct fault *fault);
	int (*line)(struct import *imp, const char *s, size_t n);
	int (*read)(struct import *imp);
	/* After the last line; may be NULL. As line(). */
	int (*end)(struct import *imp);
	void (*close)(struct import *imp); /* may be NULL */
	/* Binary formats: do these first bytes belong to it? */
	bool (*magic)(const void *head, size_t n);
	const char *nothing; /* what to say when not one line was of this format */
	bool comments;	     /* lines that begin with # are comments */
};

extern const struct importer import_fio, import_blkparse, import_blktrace, import_strace, import_ftrace, import_spc,
    import_msr, import_alibaba, import_tencent, import_systor, import_disksim, import_fiu, import_csv;

/* The importer of a format, NULL for a name that is none. */
const struct importer *import_kind(const char *name);

#define IMPORT_NOTES 16

struct import {
	const struct importer *kind;
	void *state; /* of the importer */
	struct import_options opt;
	const char *path; /* as opened; NULL: none */
	struct feed feed;
	struct names names;
	struct trace *t; /* of the import_read() that runs */
	struct import_summary sum;
	struct fault bad;	     /* of the last line */
	uint64_t understood;	     /* lines of this format */
	int64_t first, last, latest; /* times: of the first request, of the last, the largest */
	int64_t earliest;
	bool ended;
	bool fatal;	  /* import_fail() was called */
	int error;	  /* that ended it */
	uint64_t clipped; /* times before the first */
	struct {
		const char *text;
		uint64_t count;
	} note[IMPORT_NOTES];
};

/*
 * A request of file id (of names_id()) at time ns, which may be on any clock, or TIME_NONE. Counts it, drops it when
 * its op or its file is not wanted. 0, or what line() may return.
 */
int import_emit(struct import *imp, enum op op, uint64_t offset, uint64_t length, int64_t time, uint32_t id);

/* The id of a file. 0, or what line() may return. */
int import_file(struct import *imp, const char *name, size_t length, uint32_t *id);

/* Is anything of this file wanted? */
bool import_wants(struct import *imp, uint32_t id);

/* This line cannot be understood. Returns -EINVAL. */
int import_bad(struct import *imp, const char *fmt, ...) _printf_(2, 3);

/* The same for a token: "WHAT 'TOKEN': WHY". */
int import_bad_token(struct import *imp, const char *what, const char *s, size_t n, const char *why);

/* The import cannot go on. Returns err. */
int import_fail(struct import *imp, int err, const char *fmt, ...) _printf_(3, 4);

/* feed_need() for a binary format: its failure ends the import. 0 or -errno. */
int import_need(struct import *imp, struct feed *f, size_t n);

/*
 * Count something that is told at the end as "COUNT TEXT". text: a constant, compared by its address, in which
 * {ONE|MANY} is ONE if the count is 1, and else MANY.
 */
void import_note(struct import *imp, const char *text);

/* The same, count times. */
void import_notes(struct import *imp, const char *text, uint64_t count);

/* A number of sectors of 512 bytes, as bytes. 0 or -EINVAL, import_bad() said. */
int import_sectors(struct import *imp, const char *what, const char *s, size_t n, uint64_t *bytes);

/* A count in its own words: units_count() with import_bad_token(). */
int import_count(struct import *imp, const char *what, const char *s, size_t n, uint64_t *value);

/* A time without a unit: units_time() with import_bad_token(). */
int import_time(struct import *imp, const char *s, size_t n, int64_t scale, int64_t *ns);
