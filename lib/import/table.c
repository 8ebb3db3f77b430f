/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/table.h"

#include <errno.h>
#include <inttypes.h>

#include "base/units.h"

int table_open(struct table *t, const char *columns, char separator, int least, int most, struct fault *fault)
{
	t->separator = separator;
	t->least = least;
	t->most = most ? most : LAYOUT_COLUMNS + 1;
	return layout_parse(columns, &t->layout, fault);
}

static int split_blanks(const char *s, const char *end, struct word *cells)
{
	int count = 0;

	for (;;) {
		struct word w = scan_word(&s, end);

		if (!w.n)
			return count;
		if (count == LAYOUT_COLUMNS)
			return count + 1;
		cells[count++] = w;
	}
}

/* A cell in double quotes, s at the first: what is between them. *s is then at the separator behind. */
static struct word quoted_cell(const char **s, const char *end, char separator)
{
	const char *begin = *s + 1, *quote = memchr(begin, '"', (size_t)(end - begin)), *next;

	while (quote && quote + 1 < end && quote[1] == '"')
		quote = memchr(quote + 2, '"', (size_t)(end - (quote + 2)));
	if (!quote)
		quote = end;
	next = memchr(quote, separator, (size_t)(end - quote));
	*s = next ? next : end;
	return (struct word){begin, (size_t)(quote - begin)};
}

int table_split(const struct table *t, const char *s, size_t n, struct word *cells)
{
	const char *end = s + n;
	int count = 0;

	if (t->separator == ' ')
		return split_blanks(s, end, cells);
	for (;;) {
		const char *begin = s;

		if (count == LAYOUT_COLUMNS)
			return count + 1;
		if (unlikely(t->quotes && s < end && *s == '"')) {
			cells[count++] = quoted_cell(&s, end, t->separator);
		} else {
			while (s < end && *s != t->separator)
				s++;
			cells[count++] = scan_trim(begin, s);
		}
		if (s == end)
			return count;
		s++;
	}
}

static int number_op(struct import *imp, struct word w, bool read_is, enum op *op)
{
	if (w.n != 1 || (w.s[0] != '0' && w.s[0] != '1'))
		return import_bad_token(imp, "operation", w.s, w.n, "neither 0 nor 1");
	*op = (w.s[0] == '1') == read_is ? OP_READ : OP_WRITE;
	return 0;
}

static int named_op(struct import *imp, const struct table *t, struct word w, enum op *op)
{
	static const struct {
		char name[10];
		enum op op;
	} known[] = {{"read", OP_READ},	   {"write", OP_WRITE},	      {"trim", OP_TRIM},
		     {"discard", OP_TRIM}, {"sync", OP_SYNC},	      {"fsync", OP_SYNC},
		     {"flush", OP_SYNC},   {"datasync", OP_DATASYNC}, {"fdatasync", OP_DATASYNC}};
	int letter = w.n == 1 && !t->words ? op_of_letter(w.s[0]) : -1;

	if (letter >= 0 && !(t->letters && letter > OP_WRITE)) {
		*op = (enum op)letter;
		return 0;
	}
	for (size_t i = 0; i < (t->letters ? 0 : t->words ? 2 : ARRAY_SIZE(known)); i++) {
		if (!word_is_caseless(w, known[i].name))
			continue;
		*op = known[i].op;
		return 0;
	}
	return import_bad_token(imp, "operation", w.s, w.n,
				t->letters ? "neither R nor W"
				: t->words ? "neither Read nor Write"
					   : "not known");
}

static int cell_op(struct import *imp, const struct table *t, const struct word *cells, enum op *op)
{
	uint64_t flags;
	struct word w;

	*op = OP_READ;
	if (t->layout.op < 0)
		return 0;
	w = cells[t->layout.op];
	switch (t->layout.ops) {
	case LAYOUT_OP_READ0:
	case LAYOUT_OP_READ1:
		return number_op(imp, w, t->layout.ops == LAYOUT_OP_READ1, op);
	case LAYOUT_OP_BIT0:
		if (!scan_hex(w.s, w.n, &flags))
			return import_bad_token(imp, "flags", w.s, w.n, "not a hex number");
		*op = flags & 1 ? OP_READ : OP_WRITE;
		return 0;
	case LAYOUT_OP_WORDS:
		break;
	}
	return named_op(imp, t, w, op);
}

static int cell_size(struct import *imp, const char *what, struct word w, uint64_t unit, uint64_t *bytes)
{
	uint64_t value;
	int r = import_count(imp, what, w.s, w.n, &value);

	if (r)
		return r;
	if (__builtin_mul_overflow(value, unit, bytes))
		return import_bad_token(imp, what, w.s, w.n, "in bytes passes 2^63 - 1");
	return 0;
}

