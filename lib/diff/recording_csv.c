/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmmon --csv: RFC 4180. A second line of the same titles begins a new run, as when a file is appended to. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "diff/recording_forms.h"

/* What the columns before the fields are. */
enum { CSV_TIME = -1, CSV_PHASE = -2, CSV_RUN = -3 };

struct cell {
	const char *text; /* within struct reader's buf */
	size_t length;
};

struct reader {
	struct rowset rows;
	struct lines lines;
	char *buf;                                /* the cells of a line without quotes; as long as the text */
	struct cell cell[RECORDING_COLUMNS_MAX];
	size_t cells;
	ssize_t column[RECORDING_COLUMNS_MAX];    /* of rows, or one of the above */
	size_t titles;
	const char *heading;
	size_t heading_length;
	double run;                               /* the last in a column of that name */
	struct fault *fault;
};

static void reader_freep(struct reader **r)
{
	if (*r) {
		rowset_fini(&(*r)->rows);
		free((*r)->buf);
	}
	free(*r);
}

static int bad(const struct reader *r, const char *what)
{
	return fault_set_line(r->fault, -EINVAL, r->lines.number, "%s", what);
}

/*
 * The cell at s, as far as its comma or the end; its bytes are copied to *to. Returns what stands behind, NULL:
 * malformed.
 */
static const char *take_cell(const char *s, const char *end, char **to)
{
	if (s < end && *s == '"') {
		for (s++;; s++) {
			if (s == end)
				return NULL;
			if (*s == '"' && (++s == end || *s != '"'))
				break;
			*(*to)++ = *s;
		}
		return s == end || *s == ',' ? s : NULL;
	}
	for (; s < end && *s != ','; s++)
		*(*to)++ = *s;
	return s;
}

static int split(struct reader *r, const char *line, size_t n)
{
	const char *s = line, *end = line + n;
	char *to = r->buf;

	for (r->cells = 0;; s++) {
		struct cell *c = &r->cell[r->cells];

		if (r->cells++ == ARRAY_SIZE(r->cell))
			return recording_fault(r->fault, -E2BIG, r->lines.number);
		c->text = to;
		s = take_cell(s, end, &to);
		if (!s)
			return bad(r, "a quoted cell that does not end before a comma");
		c->length = (size_t)(to - c->text);
		if (s == end)
			return 0;
	}
}

static bool is_cell(const struct cell *c, const char *text)
{
	return c->length == strlen(text) && memcmp(c->text, text, c->length) == 0;
}

static int take_titles(struct reader *r)
{
	size_t fields = 0;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell *c = &r->cell[i];

		if (c->length == 0)
			return bad(r, "a column without a title");
		r->column[i] = is_cell(c, "time")    ? CSV_TIME
			       : is_cell(c, "phase") ? CSV_PHASE
			       : is_cell(c, "run")   ? CSV_RUN
						     : rowset_column(&r->rows, c->text, c->length, ROWSET_VALUE, -1);
		if (r->column[i] == -ENOMEM || r->column[i] == -E2BIG)
			return recording_fault(r->fault, (int)r->column[i], r->lines.number);
		fields += r->column[i] >= 0;
	}
	r->titles = r->cells;
	return fields ? 0 : bad(r, "no field among the titles");
}

/* Time, phase and run, whose columns may stand anywhere; then the row is begun. */
static int begin_row(struct reader *r)
{
	double time = NAN, run = r->run;
	ssize_t phase = 0;
	int err = 0;

	for (size_t i = 0; i < r->cells; i++) {
		const struct cell *c = &r->cell[i];

		if (r->column[i] == CSV_TIME && !recording_time(c->text, c->length, &time))
			return bad(r, "no time in the column of times");
		if (r->column[i] == CSV_RUN && !recording_number(c->text, c->length, &run))
			return bad(r, "no number in the column of runs");
		if (r->column[i] == CSV_PHASE)
			phase = rowset_phase(&r->rows, c->text, c->length);
	}
	if (phase < 0)
		return recording_fault(r->fault, (int)phase, r->lines.number);
	if (run < r->run || run > r->run)
		err = rowset_end_run(&r->rows);
	r->run = run;
	return err ? err : rowset_row(&r->rows, time, (size_t)phase);
}

static int take_row(struct reader *r)
{
	int err;

	if (r->cells != r->titles)
		return fault_set_line(r->fault, -EINVAL, r->lines.number, "a row of %zu under %zu titles", r->cells,
				      r->titles);
	err = begin_row(r);
	for (size_t i = 0; i < r->cells && !err; i++) {
		const struct cell *c = &r->cell[i];
		char quoted[48];
		double value;

		if (r->column[i] < 0 || recording_is_missing(c->text, c->length))
			continue;
		if (!recording_number(c->text, c->length, &value))
			return fault_set_line(r->fault, -EINVAL, r->lines.number, "%s is no number",
					      fault_quote(quoted, sizeof(quoted), c->text, c->length));
		err = rowset_set(&r->rows, (size_t)r->column[i], value);
	}
	return recording_fault(r->fault, err, r->lines.number);
}

static int take_line(struct reader *r, const char *line, size_t n)
{
	int err;

	if (n == 0 || line[0] == '#')
		return 0;
	if (r->heading && n == r->heading_length && memcmp(line, r->heading, n) == 0)
		return recording_fault(r->fault, rowset_end_run(&r->rows), r->lines.number);
	err = split(r, line, n);
	if (err)
		return err;
	if (r->heading)
		return take_row(r);
	r->heading = line;
	r->heading_length = n;
	return take_titles(r);
}

/* A mark in a text may have commas, but has blanks too. */
static bool is_csv(const char *line, size_t n)
{
	return (n > 5 && memcmp(line, "time,", 5) == 0) || (memchr(line, ',', n) && !memchr(line, ' ', n));
}

static int parse(struct recording *to, const char *text, size_t n, struct fault *fault)
{
	_cleanup_(reader_freep) struct reader *r = calloc(1, sizeof(*r));
	const char *line;
	size_t length;
	int err;

	if (!r || rowset_phase(&r->rows, "", 0) < 0 || !(r->buf = malloc(n)))
		return recording_fault(fault, -ENOMEM, 0);
	r->rows.to = to;
	r->lines = (struct lines){.text = text, .n = n};
	r->fault = fault;
	err = recording_is_of(to, "csv", fault);
	while (!err && lines_next(&r->lines, &line, &length))
		err = take_line(r, line, length);
	return err ? err : recording_fault(fault, rowset_end_run(&r->rows), r->lines.number);
}

const struct recording_form recording_csv = {.is = is_csv, .parse = parse};
