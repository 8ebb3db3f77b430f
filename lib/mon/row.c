/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

#define WIDTH 16
#define DECIMALS 3

int row_init(struct row *out, const struct columns *c, enum stamp time)
{
	_cleanup_(row_fini) struct row r = {.columns = c, .time = time, .time_width = (size_t)stamp_width(time)};
	size_t size = STAMP_TEXT + 1;

	r.width = calloc(c->count + 1, sizeof(*r.width));
	if (!r.width)
		return -ENOMEM;
	for (size_t i = 0; i < c->count; i++) {
		size_t title = strlen(c->column[i].title);

		r.width[i] = MAX(title, (size_t)WIDTH);
		size += 1 + MAX(r.width[i], (size_t)CELL_TEXT);
	}
	r.buf = malloc(size);
	if (!r.buf)
		return -ENOMEM;
	*out = r;
	r = (struct row){0};
	return 0;
}

void row_fini(struct row *r)
{
	free(r->width);
	free(r->buf);
	*r = (struct row){0};
}

static char *put(char *p, const char *text, size_t n, size_t width)
{
	for (size_t i = n; i < width; i++)
		*p++ = ' ';
	memcpy(p, text, n);
	return p + n;
}

size_t row_heading(struct row *r)
{
	char *p = r->buf;

	if (r->time != STAMP_NONE)
		p = put(p, "time", 4, r->time_width);
	for (size_t i = 0; i < r->columns->count; i++) {
		const char *title = r->columns->column[i].title;

		*p++ = ' ';
		p = put(p, title, strlen(title), r->width[i]);
	}
	*p++ = '\n';
	return (size_t)(p - r->buf);
}

size_t row_sample(struct row *r, int64_t start, const struct sample *prev, const struct sample *now)
{
	char *p = r->buf, time[STAMP_TEXT];
	size_t length = stamp_text(time, r->time, DECIMALS, start, now->when);

	if (length)
		p = put(p, time, length, r->time_width);
	for (size_t i = 0; i < r->columns->count; i++) {
		struct cell cell = columns_cell(r->columns, i, prev, now);
		char text[CELL_TEXT];
		size_t n = cell_text(text, &cell);

		r->width[i] = MAX(r->width[i], n);
		*p++ = ' ';
		p = put(p, text, n, r->width[i]);
	}
	*p++ = '\n';
	return (size_t)(p - r->buf);
}
