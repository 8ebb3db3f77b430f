/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "import/table.h"

struct csv {
	struct table table;
	bool named; /* the columns were given */
};

static int csv_open(struct import *imp, struct fault *fault)
{
	struct csv *c = imp->state;
	const char *columns = imp->opt.csv_columns;
	int r;

	c->table.quotes = true;
	c->named = columns != NULL;
	if (!columns)
		return 0;
	r = table_open(&c->table, columns, ',', 0, 0, fault);
	c->table.least = c->table.layout.columns;
	c->table.header = true;
	return r;
}

/* What separates the cells: the first of comma, semicolon and tab that is in the first line, else blanks. */
static char separator_of(const char *s, size_t n)
{
	static const char known[] = {',', ';', '\t'};

	for (size_t i = 0; i < sizeof(known); i++)
		if (memchr(s, known[i], n))
			return known[i];
	return ' ';
}

static int csv_line(struct import *imp, const char *s, size_t n)
{
	struct csv *c = imp->state;
	struct word cells[LAYOUT_COLUMNS];
	int count;

	if (likely(c->table.ready))
		return table_line(imp, &c->table, s, n);
	c->table.separator = separator_of(s, n);
	if (c->named)
		return table_line(imp, &c->table, s, n);
	count = table_split(&c->table, s, n, cells);
	if (count > LAYOUT_COLUMNS)
		return import_bad(imp, "more than %d columns", LAYOUT_COLUMNS);
	if (layout_of_header(cells, count, &c->table.layout, &imp->bad))
		return import_fail(imp, -EINVAL, "%s; name the columns with --csv-columns", imp->bad.text);
	if (c->table.layout.unknown)
		import_notes(
		    imp,
		    "{column has another name|columns have other names} than time, offset, length, op and file, "
		    "and {is|are} passed over",
		    (uint64_t)c->table.layout.unknown);
	c->table.least = c->table.layout.columns;
	c->table.most = LAYOUT_COLUMNS + 1;
	c->table.ready = true;
	return 1;
}

const struct importer import_csv = {
    .name = "csv",
    .help = "any table: columns by --csv-columns or by its first line",
    .state_size = sizeof(struct csv),
    .open = csv_open,
    .line = csv_line,
    .nothing = "no line has the columns that were named",
    .comments = true,
};
