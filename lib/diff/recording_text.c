/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headings and rows of numbers, of today and of 2009. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/macro.h"
#include "diff/recording_forms.h"

struct word {
	const char *text;
	size_t length;
};

struct reader {
	struct rowset rows;
	struct lines lines;
	struct word word[RECORDING_COLUMNS_MAX];   /* of the line */
	size_t words;
	struct word title[RECORDING_COLUMNS_MAX];
	size_t column[RECORDING_COLUMNS_MAX];      /* of each title; that of the time has none */
	size_t titles;
	bool timed;                                /* the first title is "time" */
	const char *heading;                       /* the line, NULL: not seen */
	size_t heading_length;
	const char *other;                         /* the last line of words */
	size_t other_length;
	uint64_t other_number;
	size_t phase;
	bool summary;                              /* behind the rows: up to the next heading */
	struct fault *fault;
};

static void reader_fini(struct reader *r)
{
	rowset_fini(&r->rows);
}

static void reader_freep(struct reader **r)
{
	if (*r)
		reader_fini(*r);
	free(*r);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* More words than there may be are left out, so that their number tells. */
static void split(struct reader *r, const char *line, size_t n)
{
	r->words = 0;
	for (size_t i = 0; i < n && r->words < ARRAY_SIZE(r->word);) {
		size_t start;

		for (; i < n && is_blank(line[i]); i++)
			;
		start = i;
		for (; i < n && !is_blank(line[i]); i++)
			;
		if (i > start)
			r->word[r->words++] = (struct word){line + start, i - start};
	}
}

static bool is_value(const struct word *w)
{
	double value;

	return recording_is_missing(w->text, w->length) || recording_number(w->text, w->length, &value);
}

/* A date and a time with a blank between them would be two words; vmmon writes one. */
static bool is_row(const struct reader *r)
{
	double value;

	for (size_t i = 0; i < r->words; i++)
		if (!is_value(&r->word[i]) && (i || !recording_time(r->word[i].text, r->word[i].length, &value)))
			return false;
	return true;
}

static bool is_same(const struct word *a, const struct word *b)
{
	return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static bool is_word(const struct word *w, const char *text)
{
	return w->length == strlen(text) && memcmp(w->text, text, w->length) == 0;
}

/* The heading of a table of several phases: the titles without the time, perhaps with a name before them. */
static bool is_across(const struct reader *r)
{
	size_t fields = r->titles - r->timed;

	if (r->words < fields || (r->words == r->titles && !r->timed))
		return false;
	for (size_t i = 0; i < fields; i++)
		if (!is_same(&r->word[r->words - fields + i], &r->title[r->timed + i]))
			return false;
	return r->words != r->titles || !is_same(&r->word[0], &r->title[0]);
}

/*
 * Lines that stand in what vmmon prints behind the rows, and nowhere else: its tables' headings, and the last but few.
 */
static bool is_summary(const struct reader *r)
{
	size_t n = r->words;

	return is_across(r) ||
	       (n >= 4 &&
		((is_word(&r->word[n - 2], "per") && is_word(&r->word[n - 1], "second")) ||
		 (is_word(&r->word[0], "rows") && is_word(&r->word[2], "ticks") && is_word(&r->word[3], "missed"))));
}

/* The line of words above the first row. */
static int take_heading(struct reader *r)
{
	struct word first;
	char quoted[48];
	double number;

	split(r, r->other, r->other_length);
	first = r->word[0];
	r->timed = first.length == 4 && memcmp(first.text, "time", 4) == 0;
	for (size_t i = 0; i < r->words; i++)
		if (recording_number(r->word[i].text, r->word[i].length, &number))
			return fault_set_line(r->fault, -EINVAL, r->other_number, "%s among the titles of rows",
					      fault_quote(quoted, sizeof(quoted), r->word[i].text, r->word[i].length));
	for (size_t i = r->timed; i < r->words; i++) {
		ssize_t column = rowset_column(&r->rows, r->word[i].text, r->word[i].length, ROWSET_UNKNOWN, -1);

		if (column < 0)
			return recording_fault(r->fault, (int)column, r->other_number);
		r->column[i] = (size_t)column;
	}
	memcpy(r->title, r->word, r->words * sizeof(r->word[0]));
	r->titles = r->words;
	r->heading = r->other;
	r->heading_length = r->other_length;
	r->other = NULL;
	return 0;
}

/* No mark, but a row of which one word was damaged: it has digits, and all others are values. NULL: it is none. */
static const struct word *damaged(const struct reader *r)
{
	const struct word *odd = NULL;

	if (r->words != r->titles || r->words < 2)
		return NULL;
	for (size_t i = 0; i < r->words; i++) {
		double time;

		if (is_value(&r->word[i]) ||
		    (i == 0 && r->timed && recording_time(r->word[i].text, r->word[i].length, &time)))
			continue;
		if (odd)
			return NULL;
		odd = &r->word[i];
	}
	for (size_t i = 0; odd && i < odd->length; i++)
		if (odd->text[i] >= '0' && odd->text[i] <= '9')
			return odd;
	return NULL;
}

static int refuse(const struct reader *r, const struct word *w, uint64_t line)
{
	char quoted[48];

	return fault_set_line(r->fault, -EINVAL, line, "%s is no %s",
			      fault_quote(quoted, sizeof(quoted), w->text, w->length),
			      r->timed && w == &r->word[0] ? "time" : "number");
}

/* A line of words that is no heading is a mark. */
static int take_mark(struct reader *r)
{
	const char *s = r->other, *end = s + r->other_length;
	ssize_t phase;

	/* what people put around such a line */
	for (; s < end && memchr(" \t-=#*>", *s, 7); s++)
		;
	for (; end > s && memchr(" \t-=#*<:", end[-1], 8); end--)
		;
	r->other = NULL;
	if (s == end)
		return 0;
	phase = rowset_phase(&r->rows, s, (size_t)(end - s));
	if (phase < 0)
		return recording_fault(r->fault, (int)phase, r->other_number);
	r->phase = (size_t)phase;
	return 0;
}

static int take_row(struct reader *r)
{
	double time = NAN;
	int err;

	if (r->words != r->titles)
		return fault_set_line(r->fault, -EINVAL, r->lines.number, "a row of %zu under %zu titles", r->words,
				      r->titles);
	if (r->timed && !recording_time(r->word[0].text, r->word[0].length, &time))
		return fault_set_line(r->fault, -EINVAL, r->lines.number, "no time in the first column");
	err = rowset_row(&r->rows, time, r->phase);
	for (size_t i = r->timed; i < r->words && !err; i++) {
		double value;

		if (recording_number(r->word[i].text, r->word[i].length, &value))
			err = rowset_set(&r->rows, r->column[i], value);
	}
	return recording_fault(r->fault, err, r->lines.number);
}

/* Of several lines of words the last before a row counts: vmmon's own tables are followed by none. */
static int take_words(struct reader *r, const char *line, size_t n)
{
	if (r->heading && n == r->heading_length && memcmp(line, r->heading, n) == 0) {
		if (!r->summary)
			return 0;
		/* behind a summary another recording begins */
		r->summary = false;
		r->phase = 0;
		return recording_fault(r->fault, rowset_end_run(&r->rows), r->lines.number);
	}
	r->summary |= r->heading && is_summary(r);
	if (r->heading && !r->summary && damaged(r))
		return refuse(r, damaged(r), r->lines.number);
	r->other = r->summary ? NULL : line;
	r->other_length = n;
	r->other_number = r->lines.number;
	return 0;
}

static int take_numbers(struct reader *r, const char *line, size_t n)
{
	int err = 0;

	if (r->summary)
		return 0;
	if (!r->heading && !r->other)
		return fault_set_line(r->fault, -EINVAL, r->lines.number, "numbers without a heading above them");
	if (!r->heading) {
		err = take_heading(r);
		split(r, line, n);
	} else if (r->other) {
		err = take_mark(r);
	}
	return err ? err : take_row(r);
}

static bool is_text(const char *line _unused_, size_t n _unused_)
{
	return true;
}

static int parse(struct recording *to, const char *text, size_t n, struct fault *fault)
{
	_cleanup_(reader_freep) struct reader *r = calloc(1, sizeof(*r));
	const char *line;
	size_t length;
	int err = 0;

	if (!r || rowset_phase(&r->rows, "", 0) < 0)
		return recording_fault(fault, -ENOMEM, 0);
	r->rows.to = to;
	r->lines = (struct lines){.text = text, .n = n};
	r->fault = fault;
	err = recording_is_of(to, "text", fault);
	while (!err && lines_next(&r->lines, &line, &length)) {
		split(r, line, length);
		if (r->words)
			err = is_row(r) ? take_numbers(r, line, length) : take_words(r, line, length);
	}
	if (!err && !r->heading)
		return fault_set(fault, -EINVAL, "is no recording: nothing but words");
	return err ? err : recording_fault(fault, rowset_end_run(&r->rows), r->lines.number);
}

const struct recording_form recording_text = {.is = is_text, .parse = parse};
