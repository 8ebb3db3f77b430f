/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

#define WIDTH 16

static void put(FILE *f, struct cell cell, uint32_t decimals)
{
	char text[CELL_TEXT];

	cell.decimals = MAX(cell.decimals, decimals);
	cell_text(text, &cell);
	fprintf(f, " %*s", WIDTH, text);
}

static void line(FILE *f, int width, const struct columns *c, size_t i, const struct sample *begin,
		 const struct sample *end)
{
	fprintf(f, "%-*s", width, c->column[i].title);
	put(f, columns_cell_as(c, i, COLUMN_RAW, NULL, begin), 0);
	put(f, columns_cell_as(c, i, COLUMN_RAW, begin, end), 0);
	put(f, columns_cell_as(c, i, COLUMN_DELTA, begin, end), 0);
	put(f, columns_cell_as(c, i, COLUMN_RATE, begin, end), 2);
	fputc('\n', f);
}

void table_print(FILE *f, const char *name, const struct columns *c, const struct sample *begin,
		 const struct sample *end)
{
	char heading[64];
	int width = snprintf(heading, sizeof(heading), "%s%s%.3f s", name ? name : "", name ? ", " : "",
			     (double)(end->when - begin->when) / (double)NS_PER_SEC);

	for (size_t i = 0; i < c->count; i++)
		width = MAX(width, (int)strlen(c->column[i].title));
	fprintf(f, "\n%-*s %*s %*s %*s %*s\n", width, heading, WIDTH, "begin", WIDTH, "end", WIDTH, "difference", WIDTH,
		"per second");
	for (size_t i = 0; i < c->count; i++)
		line(f, width, c, i, begin, end);
}

void table_ticks(FILE *f, const struct sampler_stats *stats)
{
	fprintf(f, "\nrows %" PRIu64 ", ticks missed %" PRIu64 ", latest by %.3f ms\n", stats->ticks, stats->missed,
		(double)stats->late_max_ns / (double)NS_PER_MSEC);
	if (stats->torn)
		fprintf(f, "readings in more than one part %" PRIu64 "\n",
			stats->torn);
	if (stats->missing)
		fprintf(f, "readings without a field %" PRIu64 "\n", stats->missing);
}
