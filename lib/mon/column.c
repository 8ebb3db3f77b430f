/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/column.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

struct spec {
	char *name;              /* the spec without its mode; of a sum, what is in the parentheses */
	bool sum;
	bool glob;
	enum column_mode mode;
	const char *suffix;      /* ":raw" as written, or "" */
};

static void spec_fini(struct spec *s)
{
	free(s->name);
}

static int no_memory(struct fault *fault)
{
	return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
}

static int parse_mode(const char *suffix, enum column_mode *mode)
{
	static const struct {
		const char *suffix;
		enum column_mode mode;
	} modes[] = {
		{":rate", COLUMN_RATE},
		{":raw", COLUMN_RAW},
		{":delta", COLUMN_DELTA},
		{":auto", COLUMN_AUTO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(suffix, modes[i].suffix)) {
			*mode = modes[i].mode;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_spec(const char *text, enum column_mode mode, struct spec *out, struct fault *fault)
{
	const char *colon = strrchr(text, ':'), *name = text;
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	char quoted[64];

	fault_quote(quoted, sizeof(quoted), text, strlen(text));
	*out = (struct spec){.mode = mode, .suffix = colon ? colon : ""};
	if (colon && parse_mode(colon, &out->mode) < 0)
		return fault_set(fault, -EINVAL, "%s: behind the ':' stands none of raw, rate, delta, auto", quoted);
	if (length >= 4 && !strncmp(name, "sum(", 4)) {
		if (name[length - 1] != ')')
			return fault_set(fault, -EINVAL, "%s: sum( without its )", quoted);
		out->sum = true;
		name += 4;
		length -= 5;
	}
	if (!length)
		return fault_set(fault, -EINVAL, "%s: empty field name", quoted);
	out->name = strndup(name, length);
	if (!out->name)
		return no_memory(fault);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] <= ' ')
			return fault_set(fault, -EINVAL, "%s: a field name has no blanks", quoted);
	out->glob = out->sum || strpbrk(out->name, "*?[");
	return 0;
}

/* Forget what was added behind these counts. */
static void truncate_to(struct columns *c, size_t count, size_t want_count)
{
	while (c->count > count) {
		free(c->column[--c->count].title);
		free(c->column[c->count].name);
	}
	/* a term a column */
	c->term_count = count;
	while (c->want_count > want_count)
		free((char *)c->want[--c->want_count].name);
}

void columns_fini(struct columns *c)
{
	truncate_to(c, 0, 0);
	free(c->column);
	free(c->term);
	free(c->want);
	*c = (struct columns){0};
}

static int add_want(struct columns *c, const char *name, size_t length, size_t hint)
{
	struct vmstat_want *want = reallocarray(c->want, c->want_count + 1, sizeof(*want));
	char *copy;

	if (!want)
		return -ENOMEM;
	c->want = want;
	copy = strndup(name, length);
	if (!copy)
		return -ENOMEM;
	want[c->want_count++] = (struct vmstat_want){.name = copy, .name_length = length, .hint = hint};
	return 0;
}

/* A sum has the class of counters when one of its fields is a counter. */
static enum field_class class_of(const struct columns *c, const struct term *t)
{
	enum field_class result = FIELD_CONSTANT;

	for (size_t i = 0; i < t->want_count; i++) {
		enum field_class class = field_class_of(c->want[t->first_want + i].name);

		if (class == FIELD_COUNTER)
			return class;
		if (class == FIELD_GAUGE)
			result = class;
	}
	return result;
}

static int add_term(struct columns *c, size_t first_want)
{
	struct term *term = reallocarray(c->term, c->term_count + 1, sizeof(*term));

	if (!term)
		return -ENOMEM;
	c->term = term;
	term[c->term_count++] = (struct term){.first_want = first_want, .want_count = c->want_count - first_want};
	return 0;
}

/* A column over the wants from first_want to the last. */
static int add_column(struct columns *c, const char *name, const struct spec *spec, size_t first_want)
{
	struct column *column = reallocarray(c->column, c->count + 1, sizeof(*column));
	_cleanup_free_ char *title = NULL, *whole = NULL;
	enum field_class class;

	if (!column)
		return -ENOMEM;
	c->column = column;
	if (asprintf(&whole, spec->sum ? "sum(%s)" : "%s", name) < 0) {
		whole = NULL;
		return -ENOMEM;
	}
	if (asprintf(&title, "%s%s", whole, spec->suffix) < 0) {
		title = NULL;
		return -ENOMEM;
	}
	if (add_term(c, first_want) < 0)
		return -ENOMEM;
	class = class_of(c, &c->term[c->term_count - 1]);
	column[c->count++] = (struct column){
		.title = TAKE_PTR(title),
		.name = TAKE_PTR(whole),
		.unit = field_unit(c->want[first_want].name),
		.class = class,
		.mode = spec->mode != COLUMN_AUTO ? spec->mode : class == FIELD_COUNTER ? COLUMN_RATE : COLUMN_RAW,
		.term = c->term_count - 1,
	};
	return 0;
}

static bool has_want(const struct columns *c, size_t first, const struct vmstat_line *line)
{
	for (size_t i = first; i < c->want_count; i++)
		if (c->want[i].name_length == line->name_length &&
		    !memcmp(c->want[i].name, line->name, line->name_length))
			return true;
	return false;
}

static int add_matches(struct columns *c, const struct spec *spec, const char *text, size_t len)
{
	size_t first = c->want_count;
	struct vmstat_line line = {0};

	while (vmstat_next(text, len, line.next, &line)) {
		_cleanup_free_ char *name = strndup(line.name, line.name_length);
		int r;

		if (!name)
			return -ENOMEM;
		if (fnmatch(spec->name, name, 0) || has_want(c, first, &line))
			continue;
		r = add_want(c, name, line.name_length, line.start);
		if (!r && !spec->sum)
			r = add_column(c, name, spec, c->want_count - 1);
		if (r < 0)
			return r;
	}
	if (c->want_count == first)
		return -ENOENT;
	return spec->sum ? add_column(c, spec->name, spec, first) : 0;
}

static int add_name(struct columns *c, const struct spec *spec, const char *text, size_t len)
{
	struct vmstat_want want = {.name = spec->name, .name_length = strlen(spec->name)};
	int r;

	if (vmstat_lookup(text, len, &want, 1))
		return -ENOENT;
	r = add_want(c, want.name, want.name_length, want.hint);
	return r < 0 ? r : add_column(c, spec->name, spec, c->want_count - 1);
}

int columns_add(struct columns *c, const char *text_spec, enum column_mode mode, const char *text, size_t len,
		struct fault *fault)
{
	_cleanup_(spec_fini) struct spec spec = {0};
	size_t count = c->count, want_count = c->want_count;
	int r = parse_spec(text_spec, mode, &spec, fault);

	if (r < 0)
		return r;
	r = spec.glob ? add_matches(c, &spec, text, len) : add_name(c, &spec, text, len);
	if (r < 0)
		truncate_to(c, count, want_count);
	if (r == -ENOENT)
		return field_unknown(spec.name, text, len, fault);
	return r < 0 ? no_memory(fault) : 0;
}

size_t columns_values(struct columns *c, const char *text, size_t len, uint64_t *values, bool *missing)
{
	size_t absent = vmstat_lookup(text, len, c->want, c->want_count);

	for (size_t i = 0; i < c->term_count; i++) {
		const struct term *t = &c->term[i];
		uint64_t sum = 0;
		bool lacks = false;

		for (size_t j = 0; j < t->want_count; j++) {
			const struct vmstat_want *w = &c->want[t->first_want + j];

			sum += w->value;
			lacks |= !w->found;
		}
		values[i] = sum;
		missing[i] = lacks;
	}
	return absent;
}

struct cell columns_cell_as(const struct columns *c, size_t i, enum column_mode mode, const struct sample *prev,
			    const struct sample *now)
{
	size_t term = c->column[i].term;
	int64_t difference, elapsed;

	if (now->missing[term] || (mode != COLUMN_RAW && (!prev || prev->missing[term])))
		return (struct cell){.kind = CELL_NONE};
	if (mode == COLUMN_RAW)
		return (struct cell){.kind = CELL_UNSIGNED, .u = now->values[term]};
	difference = (int64_t)(now->values[term] - prev->values[term]);
	if (mode == COLUMN_DELTA)
		return (struct cell){.kind = CELL_SIGNED, .i = difference};
	elapsed = now->when - prev->when;
	if (elapsed <= 0)
		return (struct cell){.kind = CELL_NONE};
	return (struct cell){.kind = CELL_REAL, .real = (double)difference * 1e9 / (double)elapsed};
}

struct cell columns_cell(const struct columns *c, size_t i, const struct sample *prev, const struct sample *now)
{
	return columns_cell_as(c, i, c->column[i].mode, prev, now);
}
