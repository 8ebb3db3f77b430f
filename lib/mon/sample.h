/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reading: what the fields of all columns had at one moment. Only columns_cell() (mon/column.h) knows what a column
 * shows of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sample {
	int64_t when;            /* CLOCK_MONOTONIC, middle of the reading, ns */
	const uint64_t *values;  /* columns->term_count of them, in the order of the terms */
	const bool *missing;     /* likewise: the file lacked the field, and the value means nothing */
	const char *phase;       /* that goes on at that moment; NULL: none */
	unsigned run;            /* number of the run that it belongs to, from 1; 0: none so far */
};
