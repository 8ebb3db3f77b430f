/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/units.h"
#include "trace/format.h"
#include "trace/format_line.h"

/* The longest line: six numbers of at most 21 bytes and what is between them. */
#define LINE_ROOM (COLUMN_COUNT * UNITS_TEXT)

/* Lines between two looks at the buffer and at the signal flag. */
#define CHUNK 1024
_Static_assert(CHUNK * LINE_ROOM <= OUTFILE_BUF, "a chunk fits into the buffer of a file");

static void put_text(struct outfile *o, const char *s)
{
	outfile_write(o, s, strlen(s));
}

static void put_comment(struct outfile *o, const char *comment)
{
	put_text(o, "# ");
	for (; *comment; comment++) {
		char c = *comment == '\n' || *comment == '\r' ? ' ' : *comment;

		outfile_write(o, &c, 1);
	}
	put_text(o, "\n");
}

static void put_names(const struct trace *t, struct outfile *o)
{
	for (uint32_t i = 0; i < t->file_count; i++) {
		char text[32];

		if (!t->files[i])
			continue;
		snprintf(text, sizeof(text), "#file %u ", i);
		put_text(o, text);
		put_text(o, t->files[i]);
		put_text(o, "\n");
	}
}

static void put_columns(const struct layout *l, struct outfile *o)
{
	put_text(o, "#columns");
	for (size_t i = 0; i < l->count; i++) {
		put_text(o, " ");
		put_text(o, column_name(l->column[i]));
	}
	put_text(o, "\n");
}

static bool has(const struct layout *l, enum column c)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->column[i] == c)
			return true;
	return false;
}

static void add(struct layout *l, enum column c, bool needed)
{
	if (needed && !has(l, c))
		l->column[l->count++] = c;
}

/* Add the columns in which some request differs from the default. */
static void add_needed(struct layout *l, const struct trace *t)
{
	bool op = false, time = false, file = false, step = false;

	for (size_t i = 0; i < t->count && !op; i++)
		op = req_op(t->req[i]) != OP_READ;
	for (size_t i = 0; t->time && i < t->count && !time; i++)
		time = t->time[i] != TIME_NONE;
	for (size_t i = 0; t->file && i < t->count && !file; i++)
		file = t->file[i] != 0;
	for (size_t i = 0; t->step && i < t->count && !step; i++)
		step = t->step[i] != 0;
	add(l, COLUMN_OP, op);
	add(l, COLUMN_TIME, time);
	add(l, COLUMN_FILE, file);
	add(l, COLUMN_STEP, step);
}

static char *print_number(char *p, uint64_t value)
{
	return p + sprintf(p, "%llu", (unsigned long long)value);
}

/* Seconds with as many decimals as it takes. */
static char *print_time(char *p, int64_t ns)
{
	if (ns == TIME_NONE) {
		*p++ = '-';
		return p;
	}
	p = print_number(p, (uint64_t)(ns / NS_PER_SEC));
	if (ns % NS_PER_SEC) {
		p += sprintf(p, ".%09d", (int)(ns % NS_PER_SEC));
		while (p[-1] == '0')
			p--;
	}
	return p;
}

static char *print_field(char *p, const struct trace *t, size_t i, enum column c, unsigned shift)
{
	switch (c) {
	case COLUMN_OFFSET:
		return p + units_print(p, req_offset(t->req[i]), shift);
	case COLUMN_LENGTH:
		return p + units_print(p, req_length(t->req[i]), shift);
	case COLUMN_OP:
		*p++ = op_letter(req_op(t->req[i]));
		return p;
	case COLUMN_TIME:
		return print_time(p, t->time[i]);
	case COLUMN_FILE:
		return print_number(p, t->file[i]);
	case COLUMN_STEP:
		return print_number(p, t->step ? t->step[i] : 0);
	case COLUMN_COUNT:
		break;
	}
	return p;
}

static char *print_line(char *p, const struct trace *t, size_t i, const struct layout *l, unsigned shift)
{
	for (size_t c = 0; c < l->count; c++) {
		p = print_field(p, t, i, l->column[c], shift);
		*p++ = c + 1 < l->count ? '\t' : '\n';
	}
	return p;
}

/* The layout without other columns: lengths mostly repeat, so the text of the last one is kept. */
static char *print_plain(char *p, const struct req *req, size_t n, unsigned shift)
{
	char text[UNITS_TEXT] = {0};
	uint64_t last = UINT64_MAX; /* no length is that long */
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		p += units_print(p, req[i].offset_op, shift);
		*p++ = '\t';
		if (req[i].length_op != last) {
			last = req[i].length_op;
			used = units_print(text, last, shift);
			text[used++] = '\n';
		}
		memcpy(p, text, sizeof(text));
		p += used;
	}
	return p;
}

static void put_requests(const struct trace *t, struct outfile *o, const struct layout *l, unsigned shift)
{
	bool plain = layout_is_default(l);

	for (size_t i = 0; i < t->count && !stop_signal() && !o->error; i += CHUNK) {
		size_t n = MIN(t->count - i, CHUNK);
		char *begin = outfile_reserve(o, n * LINE_ROOM), *p = begin;

		if (plain)
			p = print_plain(p, t->req + i, n, shift);
		else
			for (size_t k = i; k < i + n; k++)
				p = print_line(p, t, k, l, shift);
		o->used += (size_t)(p - begin);
	}
}

void trace_write(const struct trace *t, struct outfile *o, const char *comment, unsigned preferred_shift)
{
	struct layout l = layout_default;

	if (comment)
		put_comment(o, comment);
	put_names(t, o);
	add_needed(&l, t);
	if (!layout_is_default(&l))
		put_columns(&l, o);
	put_requests(t, o, &l, preferred_shift);
}

void trace_write_steps(const struct trace *t, struct outfile *o, const char *comment, unsigned preferred_shift)
{
	struct layout l = {.column = {COLUMN_STEP, COLUMN_OFFSET, COLUMN_LENGTH}, .count = 3};

	if (comment)
		put_comment(o, comment);
	put_names(t, o);
	add_needed(&l, t);
	put_columns(&l, o);
	put_requests(t, o, &l, preferred_shift);
}
