/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A picture of what was sampled: a panel for each unit, over the time, with the marks of the phases. What columns show,
 * in their own modes, is collected row by row in a fixed room: when that is full, each two points become their mean, so
 * that any time fits. Nothing is allocated for a row.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/column.h"
#include "mon/sampler.h"
#include "run/gnuplot.h"

#define CHART_POINTS 2048

struct chart {
	const struct columns *columns; /* borrowed */
	double *time;                  /* of each point, seconds since the start: of the last row in it */
	double *value;                 /* CHART_POINTS of each column, the mean of its rows; NaN: none was defined */
	size_t points;
	uint64_t each;                 /* rows of a point */
	uint64_t open;                 /* rows of the point that is being made, behind the others */
	double *sum;                   /* of each column, of that point */
	uint64_t *defined;             /* rows in sum */
};

/* 0 or -ENOMEM. The columns must stay as they are. */
int chart_init(struct chart *c, const struct columns *columns);
void chart_fini(struct chart *c);

/* Add a row; start: the first reading. */
void chart_add(struct chart *c, int64_t start, const struct sample *prev, const struct sample *now);

/* Write the script. title: the words of the command line; first: the marks. 0 or -ENOMEM with the text. */
int chart_put(const struct chart *c, const struct gnuplot *g, const char *title, int64_t start, const struct mark *first,
	      struct fault *fault);
