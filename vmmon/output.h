/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the recording goes: each row is one write(2), at once. On a terminal the heading comes again when it is about
 * to scroll away, else it is written once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/sampler.h"
#include "run/chart.h"
#include "run/record.h"

struct output {
	int fd;
	bool owned;          /* fd is a file of ours */
	bool terminal;
	bool may_block;      /* a pipe or the like, whose reader may leave us waiting */
	const char *name;    /* for messages; borrowed */
	struct record record;
	struct chart *chart; /* takes the rows too; borrowed; NULL: none */
	int64_t start;       /* the first reading; 0: not known yet */
	uint64_t since;      /* rows since the heading; UINT64_MAX: none yet */
	int error;           /* what the last row or heading came to */
};

/* Where to, besides the form of the record. */
struct output_place {
	const char *path;    /* "-": standard output; NULL: fd */
	int fd;              /* borrowed */
	bool append;         /* to what the file has */
};

/*
 * Open the file for writing, empty unless appended to, in place: a log that can be read while it grows. The record is
 * owned now. 0 or -errno with the text, which names the file: -EINVAL when what it has is of another form or of other
 * columns. The record is as before then.
 */
int output_open(struct output *o, const struct output_place *place, struct record *r, struct fault *fault);

/* What messages call standard output and standard error. */
const char *output_stream(int fd);

void output_close(struct output *o);

/*
 * Write the heading, unless it was written, or a row. 0 or -errno: -EINTR when the reader keeps us waiting and the user
 * has asked for the end.
 */
int output_begin(struct output *o);
int output_row(struct output *o, const struct sample *prev, const struct sample *now);

/* Of a form for programs, the heading unless it was written, and what comes at the end. As output_row(). */
int output_end(struct output *o, const struct mark *first, bool repeats, const struct sampler_stats *stats);

/* Write all n bytes. As output_row(). */
int output_write(const struct output *o, const char *text, size_t n);
