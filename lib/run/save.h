/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace being saved under a name, in as many parts as one likes: as text, or in the binary form when the name ends in
 * ".bin".
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"
#include "base/outfile.h"
#include "run/step.h"
#include "trace/binary.h"
#include "trace/format.h"

struct save {
	struct outfile o;
	struct trace_writer text;
	struct binary_writer *binary;   /* NULL: text */
};

/* To be called before any I/O: 0, or -EINVAL with the text when a binary trace is to go where none can. */
int save_check(const char *path, struct fault *fault);

/*
 * Begin to write the file of step s, with the comment that names the program's command. steps: text has the layout of
 * --break-up FILE. 0 or -errno with the text.
 */
int save_open(struct save *v, const struct program *p, const struct step *s, bool steps, struct fault *fault);

/* Write all requests of t. 0 or -errno with the text; errors of the output come at the end. */
int save_put(struct save *v, const struct trace *t, struct fault *fault);

/*
 * The whole is there; t (the last part, or one without requests) has the names of files. 0 or -errno, see
 * outfile_commit().
 */
int save_end(struct save *v, const struct trace *t, struct fault *fault);

/* Remove what is not complete; harmless after save_end(). For _cleanup_. */
void save_abort(struct save *v);
#define SAVE_NONE ((struct save){.o = {.fd = -1}})
