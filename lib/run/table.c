/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/stats.h"
#include "run/phase.h"

#define WIDTH 16
#define DECIMALS 2

static double seconds(const struct mark *from)
{
	return (double)(from->next->sample.when - from->sample.when) / (double)NS_PER_SEC;
}

static void put(FILE *f, int width, struct cell cell, uint32_t decimals)
{
	char text[CELL_TEXT];

	cell.decimals = MAX(cell.decimals, decimals);
	cell_text(text, &cell);
	fprintf(f, " %*s", width, text);
}

/* A phase, a line a column. */
static void print_phase(FILE *f, const char *name, const struct columns *c, const struct mark *from)
{
	const struct sample *begin = &from->sample, *end = &from->next->sample;
	char heading[MARK_TEXT];
	int width = snprintf(heading, sizeof(heading), "%s%s%.3f s", name ? name : "", name ? ", " : "", seconds(from));

	for (size_t i = 0; i < c->count; i++)
		width = MAX(width, (int)strlen(c->column[i].title));
	fprintf(f, "\n%-*s %*s %*s %*s %*s\n", width, heading, WIDTH, from->label, WIDTH, from->next->label, WIDTH,
		"difference", WIDTH, "per second");
	for (size_t i = 0; i < c->count; i++) {
		fprintf(f, "%-*s", width, c->column[i].title);
		put(f, WIDTH, columns_cell_as(c, i, COLUMN_RAW, NULL, begin), 0);
		put(f, WIDTH, columns_cell_as(c, i, COLUMN_RAW, begin, end), 0);
		put(f, WIDTH, columns_cell_as(c, i, COLUMN_DELTA, begin, end), 0);
		put(f, WIDTH, phase_rate(c, i, begin, end), DECIMALS);
		fputc('\n', f);
	}
}

/* The lines of a table with a column a field. */
struct across {
	FILE *f;
	const struct columns *c;
	int width;   /* of what stands in front */
};

static int width_of(const struct columns *c, size_t i)
{
	return MAX((int)strlen(c->column[i].title), WIDTH);
}

static void put_line(const struct across *a, const char *front, enum column_mode mode, const struct sample *prev,
		     const struct sample *now)
{
	fprintf(a->f, "%-*s", a->width, front);
	for (size_t i = 0; i < a->c->count; i++)
		if (mode == COLUMN_RATE)
			put(a->f, width_of(a->c, i), phase_rate(a->c, i, prev, now), DECIMALS);
		else
			put(a->f, width_of(a->c, i), columns_cell_as(a->c, i, mode, prev, now), 0);
	fputc('\n', a->f);
}

static int name_phase(char *buf, size_t size, const struct mark *from)
{
	return snprintf(buf, size, "%s to %s, %.3f s", from->label, from->next->label, seconds(from));
}

static void print_across(FILE *f, const char *name, const struct columns *c, const struct mark *first,
			 const struct mark *last)
{
	struct across a = {.f = f, .c = c, .width = (int)strlen(name ? name : "")};
	const struct sample *prev = NULL;
	char front[3 * MARK_TEXT];

	for (const struct mark *m = first; m != last; m = m->next)
		a.width = MAX(a.width, name_phase(front, sizeof(front), m));
	fprintf(f, "\n%-*s", a.width, name ? name : "");
	for (size_t i = 0; i < c->count; i++)
		fprintf(f, " %*s", width_of(c, i), c->column[i].title);
	fputc('\n', f);
	for (const struct mark *m = first; m != last->next; prev = &m->sample, m = m->next)
		put_line(&a, m->label, COLUMN_RAW, prev, &m->sample);
	for (const struct mark *m = first; m != last; m = m->next) {
		name_phase(front, sizeof(front), m);
		fputc('\n', f);
		put_line(&a, front, COLUMN_DELTA, &m->sample, &m->next->sample);
		put_line(&a, "per second", COLUMN_RATE, &m->sample, &m->next->sample);
	}
}

const struct mark *table_print(FILE *f, const char *name, const struct columns *c, const struct mark *first)
{
	const struct mark *last = phase_last(first);

	if (phase_ends(first) && first->next == last)
		print_phase(f, name, c, first);
	else if (last != first && c->count <= TABLE_ACROSS)
		print_across(f, name, c, first, last);
	else
		for (const struct mark *m = first; m != last; m = m->next)
			print_phase(f, name, c, m);
	return last->next;
}

/* One value has a mean and no deviation. */
static void put_stats(FILE *f, const struct stats *s, int decimals)
{
	double percent = stats_percent(s);

	if (s->n)
		fprintf(f, " %*.*f", WIDTH, decimals, s->mean);
	else
		fprintf(f, " %*s", WIDTH, "-");
	if (s->n > 1)
		fprintf(f, " %*.*f", WIDTH, decimals, stats_stddev(s));
	else
		fprintf(f, " %*s", WIDTH, "-");
	if (s->n > 1 && isfinite(percent))
		fprintf(f, " %7.2f%%", percent);
	else
		fprintf(f, " %8s", "-");
}

static void repeat_phase(FILE *f, const struct columns *c, const struct mark *like)
{
	struct stats stats;
	char heading[2 * MARK_TEXT];
	unsigned runs = phase_runs(like);
	int width;

	phase_seconds(&stats, like);
	if (stats.n == runs)
		width = snprintf(heading, sizeof(heading), "%u runs, %s", runs, like->phase);
	else
		width =
		    snprintf(heading, sizeof(heading), "%" PRIu64 " times in %u runs, %s", stats.n, runs, like->phase);
	for (size_t i = 0; i < c->count; i++)
		width = MAX(width, (int)strlen(c->column[i].title));
	fprintf(f, "\n%-*s %*s %*s %8s %*s %*s %8s\n", width, heading, WIDTH, "difference", WIDTH, "stddev", "+-",
		WIDTH, "per second", WIDTH, "stddev", "+-");
	fprintf(f, "%-*s", width, "seconds");
	put_stats(f, &stats, 6);
	fputc('\n', f);
	for (size_t i = 0; i < c->count; i++) {
		fprintf(f, "%-*s", width, c->column[i].title);
		phase_differences(&stats, c, i, like);
		put_stats(f, &stats, DECIMALS);
		phase_rates(&stats, c, i, like);
		put_stats(f, &stats, DECIMALS);
		fputc('\n', f);
	}
}

void table_repeat(FILE *f, const struct columns *c, const struct mark *first)
{
	for (const struct mark *m = first; m; m = m->next)
		if (phase_is_repeated(m, first))
			repeat_phase(f, c, m);
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
	if (stats->unlocked)
		fprintf(f, "not all locked in memory (%s): rows may be late while memory is reclaimed\n",
			strerror(-stats->unlocked));
}
