/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff: two recordings, or two sets of reports, side by side: A and B, each of one file or of several, whose runs are
 * then runs of one thing.
 *
 * What differs in their circumstances is told first, then each phase that both have, or all rows when they have none in
 * common. Of a phase, counters are compared by their totals, and by rates where it took longer on one side. A figure's
 * values are those of the runs where both sides have two or more, else the means of stretches within the runs; the test
 * is chosen by their number (mon/compare.h), a p under DIFF_P makes a change, one under DIFF_P_MAYBE a possible one.
 * Not told: changes under the floor, and counts of few events whose difference chance explains.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fault.h"
#include "run/cli.h"

#define DIFF_P 0.01
#define DIFF_P_MAYBE 0.05

struct diff {
	bool wanted;         /* --diff was given */
	double floor;        /* percent */
	bool floored;        /* --floor was given */
};

void diff_init(struct diff *d);

/* The options; the context is the struct diff. */
extern const struct cli_row diff_rows[];

/*
 * Compare the files, of which there are n (A B, or A... vs B...), and print to f, complaints as "tool: FILE:LINE: what"
 * to standard error. The exit status: 0 whatever the change, 2 for words or files that cannot be compared, 1 for what
 * fails.
 */
int diff_run(const struct diff *d, char *const *file, size_t n, const char *tool, FILE *f);
