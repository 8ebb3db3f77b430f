/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of text: a heading and one line a sample, in columns of 16 characters, wider where a title or a value needs it.
 * What a column shows is columns_cell()'s; rates are rounded to integers. What is undefined prints "-". Nothing is
 * allocated but in row_init().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mon/column.h"
#include "mon/stamp.h"

struct row {
	const struct columns *columns; /* borrowed */
	enum stamp time;               /* of the first column; seconds have three decimals */
	size_t time_width;
	size_t *width;                 /* of each column; grows with the values */
	char *buf;                     /* the text made last, not terminated */
};

/* 0 or -ENOMEM. The columns must stay as they are. */
int row_init(struct row *r, const struct columns *c, enum stamp time);
void row_fini(struct row *r);

/* Make the heading or the line of a sample in r->buf, with its newline; returns the length. start: time 0, ns. */
size_t row_heading(struct row *r);
size_t row_sample(struct row *r, int64_t start, const struct sample *prev, const struct sample *now);
