/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/phase.h"

#include <string.h>

#include "base/clock.h"

bool phase_ends(const struct mark *m)
{
	return m->phase[0] && m->next;
}

const struct mark *phase_last(const struct mark *first)
{
	const struct mark *m = first;

	while (phase_ends(m) && m->next->run == first->run)
		m = m->next;
	return m;
}

static bool is_like(const struct mark *m, const struct mark *like)
{
	return phase_ends(m) && strcmp(m->phase, like->phase) == 0;
}

static const struct mark *next_like(const struct mark *m, const struct mark *like)
{
	for (m = m->next; m; m = m->next)
		if (is_like(m, like))
			return m;
	return NULL;
}

bool phase_is_repeated(const struct mark *m, const struct mark *first)
{
	if (!phase_ends(m) || !next_like(m, m))
		return false;
	while (first != m && !is_like(first, m))
		first = first->next;
	return first == m;
}

unsigned phase_runs(const struct mark *like)
{
	unsigned n = 0, last = 0;

	for (const struct mark *m = like; m; last = m->run, m = next_like(m, like))
		n += m->run != last;
	return n;
}

void phase_seconds(struct stats *out, const struct mark *like)
{
	*out = (struct stats){0};
	for (const struct mark *m = like; m; m = next_like(m, like))
		stats_add(out, (double)(m->next->sample.when - m->sample.when) / (double)NS_PER_SEC);
}

static void add(struct stats *out, const struct cell *cell)
{
	if (cell->kind != CELL_NONE)
		stats_add(out, cell_number(cell));
}

void phase_differences(struct stats *out, const struct columns *c, size_t i, const struct mark *like)
{
	bool derived = c->column[i].class == FIELD_DERIVED;

	*out = (struct stats){0};
	for (const struct mark *m = like; m; m = next_like(m, like)) {
		struct cell cell =
		    columns_cell_as(c, i, derived ? COLUMN_RAW : COLUMN_DELTA, &m->sample, &m->next->sample);

		add(out, &cell);
	}
}

struct cell phase_rate(const struct columns *c, size_t i, const struct sample *from, const struct sample *to)
{
	const struct column *column = &c->column[i];
	bool asked = column->mode == COLUMN_RATE && strcmp(column->title, column->name) != 0;

	if (column->class != FIELD_COUNTER && !asked)
		return (struct cell){.kind = CELL_NONE};
	return columns_cell_as(c, i, COLUMN_RATE, from, to);
}

void phase_rates(struct stats *out, const struct columns *c, size_t i, const struct mark *like)
{
	*out = (struct stats){0};
	for (const struct mark *m = like; m; m = next_like(m, like)) {
		struct cell cell = phase_rate(c, i, &m->sample, &m->next->sample);

		add(out, &cell);
	}
}
