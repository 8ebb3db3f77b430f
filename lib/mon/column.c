/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/column.h"

#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "mon/derived.h"
#include "mon/search.h"
#include "mon/spec.h"

int columns_init(struct columns *c, const struct sources_params *p, struct fault *fault)
{
	*c = (struct columns){0};
	return sources_init(&c->sources, p, fault);
}

/* Forget what was added behind these counts. */
static void truncate_to(struct columns *c, const struct columns *before)
{
	while (c->count > before->count) {
		struct column *last = &c->column[--c->count];

		free(last->title);
		free(last->name);
		formula_fini(&last->formula);
	}
	while (c->operand_count > before->operand_count)
		free(c->operand[--c->operand_count].name);
	c->term_count = before->term_count;
}

void columns_fini(struct columns *c)
{
	truncate_to(c, &(struct columns){0});
	free(c->column);
	free(c->term);
	free(c->operand);
	sources_fini(&c->sources);
	*c = (struct columns){0};
}

static int no_memory(struct fault *fault)
{
	return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
}

static void column_fini(struct column *column)
{
	free(column->title);
	free(column->name);
	formula_fini(&column->formula);
}

static enum column_mode mode_of(enum column_mode mode, enum field_class class)
{
	return mode != COLUMN_AUTO ? mode : class == FIELD_COUNTER ? COLUMN_RATE : COLUMN_RAW;
}

/* Whoever reads rows finds columns by their names: a formula is no other column's. */
static bool is_taken(const struct columns *c, const struct column *new, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->column[i].name, name) == 0)
			return new->class == FIELD_DERIVED || c->column[i].class == FIELD_DERIVED;
	return false;
}

/* Add a column with a copy of the name; takes the formula. */
static int put_column(struct columns *c, struct column *new, const char *name, const char *suffix, struct fault *fault)
{
	struct column *column;

	if (is_taken(c, new, name))
		return fault_set(fault, -EINVAL, "%s: another column has this name", name);
	column = reallocarray(c->column, c->count + 1, sizeof(*column));
	if (!column)
		return no_memory(fault);
	c->column = column;
	new->name = strdup(name);
	if (!new->name || asprintf(&new->title, "%s%s", name, suffix) < 0) {
		new->title = NULL;
		return no_memory(fault);
	}
	column[c->count++] = *new;
	*new = (struct column){0};
	return 0;
}

/* A sum has the class of counters when one of its fields is a counter. */
static enum field_class class_of(const struct columns *c, size_t first, size_t count)
{
	enum field_class result = FIELD_CONSTANT;

	for (size_t i = first; i < first + count; i++) {
		if (c->operand[i].class == FIELD_COUNTER)
			return FIELD_COUNTER;
		if (c->operand[i].class == FIELD_GAUGE)
			result = FIELD_GAUGE;
	}
	return result;
}

/* A term over count operands from first on. */
static int put_term(struct columns *c, const struct spec *spec, size_t first, size_t count, struct fault *fault)
{
	struct term *term = reallocarray(c->term, c->term_count + 1, sizeof(*term));
	enum field_class class = count ? class_of(c, first, count) : source_class_of(spec->name);
	uint32_t decimals = count ? c->operand[first].decimals : 0;
	bool narrow = false;
	char quoted[64];

	if (!term)
		return no_memory(fault);
	c->term = term;
	for (size_t i = first; i < first + count; i++) {
		narrow |= c->operand[i].narrow;
		if (c->operand[i].decimals != decimals)
			return fault_set(fault, -EINVAL, "%s: adds %s and %s",
					 fault_quote(quoted, sizeof(quoted), spec->text, strlen(spec->text)),
					 c->operand[first].unit, c->operand[i].unit);
	}
	term[c->term_count++] = (struct term){
		.first = first,
		.count = count,
		.class = class,
		.mode = spec->mode != COLUMN_AUTO ? spec->mode : class == FIELD_COUNTER ? COLUMN_DELTA : COLUMN_RAW,
		.decimals = decimals,
		.narrow = narrow,
	};
	return 0;
}

