/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/chart.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"

int chart_init(struct chart *out, const struct columns *columns)
{
	_cleanup_(chart_fini) struct chart c = {.columns = columns, .each = 1};

	c.time = calloc(CHART_POINTS, sizeof(*c.time));
	c.value = calloc(MAX(columns->count, (size_t)1) * CHART_POINTS, sizeof(*c.value));
	c.sum = calloc(columns->count + 1, sizeof(*c.sum));
	c.defined = calloc(columns->count + 1, sizeof(*c.defined));
	if (!c.time || !c.value || !c.sum || !c.defined)
		return -ENOMEM;
	*out = c;
	c = (struct chart){0};
	return 0;
}

void chart_fini(struct chart *c)
{
	free(c->time);
	free(c->value);
	free(c->sum);
	free(c->defined);
	*c = (struct chart){0};
}

static double mean_of(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a / 2 + b / 2;
}

/* Each two points become one. */
static void halve(struct chart *c)
{
	for (size_t i = 0; i < CHART_POINTS / 2; i++) {
		c->time[i] = c->time[2 * i + 1];
		for (size_t k = 0; k < c->columns->count; k++) {
			double *v = c->value + k * CHART_POINTS;

			v[i] = mean_of(v[2 * i], v[2 * i + 1]);
		}
	}
	c->points = CHART_POINTS / 2;
	c->each *= 2;
}

static void close_point(struct chart *c)
{
	for (size_t k = 0; k < c->columns->count; k++) {
		c->value[k * CHART_POINTS + c->points] = c->defined[k] ? c->sum[k] / (double)c->defined[k] : NAN;
		c->sum[k] = 0;
		c->defined[k] = 0;
	}
	c->points++;
	c->open = 0;
}

void chart_add(struct chart *c, int64_t start, const struct sample *prev, const struct sample *now)
{
	if (c->points == CHART_POINTS)
		halve(c);
	for (size_t k = 0; k < c->columns->count; k++) {
		struct cell cell = columns_cell(c->columns, k, prev, now);

		if (cell.kind == CELL_NONE)
			continue;
		c->sum[k] += cell_number(&cell);
		c->defined[k]++;
	}
	c->time[c->points] = (double)(now->when - start) / (double)NS_PER_SEC;
	if (++c->open == c->each)
		close_point(c);
}
