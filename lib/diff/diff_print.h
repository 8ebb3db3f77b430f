/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What diff.c has found, in words and columns. */
#pragma once

#include <stdio.h>

#include "mon/compare.h"
#include "diff/recording.h"

enum verdict {
	VERDICT_MORE,    /* in B, by the test */
	VERDICT_LESS,
	VERDICT_MORE_MAYBE,
	VERDICT_LESS_MAYBE,
	VERDICT_NOISE,   /* not more than chance makes */
	VERDICT_OPEN,    /* too few values for a test */
	VERDICT_FLOOR,   /* the change is under the floor */
	VERDICT_FEW,     /* few events, whose difference chance explains */
	VERDICT_COUNT
};

struct finding {
	const struct figure *a, *b;
	struct comparison c;     /* of runs, or of parts */
	double mean_a, mean_b;   /* of runs */
	double sd_a, sd_b;       /* of runs, or of rows where there is one run; negative: of one value */
	double change;           /* percent of A; NaN when A is 0 and B is not */
	enum verdict verdict;
};

/* The two sides, with what differs in their circumstances; names are what the user called them. */
void diff_print_sides(FILE *f, const char *name_a, const struct recording *a, const char *name_b,
		      const struct recording *b);

/* What a figure is called in tables: NAME, NAME/s, NAME:delta, NAME:total, with its unit. */
void diff_print_label(char *out, size_t size, const struct figure *f);

/* One sentence about a figure: "elapsed 8.706 s against 8.744 s: +0.4 %, within noise". */
void diff_print_sentence(FILE *f, const char *phase, const struct finding *finding);

/* The table of a phase: what is not under the floor and not of few events. Prints nothing when nothing is left. */
void diff_print_table(FILE *f, const char *phase, const struct finding *finding, size_t n);

/* How many were left out, and by what test the others were judged. */
struct diff_total {
	size_t count[VERDICT_COUNT];
	size_t judged[3];       /* by enum compare_test */
	size_t of_parts;        /* judged by stretches of rows */
	double floor;
};
void diff_print_total(FILE *f, const struct diff_total *t);
