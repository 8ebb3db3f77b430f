/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace-file format, read and written: see iotrace.5. This is THE parser of trace files.
 *
 * Reading is a stream: memory is one buffer of FORMAT_BUF bytes however long the input or its lines are
 * (a comment may have any length; a request line must be shorter than FORMAT_LINE_MAX).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "base/outfile.h"
#include "trace/trace.h"

#define FORMAT_BUF (1u << 20)
#define FORMAT_LINE_MAX 4096

struct trace_reader;

/*
 * Read the trace on descriptor fd (any kind: file, pipe, terminal; not closed here). shift: log2 of the bytes
 * of a number without a letter. Returns NULL when memory lacks.
 */
struct trace_reader *trace_reader_new(int fd, unsigned shift);
void trace_reader_free(struct trace_reader *r);
void trace_reader_freep(struct trace_reader **r);

/*
 * Append up to max requests to t. Returns how many (less than max only at the end), 0 at the end of the
 * input, or -errno: -EINVAL with line and text in the fault (bad input, what it looks like instead when that
 * is recognised: gzip, UTF-16, a fio iolog, blkparse or strace output, CSV), -EINTR when stop_signal() was
 * set meanwhile, another from read(2). After a negative return the reader can only be freed; requests
 * before the bad line have been appended.
 */
ssize_t trace_reader_read(struct trace_reader *r, struct trace *t, size_t max, struct fault *fault);

/* Read on to the end. 0 or -errno as above. */
int trace_reader_rest(struct trace_reader *r, struct trace *t, struct fault *fault);

/*
 * Write the whole of t. comment: text for the first line, NULL for none ('# ' is put in front, newlines in it
 * become blanks). preferred_shift: unit tried first when numbers are written. The "#columns" line is written
 * only when more than offset and length is there. load(save(t)) == t under every shift of the reader, and
 * offset and length always come first. Errors are kept in o (see outfile.h); stops early when stop_signal() is set.
 */
void trace_write(const struct trace *t, struct outfile *o, const char *comment, unsigned preferred_shift);

/* The layout of --break-up FILE: "#columns step offset length", always three numbers a line. */
void trace_write_steps(const struct trace *t, struct outfile *o, const char *comment, unsigned preferred_shift);
