/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory cgroups of --in-cgroup: each option is one, which all plays behind it run in until the next. What was made
 * is there from before the first action, so that it can be sampled from its beginning, to the end of the program.
 */
#pragma once

#include "run/step.h"

struct confine {
	const char *name;        /* of one that is there; NULL: it is made */
	uint64_t bytes;          /* with that limit */
	struct cgroup group;     /* folder NULL: not open */
	int undo;                /* number, while it is made */
	int told;                /* likewise, of what is told if the kernel kills the process for want of memory; 0: nothing */
};

/* Could it be opened, as far as can be told without doing so? 0 or -errno with the text. */
int confine_check(const struct confine *c, struct fault *fault);

/* Open it, or make it; nothing when that was done. 0 or -errno with the text. */
int confine_open(struct program *p, struct confine *c, struct fault *fault);

/* Remove what was made. 0 or -errno with the text. */
int confine_close(struct program *p, struct confine *c, struct fault *fault);
