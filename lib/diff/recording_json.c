/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, of vmmon: an object about the recording, one for each row, a summary. Those of iotrace are in
 * recording_report.c.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "diff/recording_report.h"

struct reader {
	struct rowset rows;
	const char *text;
	size_t n, at, end;       /* the value of now is from at to end */
	uint64_t line;           /* where it begins */
	double run;
	bool headed;
	json_t *summary;         /* of the recording; NULL: none */
	bool by_marks;           /* the summary has been taken, and the rows are not */
	struct fault *fault;
};

static void reader_fini(struct reader *r)
{
	rowset_fini(&r->rows);
	json_decref(r->summary);
}

static int bad(const struct reader *r, const char *what)
{
	return fault_set_line(r->fault, -EINVAL, r->line, "%s", what);
}

/* The class as the recording has it; a class that is not known has no rate. */
static int is_counter(const json_t *field)
{
	const char *class = json_string_value(json_object_get(field, "class"));

	return class ? strcmp(class, "counter") == 0 : -1;
}

/* Rows have values as they are, whatever the modes of the columns were. */
static int take_field(struct reader *r, const json_t *field)
{
	const char *name = json_string_value(json_object_get(field, "name"));
	ssize_t column;

	if (!name)
		return bad(r, "a field without a name");
	column = rowset_column(&r->rows, name, strlen(name), ROWSET_VALUE, is_counter(field));
	return column < 0 ? recording_fault(r->fault, (int)column, r->line) : 0;
}

static int take_value(struct reader *r, const char *name, const json_t *value)
{
	ssize_t column;
	int err;

	if (json_is_null(value))
		return 0;
	if (!json_is_number(value))
		return bad(r, "a value that is no number");
	column = rowset_column(&r->rows, name, strlen(name), ROWSET_VALUE, -1);
	err = column < 0 ? (int)column : rowset_set(&r->rows, (size_t)column, json_number_value(value));
	return recording_fault(r->fault, err, r->line);
}

