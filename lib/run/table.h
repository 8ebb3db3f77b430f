/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a sampled session: begin, end, difference and rate of each column. Numbers are printed without the
 * locale.
 */
#pragma once

#include <stdio.h>

#include "mon/column.h"
#include "mon/sampler.h"

/*
 * An empty line, a heading, and one line a column: title, value at begin and at end, difference, difference per second
 * with two decimals, whatever the mode of the column. "-" where a field was not there. The heading says how long it is from
 * begin to end, and, unless NULL, the name ("play 2").
 */
void table_print(FILE *f, const char *name, const struct columns *c, const struct sample *begin,
		 const struct sample *end);

/*
 * One line: rows given out, ticks missed, the largest delay of a tick; and, when there were any, readings that took more
 * than one read and readings in which a field was not there.
 */
void table_ticks(FILE *f, const struct sampler_stats *stats);
