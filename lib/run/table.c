/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/row.h"

#define WIDTH 16

static void line(FILE *f, int width, const struct column *c, size_t i, const struct sample *begin,
		 const struct sample *end)
{
	char first[ROW_NUMBER] = "-", last[ROW_NUMBER] = "-", difference[ROW_NUMBER] = "-", rate[64] = "-";

	if (!begin->missing[i])
		row_unsigned(first, begin->values[i]);
	if (!end->missing[i])
		row_unsigned(last, end->values[i]);
	if (!begin->missing[i] && !end->missing[i]) {
		row_signed(difference, column_difference(begin->values[i], end->values[i]));
		if (end->when > begin->when)
			snprintf(rate, sizeof(rate), "%.2f",
				 column_rate(begin->values[i], end->values[i], end->when - begin->when));
	}
	fprintf(f, "%-*s %*s %*s %*s %*s\n", width, c->title, WIDTH, first, WIDTH, last, WIDTH, difference, WIDTH, rate);
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
		line(f, width, &c->column[i], i, begin, end);
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
