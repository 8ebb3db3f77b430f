/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace-file format, read and written: see iotrace.5. This is THE parser of trace files.
 *
 * Reading is a stream: memory is one buffer of FORMAT_BUF bytes however long the input or its lines are
 * (a comment may have any length; a request line must be shorter than FORMAT_LINE_MAX).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "base/outfile.h"
#include "trace/trace.h"

#define FORMAT_BUF (1u << 17)
#define FORMAT_LINE_MAX 4096

struct trace_reader;

/*
 * Read the trace on descriptor fd (any kind: file, pipe, terminal; packed or not, see input.h; not closed here), text
 * or binary (see binary.h) as its content says. shift: log2 of the bytes of a number without a letter. Returns NULL
 * when memory lacks.
 */
struct trace_reader *trace_reader_new(int fd, unsigned shift);
void trace_reader_free(struct trace_reader *r);

/*
 * Before the first read: make it a reader for a thread of its own. It gives out what has come when nothing more waits,
 * so that trace_reader_read() may return less than max (but not 0) before the end, and once *cancel (borrowed) is true
 * it returns -ECANCELED, see input.h.
 */
void trace_reader_set_live(struct trace_reader *r, const atomic_bool *cancel);
void trace_reader_freep(struct trace_reader **r);

/*
 * Append up to max requests to t. Returns how many (less than max only at the end), 0 at the end of the
 * input, or -errno: -EINVAL with line and text in the fault (bad input, what it looks like instead when that
 * is recognised: UTF-16, a fio iolog, blkparse or strace output, CSV; without a line for a binary trace), -EINTR when
 * stop_signal() was set meanwhile, another from read(2). After a negative return the reader can only be freed; requests
 * before the bad line have been appended.
 */
ssize_t trace_reader_read(struct trace_reader *r, struct trace *t, size_t max, struct fault *fault);

/*
 * Read on to the end. 0 or -errno as above. A binary trace in a plain file is mapped, not copied, when t has no memory
 * for requests yet.
 */
int trace_reader_rest(struct trace_reader *r, struct trace *t, struct fault *fault);

/* The same, and check (returns 0, or -errno with the text, which ends it) is asked after each 2^20 requests. */
int trace_reader_rest_checked(struct trace_reader *r, struct trace *t,
			      int (*check)(const struct trace *t, struct fault *fault), struct fault *fault);

/* The line of the last request that was read, from 1; 0: the trace is binary. */
uint64_t trace_reader_line(const struct trace_reader *r);

/* What stands in a line of a trace file, and in which order: as "#columns" says. */
enum trace_column {
	TRACE_COL_OFFSET,
	TRACE_COL_LENGTH,
	TRACE_COL_OP,
	TRACE_COL_TIME,
	TRACE_COL_FILE,
	TRACE_COL_STEP,
	TRACE_COL_COUNT
};

struct trace_layout {
	enum trace_column column[TRACE_COL_COUNT];
	size_t count;
};

/*
 * A trace being written, in as many parts as one likes. Offset and length always come first; a "#columns" line is
 * written where requests follow that need more columns than the ones before. What is written is read back equal under
 * every shift of the reader.
 *
 * Errors are kept in the outfile (see outfile.h); stops early when stop_signal() is set.
 */
struct trace_writer {
	struct outfile *o;     /* borrowed */
	unsigned shift;
	uint32_t names;        /* files whose names have been written */
	struct trace_layout layout;
	size_t told;           /* its columns that the reader knows of */
};

/*
 * comment: text for the first line, NULL for none ('# ' is put in front, newlines in it become blanks). shift: log2 of
 * the unit tried first when numbers are written, a unit's (see units.h).
 */
void trace_writer_init(struct trace_writer *w, struct outfile *o, const char *comment, unsigned shift);

/*
 * The same in the layout of --break-up FILE: "#columns step offset length", always three numbers a line (columns that
 * the requests need beside these come behind them).
 */
void trace_writer_init_steps(struct trace_writer *w, struct outfile *o, const char *comment, unsigned shift);

/* Write all requests of t, and those of its file names that are new. Parts of one trace share the numbers of files. */
void trace_writer_put(struct trace_writer *w, const struct trace *t);

/* Write the whole of t at once. */
void trace_write(const struct trace *t, struct outfile *o, const char *comment, unsigned shift);

/* The same in the layout of --break-up FILE. */
void trace_write_steps(const struct trace *t, struct outfile *o, const char *comment, unsigned shift);
