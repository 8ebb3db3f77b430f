/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON, of vmmon: an object about the recording, one for each row, a summary. Those of iotrace are in recording_report.c. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/document.h"
#include "run/recording_report.h"

struct reader {
	struct rowset rows;
	struct document d;
	double run;
	bool headed;
	struct fault *fault;
};

static void reader_fini(struct reader *r)
{
	rowset_fini(&r->rows);
	document_fini(&r->d);
}

static int bad(const struct reader *r, const struct document_node *node, const char *what)
{
	return fault_set_line(r->fault, -EINVAL, node->line, "%s", what);
}

static bool is_text(const struct document_node *node, const char *text)
{
	return node && node->type == DOCUMENT_STRING && node->length == strlen(text) &&
	       memcmp(node->text, text, node->length) == 0;
}

/* The class as the recording has it; a class that is not known has no rate. */
static int is_counter(const struct document *d, const struct document_node *field)
{
	const struct document_node *class = document_typed(d, field, "class", DOCUMENT_STRING);

	return class ? is_text(class, "counter") : -1;
}

/* Rows have values as they are, whatever the modes of the columns were. */
static int take_field(struct reader *r, const struct document_node *field)
{
	const struct document_node *name = document_typed(&r->d, field, "name", DOCUMENT_STRING);
	_cleanup_free_ char *text = name ? document_text(name->text, name->length) : NULL;
	ssize_t column;

	if (!name)
		return bad(r, field, "a field without a name");
	column = text ? rowset_column(&r->rows, text, strlen(text), ROWSET_VALUE, is_counter(&r->d, field)) : -ENOMEM;
	return column < 0 ? recording_fault(r->fault, (int)column, field->line) : 0;
}

static int take_head(struct reader *r)
{
	static const char *const known[] = {"vmmon", "kernel", "command", "interval_ns"};
	const struct document_node *fields = document_typed(&r->d, r->d.node, "fields", DOCUMENT_ARRAY), *field;
	size_t at = 0;
	int err = rowset_end_run(&r->rows);

	for (size_t i = 0; i < ARRAY_SIZE(known) && !err; i++) {
		const struct document_node *node = document_member(&r->d, r->d.node, known[i]);

		if (node && (node->type == DOCUMENT_STRING || node->type == DOCUMENT_NUMBER))
			err = recording_tell(r->rows.to, known[i], node->text, node->length);
	}
	if (err)
		return recording_fault(r->fault, err, r->d.node->line);
	while (fields && !err && (field = document_child(&r->d, fields, &at)) != NULL)
		err = take_field(r, field);
	r->headed = true;
	return err;
}

static int take_value(struct reader *r, const struct document_node *value)
{
	_cleanup_free_ char *name = NULL;
	ssize_t column;
	int err;

	if (value->type == DOCUMENT_NULL)
		return 0;
	if (value->type != DOCUMENT_NUMBER)
		return bad(r, value, "a value that is no number");
	if (!memchr(value->name, '\\', value->name_length)) {
		column = rowset_column(&r->rows, value->name, value->name_length, ROWSET_VALUE, -1);
	} else {
		name = document_text(value->name, value->name_length);
		column = name ? rowset_column(&r->rows, name, strlen(name), ROWSET_VALUE, -1) : -ENOMEM;
	}
	err = column < 0 ? (int)column : rowset_set(&r->rows, (size_t)column, value->number);
	return recording_fault(r->fault, err, value->line);
}

static int begin_row(struct reader *r, const struct document_node *row)
{
	const struct document_node *time = document_typed(&r->d, row, "mono_ns", DOCUMENT_NUMBER);
	const struct document_node *run = document_typed(&r->d, row, "run", DOCUMENT_NUMBER);
	const struct document_node *phase = document_typed(&r->d, row, "phase", DOCUMENT_STRING);
	_cleanup_free_ char *name = phase ? document_text(phase->text, phase->length) : strdup("");
	double number = run ? run->number : r->run;
	ssize_t index = name ? rowset_phase(&r->rows, name, strlen(name)) : -ENOMEM;
	int err = index < 0 ? (int)index : 0;

	if (!time)
		time = document_typed(&r->d, row, "time_ns", DOCUMENT_NUMBER);
	if (!err && (number < r->run || number > r->run))
		err = rowset_end_run(&r->rows);
	r->run = number;
	if (!err)
		err = rowset_row(&r->rows, time ? time->number / (double)NS_PER_SEC : NAN, (size_t)index);
	return recording_fault(r->fault, err, row->line);
}

static int take_row(struct reader *r)
{
	const struct document_node *row = r->d.node, *value;
	const struct document_node *values = document_typed(&r->d, row, "values", DOCUMENT_OBJECT);
	size_t at = 0;
	int err;

	if (!values)
		return bad(r, row, "neither a row with \"values\" nor a \"summary\"");
	err = begin_row(r, row);
	while (!err && (value = document_child(&r->d, values, &at)) != NULL)
		err = take_value(r, value);
	return err;
}

/* One value of the text. */
static int take(struct reader *r)
{
	const struct document_node *top = r->d.node;
	int err;

	if (top->type != DOCUMENT_OBJECT)
		return bad(r, top, "is JSON, but neither rows of vmmon nor reports of iotrace");
	if (!r->headed && document_member(&r->d, top, "elapsed_ns")) {
		err = recording_is_of(r->rows.to, "report", r->fault);
		return err ? err : recording_report(r->rows.to, &r->d, r->fault);
	}
	if (document_member(&r->d, top, "vmmon")) {
		err = recording_is_of(r->rows.to, "json", r->fault);
		return err ? err : take_head(r);
	}
	if (!r->headed)
		return bad(r, top, "is JSON, but neither rows of vmmon nor reports of iotrace");
	return document_member(&r->d, top, "summary") ? 0 : take_row(r);
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
	_cleanup_(reader_fini) struct reader r = {.rows = {.to = to}, .fault = fault};
	size_t at = 0;
	uint64_t line = 1;
	int err = rowset_phase(&r.rows, "", 0) < 0 ? recording_fault(fault, -ENOMEM, 0) : 1;

	while (err > 0) {
		err = document_next(&r.d, text, n, &at, &line, fault);
		if (err <= 0)
			break;
		err = take(&r);
		err = err ? err : 1;
	}
	return err ? err : recording_fault(fault, rowset_end_run(&r.rows), line);
}

const struct recording_form recording_document = {.is = is_json, .parse = parse};
