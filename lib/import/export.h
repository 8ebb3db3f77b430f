/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace in the words of other tools.
 *
 *   fio       iolog version 3, replayed by fio since 3.31. Times in us, cut, and one more than they are: fio takes the
 *             time 0 for none and loses the distance behind it. Requests without a time have that of the one in front.
 *   csv       a header line, then time in seconds, op, offset, length, file; only the columns the trace has
 *   blkparse  the text blkparse prints of Q events; file N is device 259,N, all syncs are flushes
 *
 * What a format cannot hold is refused, not bent.
 */
#pragma once

#include <stddef.h>

#include "base/fault.h"
#include "base/outfile.h"
#include "trace/trace.h"

/* The name of format i and one line about it; NULL past the last. */
const char *export_format(size_t i, const char **help);

/*
 * Write t. 0; -EINVAL when the format cannot hold it, with the number of the first such request in the fault or the file
 * in its text, or when there is no such format; -EINTR when stop_signal() was set. Errors of writing are kept in o.
 */
int export_trace(const struct trace *t, const char *format, struct outfile *o, struct fault *fault);
