/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be said of a figure of both sides. Pure. */
#pragma once

#include "diff/diff_print.h"
#include "diff/recording.h"

struct pair {
	const struct figure *a, *b;
};

/*
 * Judge a figure that both sides have, with changes under floor (percent) left out, and count it in total. rate: of a
 * total, the figures whose parts tell how it scatters in single runs; NULL: its own. 0 or -ENOMEM.
 */
int diff_judge(const struct pair *p, const struct pair *rate, double floor, struct finding *f, struct diff_total *total);
