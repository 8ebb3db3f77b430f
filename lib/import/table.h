/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of cells that a layout gives a meaning. Private to lib/import. */
#pragma once

#include "import/importer.h"
#include "import/layout.h"
#include "import/scan.h"

struct table {
	struct layout layout;
	char separator;	 /* ',' ';' a tab, or ' ' for any blanks */
	bool quotes;	 /* a cell may stand in double quotes */
	int least, most; /* cells of a line */
	bool header;	 /* the first line may name the columns */
	bool letters;	 /* ops are R and W in either case, nothing else */
	bool words;	 /* ops are Read and Write in any case, nothing else */
	bool blank_ops;	 /* a row without an op is no request */
	bool ready;	 /* the first line was seen */
	bool ticking;
	uint64_t first_tick;
};

/* Prepare from the text of a layout; most == 0: any number of further cells. */
int table_open(struct table *t, const char *columns, char separator, int least, int most, struct fault *fault);

/* importer.line() for tables. */
int table_line(struct import *imp, struct table *t, const char *s, size_t n);

/* The cells of a line; LAYOUT_COLUMNS + 1 when there are more. */
int table_split(const struct table *t, const char *s, size_t n, struct word *cells);
