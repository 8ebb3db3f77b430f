/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign traces: what other tools write, read as requests.
 *
 * An import is a stream: it reads its input once, from the beginning, and appends requests to a trace. Memory does not
 * grow with the input (what has to be remembered, such as open files, is bounded and an error above the bound).
 * Nothing is guessed: a line that is no line of the format is an error with its number, unless lenient; what a format
 * holds beside requests is counted, and told in remarks.
 *
 * Offsets and lengths become bytes. Times become nanoseconds since the first request that came in, in the order of the
 * input; one that lies before the first is set to 0. Each file, disk or volume of the log that has requests gets a
 * number and a name in the trace ("#file N NAME"); the column of files exists from the second on.
 *
 * An import belongs to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "trace/input.h"
#include "trace/trace.h"

/* The name of format i and one line about it; NULL past the last. "auto" is not among them. */
const char *import_format(size_t i, const char **help);

struct import_options {
	const char *format; /* a name of import_format(), or "auto": by content */
	const char *path;   /* only files whose name matches this glob (ftrace: or is this file); NULL: all */
	const char *event; /* blkparse, blktrace: "Q", "D", "C" (NULL: Q); ftrace: of "add,get,map,fault" (NULL: all) */
	const char *csv_columns; /* csv: see import_csv in iotrace.1; NULL: by its header line */
	bool by_inode;
	uint64_t inode; /* ftrace: only this inode */
	bool lenient;	/* count what cannot be understood, and go on */
	unsigned ops;	/* 1 << op for each that is wanted; 0: reads and writes */
	/*
	 * For a thread of its own (borrowed; NULL: not so): import_read() returns less than max when nothing more
	 * waits, and -ECANCELED once this is true, see input.h.
	 */
	const atomic_bool *live;
	bool settles;	/* import_settle() will be called: times before the first stay what they are until then */
};

#define IMPORT_OPS_DEFAULT (1u << OP_READ | 1u << OP_WRITE)
#define IMPORT_OPS_ALL ((1u << OP_COUNT) - 1)

/*
 * Check options without touching a file: 0, or -EINVAL with a text that names the option (format, --event,
 * --csv-columns).
 */
int import_check(const struct import_options *o, struct fault *fault);

/*
 * Take the inode of the options from a text: decimal, as ls -i shows it, or 0x and hex, as ftrace shows it without the
 * 0x. 0 or -EINVAL with the text.
 */
int import_inode(struct import_options *o, const char *text, struct fault *fault);

struct import;

/*
 * Begin. path: "-" is standard input; for blktrace also the common beginning of NAME.blktrace.0, NAME.blktrace.1...
 * Texts in the options are borrowed for the life of the import. 0, or -errno with the text: -EINVAL for options, for
 * input that "auto" does not recognise, and for UTF-16; another of input_open().
 */
int import_open(struct import **out, const char *path, const struct import_options *o, struct fault *fault);

/* The same from an input, which is taken, also when this fails. */
int import_open_input(struct import **out, struct input *in, const struct import_options *o, struct fault *fault);

/*
 * Append up to max (at least IMPORT_BATCH_MIN) requests. Returns how many, 0 at the end, or -errno with the text and,
 * for a text format, the line: -EINVAL bad input, -EINTR when stop_signal() was set, -ENOMEM, another of input_read().
 * After a negative return the import can only be asked and freed; requests before it have been appended.
 */
#define IMPORT_BATCH_MIN 2
ssize_t import_read(struct import *imp, struct trace *t, size_t max, struct fault *fault);

/*
 * After the end of an import that settles, whose requests are those of t from number from on: let the earliest be at 0.
 * Without it times before the first became 0. 0, or -EINVAL with the text when the times lie too far apart.
 */
int import_settle(const struct import *imp, struct trace *t, size_t from, struct fault *fault);

/*
 * The line that gave the last request that was read, from 1; 0: the format is binary. After a read of IMPORT_BATCH_MIN:
 * it gave all of them.
 */
uint64_t import_line(const struct import *imp);

/* Read on to the end. 0 or -errno as above. */
int import_rest(struct import *imp, struct trace *t, struct fault *fault);

void import_free(struct import *imp);
void import_freep(struct import **imp);

#define IMPORT_ODD 5

struct import_summary {
	const char *format;  /* name of the format, also when it was found by content */
	const char *packing; /* see input_packing() */
	uint64_t requests;   /* that came in */
	uint64_t ops[OP_COUNT];
	uint64_t bytes;		     /* of reads, writes and trims; saturates */
	uint64_t left_out[OP_COUNT]; /* requests of ops that were not wanted */
	uint64_t other_files;	     /* requests of files that were not wanted */
	uint64_t begin, end;	     /* smallest offset, largest end, of reads, writes and trims */
	bool timed;
	int64_t span;		      /* ns from the earliest to the latest time */
	uint64_t backwards;	      /* times before that of the request in front */
	uint64_t files;		      /* with requests that came in */
	uint64_t bad;		      /* lines that could not be understood (lenient) */
	struct fault odd[IMPORT_ODD]; /* the first of them */
};

void import_get_summary(const struct import *imp, struct import_summary *out);

/*
 * One line of words: requests, ops, offset range, time span, rate. Returns buf. 400 bytes are enough.
 */
char *import_summary_line(const struct import_summary *s, char *buf, size_t cap);

/*
 * Remark i (from 0) of what else is worth telling: times that go backwards, files, a span that smells of a wrong unit,
 * what was left out, the first lines that were not understood. false when there is none. 400 bytes are enough.
 */
bool import_remark(const struct import *imp, size_t i, char *buf, size_t cap);

/*
 * The format that n bytes, the beginning of some input, look like; NULL when like none. whole: nothing follows them.
 */
const char *import_recognise(const void *head, size_t n, bool whole);
