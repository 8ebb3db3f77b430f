/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the trace format, without the stream around them: what a column is, what a line of fields or a
 * directive means. Private to the format's reader and writer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "trace/format.h"
#include "trace/trace.h"

/* "offset" ... */
const char *trace_column_name(enum trace_column c);

/* What a file has before its first "#columns": offset, length. */
extern const struct trace_layout trace_layout_default;

/* True for offset, length and nothing else in this order. */
bool trace_layout_is_default(const struct trace_layout *l);

/*
 * One line of n bytes, without its line end. It is appended to t, or changes l or the files of t, or is a comment or
 * blank. shift: log2 of the bytes of a number without a letter. 0, -EINVAL with the text set (no line number), or
 * -ENOMEM with the text set.
 */
int format_line(const char *s, size_t n, unsigned shift, struct trace_layout *l, struct trace *t, struct fault *fault);

/* True when the n bytes are, or begin, a line that says nothing but a comment. */
bool format_is_comment(const char *s, size_t n);

/*
 * What data that is no trace looks like ("a gzip file"), NULL when nothing is recognised. head: it is the input's
 * beginning.
 */
const char *format_guess(const char *s, size_t n, bool head);
