/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

#define WIDTH 16
#define TIME_WIDTH 12

/* By hand: printf costs more than all else that is done to a reading. */
size_t row_unsigned(char *buf, uint64_t value)
{
	char digits[ROW_NUMBER];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < n; i++)
		buf[i] = digits[n - 1 - i];
	buf[n] = '\0';
	return n;
}

size_t row_signed(char *buf, int64_t value)
{
	if (value >= 0)
		return row_unsigned(buf, (uint64_t)value);
	buf[0] = '-';
	return 1 + row_unsigned(buf + 1, -(uint64_t)value);
}

int row_init(struct row *out, const struct columns *c, bool time)
{
	_cleanup_(row_fini) struct row r = {.columns = c, .time = time};
	size_t size = TIME_WIDTH + ROW_NUMBER + 1;

	r.width = calloc(c->count + 1, sizeof(*r.width));
	if (!r.width)
		return -ENOMEM;
	for (size_t i = 0; i < c->count; i++) {
		size_t title = strlen(c->column[i].title);

		r.width[i] = MAX(title, (size_t)WIDTH);
		size += 1 + MAX(r.width[i], (size_t)ROW_NUMBER);
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

static char *cell(char *p, const char *text, size_t n, size_t width)
{
	for (size_t i = n; i < width; i++)
		*p++ = ' ';
	memcpy(p, text, n);
	return p + n;
}

size_t row_heading(struct row *r)
{
	char *p = r->buf;

	if (r->time)
		p = cell(p, "time", 4, TIME_WIDTH);
	for (size_t i = 0; i < r->columns->count; i++) {
		const char *title = r->columns->column[i].title;

		*p++ = ' ';
		p = cell(p, title, strlen(title), r->width[i]);
	}
	*p++ = '\n';
	return (size_t)(p - r->buf);
}

static int64_t nearest(double x)
{
	/* 2^63 as a double; beyond it the conversion is undefined */
	if (x >= 0x1p63)
		return INT64_MAX;
	if (x <= -0x1p63)
		return INT64_MIN;
	return (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

static size_t value_text(char *buf, const struct row *r, size_t i, const struct sample *prev,
			 const struct sample *now)
{
	enum column_mode mode = r->columns->column[i].mode;
	uint64_t before = prev->values[i], value = now->values[i];

	if (now->missing[i] || (mode != COLUMN_RAW && prev->missing[i])) {
		strcpy(buf, "-");
		return 1;
	}
	if (mode == COLUMN_RAW)
		return row_unsigned(buf, value);
	if (mode == COLUMN_DELTA)
		return row_signed(buf, column_difference(before, value));
	return row_signed(buf, nearest(column_rate(before, value, MAX(now->when - prev->when, INT64_C(1)))));
}

/* Elapsed seconds with three decimals, cut, so that a row never shows a later time than its own. */
static char *time_cell(char *p, int64_t elapsed)
{
	char text[ROW_NUMBER + 4];
	uint64_t ms = (uint64_t)MAX(elapsed, INT64_C(0)) / (uint64_t)NS_PER_MSEC;
	size_t n = row_unsigned(text, ms / 1000);

	text[n++] = '.';
	text[n++] = (char)('0' + ms / 100 % 10);
	text[n++] = (char)('0' + ms / 10 % 10);
	text[n++] = (char)('0' + ms % 10);
	return cell(p, text, n, TIME_WIDTH);
}

size_t row_sample(struct row *r, int64_t start, const struct sample *prev, const struct sample *now)
{
	char *p = r->buf;

	if (r->time)
		p = time_cell(p, now->when - start);
	for (size_t i = 0; i < r->columns->count; i++) {
		char text[ROW_NUMBER];
		size_t n = value_text(text, r, i, prev, now);

		r->width[i] = MAX(r->width[i], n);
		*p++ = ' ';
		p = cell(p, text, n, r->width[i]);
	}
	*p++ = '\n';
	return (size_t)(p - r->buf);
}
