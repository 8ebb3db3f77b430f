/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "mon/column.h"
#include "mon/derived.h"

static int complain(const struct fault *fault, int status)
{
	fprintf(stderr, "vmmon: --list: %s\n", fault->text);
	return status;
}

static void line(int width, const struct columns *c, const struct column *column, const struct cell *value)
{
	const struct term *t = &c->term[column->term];
	enum field_fresh fresh = FIELD_ALWAYS;
	char text[CELL_TEXT];

	for (size_t i = t->first; i < t->first + t->count; i++)
		if (c->operand[i].fresh == FIELD_FOLDED)
			fresh = FIELD_FOLDED;
	cell_text(text, value);
	printf("%-*s %-8s %-10s %-6s %20s\n", width, column->title, field_class_name(column->class), column->unit,
	       field_fresh_name(fresh), text);
}

static int show_fields(struct columns *c, struct fault *fault)
{
	_cleanup_free_ uint64_t *values = calloc(c->term_count + 1, sizeof(*values));
	_cleanup_free_ bool *missing = calloc(c->term_count + 1, sizeof(*missing));
	const struct sample now = {.values = values, .missing = missing};
	int width = (int)strlen("name");

	if (!values || !missing)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	columns_values(c, values, missing);
	for (size_t i = 0; i < c->count; i++)
		width = MAX(width, (int)strlen(c->column[i].title));
	printf("%-*s %-8s %-10s %-6s %20s\n", width, "name", "class", "unit", "fresh", "value");
	for (size_t i = 0; i < c->count; i++) {
		const struct cell value = columns_cell_as(c, i, COLUMN_RAW, NULL, &now);

		line(width, c, &c->column[i], &value);
	}
	return 0;
}

/* Which derived columns are to be shown: those that a word names or matches, all without words. */
static bool is_asked(const struct options *o, const struct derived *d)
{
	for (size_t i = 0; i < o->word_count; i++)
		if (!fnmatch(o->word[i], d->name, 0))
			return true;
	return o->word_count == 0;
}

static void show_derived(const struct options *o, bool fields)
{
	size_t shown = 0;
	int width = 0, units = 0;

	for (size_t i = 0; i < derived_count; i++) {
		width = MAX(width, (int)strlen(derived_columns[i].name));
		units = MAX(units, (int)strlen(derived_columns[i].unit));
	}
	for (size_t i = 0; i < derived_count; i++) {
		const struct derived *d = &derived_columns[i];

		if (!is_asked(o, d))
			continue;
		if (shown++ == 0)
			printf("%s%-*s %-*s formula\n", fields ? "\n" : "", width, "derived", units, "unit");
		printf("%-*s %-*s %s\n%*s %s\n", width, d->name, units, d->unit, d->formula, width + 1 + units, "",
		       d->meaning);
	}
}

static void show_sources(void)
{
	printf("\nsources of further fields, for --list 'SOURCE:*':");
	for (size_t i = 0; i < source_kind_count; i++)
		if (source_kinds[i].root != SOURCE_NO_FILE)
			printf(" %s%s", source_kinds[i].prefix, source_kinds[i].noun ? ":NAME" : "");
	putchar('\n');
}

/* A word that no field matches may be for derived columns alone. */
static bool names_derived(const char *word)
{
	for (size_t i = 0; i < derived_count; i++)
		if (!fnmatch(word, derived_columns[i].name, 0))
			return true;
	return false;
}

int list_fields(const struct options *o)
{
	_cleanup_(columns_fini) struct columns c = {0};
	const struct sources_params sources = {.proc = o->proc, .plain = o->plain};
	static char all[] = "*", *every[] = {all};
	char *const *word = o->word_count ? o->word : every;
	struct fault fault;

	if (columns_init(&c, &sources, &fault) < 0)
		return complain(&fault, 1);
	for (size_t i = 0; i < MAX(o->word_count, (size_t)1); i++) {
		int r = derived_find(word[i]) ? 0 : columns_add(&c, word[i], COLUMN_RAW, &fault);

		if (r < 0 && !(r == -EINVAL && names_derived(word[i])))
			return complain(&fault, r == -EINVAL ? 2 : 1);
	}
	if (c.count && show_fields(&c, &fault) < 0)
		return complain(&fault, 1);
	show_derived(o, c.count > 0);
	if (o->word_count == 0)
		show_sources();
	return 0;
}
