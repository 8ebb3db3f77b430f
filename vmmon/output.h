/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where rows go: each is one write(2), at once. On a terminal the heading comes again when it is about to scroll away, else it
 * is written once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/row.h"
#include "mon/sampler.h"

struct output {
	int fd;
	bool owned;          /* fd is a file of ours */
	bool terminal;
	bool may_block;      /* a pipe or the like, whose reader may leave us waiting */
	const char *name;    /* for messages; borrowed */
	struct row row;
	int64_t start;       /* time 0 of the time column */
	uint64_t since;      /* rows since the heading; UINT64_MAX: none yet */
	int error;           /* what the last row or heading came to */
};

/*
 * Open FILE for writing, empty, in place: a log that can be read while it grows. path "-": standard output; NULL: fd, which is
 * borrowed. 0 or -errno with the text, which names the file.
 */
int output_open(struct output *o, const char *path, int fd, const struct columns *c, bool time, struct fault *fault);

/* What messages call standard output and standard error. */
const char *output_stream(int fd);

void output_close(struct output *o);

/* Write the heading or a row. 0 or -errno: -EINTR when the reader keeps us waiting and the user has asked for the end. */
int output_heading(struct output *o);
int output_row(struct output *o, const struct sample *prev, const struct sample *now);

/* Write all n bytes. As output_row(). */
int output_write(const struct output *o, const char *text, size_t n);