static int put_field(struct columns *c, const struct spec *spec, const char *name, size_t first, size_t count,
		     struct fault *fault)
{
	_cleanup_(column_fini) struct column new = {.term = c->term_count};
	int r = put_term(c, spec, first, count, fault);

	if (r < 0)
		return r;
	new.class = c->term[new.term].class;
	new.mode = mode_of(spec->mode, new.class);
	new.unit = count ? c->operand[first].unit : field_unit(spec->name);
	new.alias = spec->alias;
	return put_column(c, &new, name, spec->suffix, fault);
}

static int add_fields(struct columns *c, struct spec *spec, struct fault *fault)
{
	size_t first = c->operand_count, count;
	int r = search_operands(c, spec, fault);

	if (r < 0 && !(r == -ENXIO && spec->optional))
		return r;
	count = c->operand_count - first;
	if (!spec->several || !count)
		return put_field(c, spec, spec->bare, first, count, fault);
	for (size_t i = first; i < first + count; i++) {
		r = put_field(c, spec, c->operand[i].name, i, 1, fault);
		if (r < 0)
			return r;
	}
	return 0;
}

struct resolver {
	struct columns *columns;
	bool optional;
};

static int resolve(void *ctx, const char *text, size_t n, size_t *field, struct fault *fault)
{
	const struct resolver *resolver = ctx;
	struct columns *c = resolver->columns;
	_cleanup_free_ char *copy = strndup(text, n);
	_cleanup_(spec_fini) struct spec spec = {0};
	size_t first = c->operand_count;
	char quoted[64];
	int r;

	if (!copy)
		return no_memory(fault);
	r = spec_parse(&spec, copy, COLUMN_AUTO, fault);
	if (r == 0)
		r = search_operands(c, &spec, fault);
	if (r < 0 && !(r == -ENXIO && resolver->optional))
		return r;
	if (spec.several)
		return fault_set(fault, -EINVAL, "%s may be several fields: sum() makes one of them",
				 fault_quote(quoted, sizeof(quoted), copy, n));
	*field = c->term_count;
	return put_term(c, &spec, first, c->operand_count - first, fault);
}

static int add_formula(struct columns *c, const char *name, const char *formula, bool optional, const struct derived *d,
		       struct fault *fault)
{
	_cleanup_(column_fini) struct column new = {
		.class = FIELD_DERIVED, .mode = COLUMN_RAW, .unit = d ? d->unit : "1", .most = d ? d->most : 0};
	struct resolver resolver = {.columns = c, .optional = optional};
	struct fault why = {0};
	int r = formula_parse(&new.formula, formula, resolve, &resolver, &why);

	if (r < 0)
		return fault_set(fault, r, "%s: %s", name, why.text);
	return put_column(c, &new, name, "", fault);
}

static int add(struct columns *c, const char *text, enum column_mode mode, struct fault *fault)
{
	_cleanup_(spec_fini) struct spec spec = {0};
	_cleanup_free_ char *name = NULL;
	bool optional = text[0] == '?';
	const struct derived *derived;
	size_t length = spec_formula(text + optional);
	int r;

	if (length) {
		name = strndup(text + optional, length);
		if (!name)
			return no_memory(fault);
		return add_formula(c, name, text + optional + length + 1, optional, NULL, fault);
	}
	r = spec_parse(&spec, text, mode, fault);
	if (r < 0)
		return r;
	derived = derived_find(spec.bare);
	if (derived && spec.suffix[0])
		return fault_set(fault, -EINVAL, "%s is shown in one way only, so it takes no %s", spec.bare,
				 spec.suffix);
	if (derived)
		return add_formula(c, derived->name, derived->formula, optional, derived, fault);
	return add_fields(c, &spec, fault);
}

int columns_add(struct columns *c, const char *text, enum column_mode mode, struct fault *fault)
{
	const struct columns before = *c;
	int r = add(c, text, mode, fault);

	if (r < 0)
		truncate_to(c, &before);
	return r == -ENXIO ? -EINVAL : r;
}
