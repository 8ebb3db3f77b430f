/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/units.h"
#include "trace/format.h"
#include "trace/format_line.h"

/* The longest line: six numbers of at most 21 bytes and what is between them. */
#define LINE_ROOM (TRACE_COL_COUNT * UNITS_TEXT)

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

static void put_names(const struct trace *t, struct outfile *o, uint32_t first)
{
	for (uint32_t i = first; i < t->file_count; i++) {
		char text[32];

		if (!t->files[i])
			continue;
		snprintf(text, sizeof(text), "#file %u ", i);
		put_text(o, text);
		put_text(o, t->files[i]);
		put_text(o, "\n");
	}
}

static void put_columns(const struct trace_layout *l, struct outfile *o)
{
	put_text(o, "#columns");
	for (size_t i = 0; i < l->count; i++) {
		put_text(o, " ");
		put_text(o, trace_column_name(l->column[i]));
	}
	put_text(o, "\n");
}

static bool has(const struct trace_layout *l, enum trace_column c)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->column[i] == c)
			return true;
	return false;
}

static void add(struct trace_layout *l, enum trace_column c, bool needed)
{
	if (needed && !has(l, c))
		l->column[l->count++] = c;
}

/* Add the columns in which some request differs from the default. */
static void add_needed(struct trace_layout *l, const struct trace *t)
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
	add(l, TRACE_COL_OP, op);
	add(l, TRACE_COL_TIME, time);
	add(l, TRACE_COL_FILE, file);
	add(l, TRACE_COL_STEP, step);
}

/* Seconds with as many decimals as it takes. */
static char *print_time(char *p, int64_t ns)
{
	if (ns == TIME_NONE) {
		*p++ = '-';
		return p;
	}
	p += units_print_count(p, (uint64_t)(ns / NS_PER_SEC));
	if (ns % NS_PER_SEC) {
		p += sprintf(p, ".%09d", (int)(ns % NS_PER_SEC));
		while (p[-1] == '0')
			p--;
	}
	return p;
}

static char *print_field(char *p, const struct trace *t, size_t i, enum trace_column c, unsigned shift)
{
	switch (c) {
	case TRACE_COL_OFFSET:
		return p + units_print(p, req_offset(t->req[i]), shift);
	case TRACE_COL_LENGTH:
		return p + units_print(p, req_length(t->req[i]), shift);
	case TRACE_COL_OP:
		*p++ = op_letter(req_op(t->req[i]));
		return p;
	case TRACE_COL_TIME:
		return print_time(p, t->time ? t->time[i] : TIME_NONE);
	case TRACE_COL_FILE:
		return p + units_print_count(p, t->file ? t->file[i] : 0);
	case TRACE_COL_STEP:
		return p + units_print_count(p, t->step ? t->step[i] : 0);
	case TRACE_COL_COUNT:
		break;
	}
	return p;
}

static char *print_line(char *p, const struct trace *t, size_t i, const struct trace_layout *l, unsigned shift)
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
	uint64_t mask = (UINT64_C(1) << shift) - 1;
	char letter = units_letter(shift);
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		/* as units_print() does, with the unit looked up once */
		if (likely(!(req[i].offset_op & mask))) {
			p += units_print_count(p, req[i].offset_op >> shift);
			*p++ = letter;
		} else {
			p += units_print(p, req[i].offset_op, shift);
		}
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

static void put_requests(const struct trace *t, struct outfile *o, const struct trace_layout *l, unsigned shift)
{
	bool plain = trace_layout_is_default(l);

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

static void init(struct trace_writer *w, struct outfile *o, const char *comment, unsigned shift)
{
	*w = (struct trace_writer){.o = o, .shift = shift};
	if (comment)
		put_comment(o, comment);
}

void trace_writer_init(struct trace_writer *w, struct outfile *o, const char *comment, unsigned shift)
{
	init(w, o, comment, shift);
	w->layout = trace_layout_default;
	w->told = w->layout.count;
}

void trace_writer_init_steps(struct trace_writer *w, struct outfile *o, const char *comment, unsigned shift)
{
	init(w, o, comment, shift);
	w->layout = (struct trace_layout){
		.column = {TRACE_COL_STEP, TRACE_COL_OFFSET, TRACE_COL_LENGTH},
		.count = 3,
	};
}

void trace_writer_put(struct trace_writer *w, const struct trace *t)
{
	put_names(t, w->o, w->names);
	w->names = MAX(w->names, t->file_count);
	add_needed(&w->layout, t);
	if (w->layout.count > w->told)
		put_columns(&w->layout, w->o);
	w->told = w->layout.count;
	put_requests(t, w->o, &w->layout, w->shift);
}

void trace_write(const struct trace *t, struct outfile *o, const char *comment, unsigned shift)
{
	struct trace_writer w;

	trace_writer_init(&w, o, comment, shift);
	trace_writer_put(&w, t);
}

void trace_write_steps(const struct trace *t, struct outfile *o, const char *comment, unsigned shift)
{
	struct trace_writer w;

	trace_writer_init_steps(&w, o, comment, shift);
	trace_writer_put(&w, t);
}