/* Ticks of 100 ns since 1601 do not fit into 63 bits as nanoseconds: only their distance from the first does. */
static int cell_tick(struct import *imp, struct table *t, struct word w, int64_t *ns)
{
	uint64_t tick;
	int64_t since;
	int r = import_count(imp, "time", w.s, w.n, &tick);

	if (r)
		return r;
	if (!t->ticking) {
		t->ticking = true;
		t->first_tick = tick;
	}
	if (__builtin_sub_overflow(tick, t->first_tick, &since) || __builtin_mul_overflow(since, LAYOUT_TICK, ns))
		return import_bad_token(imp, "time", w.s, w.n, "too far from the first");
	return 0;
}

/* A name with double quotes in it, which stand there doubled. */
static int unquoted_file(struct import *imp, struct word w, uint32_t *id)
{
	_cleanup_free_ char *name = malloc(w.n);
	size_t n = 0;

	if (!name)
		return import_fail(imp, -ENOMEM, "out of memory");
	for (size_t i = 0; i < w.n; i++) {
		name[n++] = w.s[i];
		if (w.s[i] == '"' && i + 1 < w.n && w.s[i + 1] == '"')
			i++;
	}
	return import_file(imp, name, n, id);
}

static int cell_file(struct import *imp, const struct table *t, const struct word *cells, uint32_t *id)
{
	const struct layout *l = &t->layout;
	char both[512];
	struct word a, b;

	if (l->file < 0)
		return import_file(imp, "", 0, id);
	a = cells[l->file];
	if (!a.n)
		return import_bad(imp, "the name of the disk or file is missing");
	if (l->file2 < 0)
		return t->quotes && memmem(a.s, a.n, "\"\"", 2) ? unquoted_file(imp, a, id)
								: import_file(imp, a.s, a.n, id);
	b = cells[l->file2];
	if (a.n + b.n + 1 > sizeof(both))
		return import_bad_token(imp, "name", a.s, a.n, "is too long");
	memcpy(both, a.s, a.n);
	both[a.n] = '_';
	memcpy(both + a.n + 1, b.s, b.n);
	return import_file(imp, both, a.n + 1 + b.n, id);
}

static int row(struct import *imp, struct table *t, const struct word *cells)
{
	const struct layout *l = &t->layout;
	uint64_t offset, length = PAGE_BYTES;
	int64_t time = TIME_NONE;
	uint32_t id;
	enum op op;
	int r;

	if (t->blank_ops && !cells[l->op].n) {
		import_note(imp, "{row without a direction is no request|rows without a direction are no requests}");
		return 1;
	}
	r = cell_size(imp, "offset", cells[l->offset], l->offset_unit, &offset);
	if (!r && l->length >= 0)
		r = cell_size(imp, "length", cells[l->length], l->length_unit, &length);
	if (!r)
		r = cell_op(imp, t, cells, &op);
	/* in a csv table a request may lack its time */
	if (!r && l->time >= 0 && (cells[l->time].n || !t->quotes))
		r = l->time_scale == LAYOUT_TICK
			? cell_tick(imp, t, cells[l->time], &time)
			: import_time(imp, cells[l->time].s, cells[l->time].n, l->time_scale, &time);
	if (!r)
		r = cell_file(imp, t, cells, &id);
	if (!r)
		r = import_emit(imp, op, offset, length, time, id);
	return r ? r : 1;
}

int table_line(struct import *imp, struct table *t, const char *s, size_t n)
{
	struct word cells[LAYOUT_COLUMNS];
	int count = table_split(t, s, n, cells);
	bool first = !t->ready;

	t->ready = true;
	if (unlikely(count == 1 && !cells[0].n))
		return 0;
	if (unlikely(count < t->least || count > t->most)) {
		if (t->least == t->most)
			return import_bad(imp, "%d field%s where %d are expected", MIN(count, LAYOUT_COLUMNS),
					  count == 1 ? "" : "s", t->least);
		return import_bad(imp, "%d field%s where %s%d are expected", MIN(count, LAYOUT_COLUMNS),
				  count == 1 ? "" : "s", count < t->least ? "at least " : "at most ",
				  count < t->least ? t->least : t->most);
	}
	if (unlikely(first && t->header && cells[0].n && scan_letter(cells[0].s[0]) &&
		     (!cells[t->layout.offset].n || !scan_digit(cells[t->layout.offset].s[0]))))
		return 0;
	return row(imp, t, cells);
}
