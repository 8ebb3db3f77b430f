/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace being looked at by --stats, in as many parts as one likes. */
#pragma once

#include "base/fault.h"
#include "run/step.h"
#include "trace/survey.h"

struct look {
	struct program *p;        /* borrowed, as the next */
	const struct step *s;
	struct survey survey;
};

/* Begin. 0 or -errno with the text, as all here. */
int look_open(struct look *l, struct program *p, const struct step *s, struct fault *fault);

int look_put(struct look *l, const struct trace *part, struct fault *fault);

/* That was all: print the statistics where reports go, and write them as JSON if the step's parameters say so. */
int look_end(struct look *l, struct fault *fault);

void look_close(struct look *l);