/* Add what the counters of one phase counted to the sums of all phases of its name. 0 or -ENOMEM, -E2BIG, -ERANGE. */
static int gather_phase(struct reader *r, json_t *sums, const json_t *phase)
{
	const char *name = json_string_value(json_object_get(phase, "phase")), *field;
	double begin = json_number_value(json_object_get(phase, "begin_ns"));
	double end = json_number_value(json_object_get(phase, "end_ns"));
	json_t *values = json_object_get(phase, "values"), *value, *sum;

	if (!name || !name[0])
		return 0;
	if (fabs(begin) > RECORDING_VALUE_MAX || fabs(end) > RECORDING_VALUE_MAX)
		return -ERANGE;
	sum = json_object_get(sums, name);
	/* borrowed: the sums hold it */
	if (!sum && json_object_set_new(sums, name, sum = json_object()) < 0)
		return -ENOMEM;
	if (json_object_set_new(sum, "", json_real(json_number_value(json_object_get(sum, "")) + (end - begin))) < 0)
		return -ENOMEM;
	json_object_foreach(values, field, value) {
		const json_t *difference = json_object_get(value, "difference");
		double counted = json_number_value(difference);
		ssize_t column = rowset_column(&r->rows, field, strlen(field), ROWSET_VALUE, -1);

		if (column < 0)
			return (int)column;
		/* a counter that went back began anew */
		if (!field[0] || !json_is_number(difference) || !(counted >= 0) || !r->rows.column[column].counter)
			continue;
		if (counted > RECORDING_VALUE_MAX)
			return -ERANGE;
		if (json_object_set_new(sum, field,
					json_real(json_number_value(json_object_get(sum, field)) + counted)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_sum(struct reader *r, const char *phase, json_t *sum)
{
	struct figure *ignored;
	const char *field;
	json_t *value;
	int err = 0;

	json_object_foreach(sum, field, value) {
		double v = json_number_value(value);

		if (field[0])
			err = recording_add(r->rows.to, phase, field, FIGURE_TOTAL, "", v, v, &ignored);
		else if (v > 0)
			err = recording_add(r->rows.to, phase, "elapsed", FIGURE_LENGTH, "s", v / (double)NS_PER_SEC,
					    -1, &ignored);
		if (err)
			break;
	}
	return err;
}

/* The summary has what was counted between the marks, which no row may have met. */
static int add_totals(struct reader *r)
{
	_cleanup_(json_decrefp) json_t *sums = json_object();
	const json_t *phases = json_object_get(json_object_get(r->summary, "summary"), "phases");
	const char *name;
	json_t *sum;
	int err = sums ? 0 : -ENOMEM;

	for (size_t i = 0; i < json_array_size(phases) && !err; i++) {
		const json_t *phase = json_array_get(phases, i);
		double run = json_number_value(json_object_get(phase, "run"));

		if (!(run < r->run || run > r->run))
			err = gather_phase(r, sums, phase);
	}
	json_object_foreach(sums, name, sum) {
		if (err)
			break;
		err = add_sum(r, name, sum);
	}
	return err;
}

static int end_run(struct reader *r)
{
	int err = rowset_bring(&r->rows);

	if (!err && r->rows.rows && r->rows.totals_known)
		err = add_totals(r);
	rowset_close_run(&r->rows);
	return err;
}

/* A reading at one end of a phase, as a row. */
static int take_mark(struct reader *r, size_t phase, const json_t *time, json_t *values, const char *end)
{
	json_t *value;
	const char *name;
	int err = rowset_row(&r->rows, json_number_value(time) / (double)NS_PER_SEC, phase);

	if (err)
		return recording_fault(r->fault, err, r->line);
	json_object_foreach(values, name, value) {
		err = take_value(r, name, json_object_get(value, end));
		if (err)
			break;
	}
	return err;
}

static int take_phase(struct reader *r, const json_t *phase)
{
	const char *name = json_string_value(json_object_get(phase, "phase"));
	json_t *values = json_object_get(phase, "values");
	double run = json_number_value(json_object_get(phase, "run"));
	ssize_t index = rowset_phase(&r->rows, name ? name : "", name ? strlen(name) : 0);
	int err = index < 0 ? (int)index : 0;

	if (!err && (run < r->run || run > r->run))
		err = end_run(r);
	r->run = run;
	if (err)
		return recording_fault(r->fault, err, r->line);
	err = take_mark(r, (size_t)index, json_object_get(phase, "begin_ns"), values, "begin");
	return err ? err : take_mark(r, (size_t)index, json_object_get(phase, "end_ns"), values, "end");
}

/* Is a run too short for its rows to tell of it? A rate takes two. */
static bool is_short(const json_t *phases)
{
	bool several = false, few = false;

	for (size_t i = 0; i < json_array_size(phases); i++) {
		const json_t *phase = json_array_get(phases, i);

		several |= json_number_value(json_object_get(phase, "run")) > 1;
		few |= json_number_value(json_object_get(phase, "ticks")) < 2;
	}
	return several && few;
}

/*
 * The summary of the recording whose head has just been read: a line that begins so, before another head. NULL: none.
 */
static json_t *find_summary(const struct reader *r)
{
	static const char summary[] = "\n{\"summary\":", head[] = "\n{\"vmmon\":";
	const char *from = r->text + r->end, *next = memmem(from, r->n - r->end, head, strlen(head));
	const char *at = memmem(from, next ? (size_t)(next - from) : r->n - r->end, summary, strlen(summary));

	if (!at)
		return NULL;
	return json_loadb(at + 1, r->n - (size_t)(at + 1 - r->text), JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL,
			  NULL);
}

/* Repeated runs that are over before there are rows enough are compared by the readings at their marks. */
static int take_marks(struct reader *r)
{
	const json_t *phases;
	int err = 0;

	json_decref(r->summary);
	r->summary = find_summary(r);
	phases = json_object_get(json_object_get(r->summary, "summary"), "phases");
	r->by_marks = is_short(phases);
	r->rows.totals_known = r->summary && !r->by_marks;
	for (size_t i = 0; r->by_marks && i < json_array_size(phases) && !err; i++)
		err = take_phase(r, json_array_get(phases, i));
	return err;
}

static int take_head(struct reader *r, const json_t *head)
{
	static const char *const known[] = {"vmmon", "kernel", "command", "interval_ns"};
	const json_t *fields = json_object_get(head, "fields");
	int err = end_run(r);

	for (size_t i = 0; i < ARRAY_SIZE(known) && !err; i++) {
		const json_t *value = json_object_get(head, known[i]);

		if (json_is_string(value) || json_is_number(value))
			err = recording_tell_json(r->rows.to, known[i], value);
	}
	if (err)
		return recording_fault(r->fault, err, r->line);
	for (size_t i = 0; i < json_array_size(fields) && !err; i++)
		err = take_field(r, json_array_get(fields, i));
	r->headed = true;
	return err ? err : take_marks(r);
}

static int begin_row(struct reader *r, const json_t *row)
{
	const json_t *time = json_object_get(row, "mono_ns"), *run = json_object_get(row, "run");
	const char *phase = json_string_value(json_object_get(row, "phase"));
	double number = json_is_number(run) ? json_number_value(run) : r->run;
	ssize_t index = rowset_phase(&r->rows, phase ? phase : "", phase ? strlen(phase) : 0);
	int err = index < 0 ? (int)index : 0;

	if (!json_is_number(time))
		time = json_object_get(row, "time_ns");
	if (!err && (number < r->run || number > r->run))
		err = end_run(r);
	r->run = number;
	if (!err)
		err = rowset_row(&r->rows, json_is_number(time) ? json_number_value(time) / (double)NS_PER_SEC : NAN,
				 (size_t)index);
	return recording_fault(r->fault, err, r->line);
}

static int take_row(struct reader *r, const json_t *row)
{
	json_t *values = json_object_get(row, "values"), *value;
	const char *name;
	int err;

	if (!json_is_object(values))
		return bad(r, "neither a row with \"values\" nor a \"summary\"");
	err = begin_row(r, row);
	if (err)
		return err;
	json_object_foreach(values, name, value) {
		err = take_value(r, name, value);
		if (err)
			break;
	}
	return err;
}

/* One value of the text. */
static int take(struct reader *r, json_t *top)
{
	int err;

	if (!r->headed && json_object_get(top, "elapsed_ns")) {
		err = recording_is_of(r->rows.to, "report", r->fault);
		return err ? err : recording_report(r->rows.to, top, r->line, r->fault);
	}
	if (json_object_get(top, "vmmon")) {
		err = recording_is_of(r->rows.to, "json", r->fault);
		return err ? err : take_head(r, top);
	}
	if (!r->headed || !json_is_object(top))
		return bad(r, "is JSON, but neither rows of vmmon nor reports of iotrace");
	return r->by_marks || json_object_get(top, "summary") ? 0 : take_row(r, top);
}

static uint64_t count_lines(const char *text, size_t n)
{
	const char *end = text + n;
	uint64_t lines = 0;

	for (; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		lines++;
	return lines;
}

/* The next value: 1; 0 when nothing but blanks is left. */
static int next(struct reader *r, json_t **out)
{
	const size_t flags = JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES;
	size_t at = r->end;
	json_error_t error;

	while (at < r->n && memchr(" \t\r\n", r->text[at], 4))
		at++;
	r->line += count_lines(r->text + r->at, at - r->at);
	r->at = at;
	if (at == r->n)
		return 0;
	*out = json_loadb(r->text + at, r->n - at, flags, &error);
	/* seeds and words of data may be past 2^63: then all numbers of this value are doubles */
	if (!*out && json_error_code(&error) == json_error_numeric_overflow)
		*out = json_loadb(r->text + at, r->n - at, flags | JSON_DECODE_INT_AS_REAL, &error);
	if (!*out && !error.text[0])
		return recording_fault(r->fault, -ENOMEM, 0);
	if (!*out)
		return fault_set_line(r->fault, -EINVAL, r->line + (uint64_t)error.line - 1, "JSON: %s", error.text);
	r->end = at + (size_t)error.position;
	return 1;
}

static bool is_json(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && (line[i] == ' ' || line[i] == '\t'))
		i++;
	return i < n && (line[i] == '{' || line[i] == '[');
}

static int parse(struct recording *to, const char *text, size_t n, struct fault *fault)
{
	_cleanup_(reader_fini) struct reader r = {
		.rows = {.to = to}, .text = text, .n = n, .line = 1, .fault = fault,
	};

	if (rowset_phase(&r.rows, "", 0) < 0)
		return recording_fault(fault, -ENOMEM, 0);
	for (;;) {
		_cleanup_(json_decrefp) json_t *value = NULL;
		int more = next(&r, &value), err = more > 0 ? take(&r, value) : more;

		if (err < 0)
			return err;
		if (more == 0)
			return recording_fault(fault, end_run(&r), r.line);
	}
}

const struct recording_form recording_document = {.is = is_json, .parse = parse};
