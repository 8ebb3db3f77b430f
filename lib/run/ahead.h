/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --readahead: the setting of each device that a play has targets on, changed before they are opened and put back when
 * the play is over, or the process. Who may not change it says to each descriptor what of it can be said so.
 */
#pragma once

#include "io/advise.h"
#include "io/readahead.h"
#include "run/step.h"

/* --readahead was not given. */
#define AHEAD_AS_IT_IS UINT64_MAX

struct ahead {
	uint64_t bytes;            /* asked for; AHEAD_AS_IT_IS: nothing is done */
	struct readahead *device;  /* each setting once */
	int *undo;                 /* a number for each; 0: not changed */
	unsigned count;
	bool as_is;                /* it has that value, and may not be changed: nothing is done */
	bool by_hint;              /* said to the descriptors instead */
	struct io_hint hint;
};

/*
 * What would be changed, and whether that can be: for the check of the line. p has the target and the maps. 0, or with
 * the text -ENOENT, -EACCES (and no hint says the same), -EINVAL or those of target_open(). Where a target has no such
 * setting, 0 is said by a hint to all of them.
 */
int ahead_find(struct ahead *a, const struct play_params *p, uint64_t bytes, struct fault *fault);

/* Change it, after ahead_find(). 0 or -errno with the text. */
int ahead_begin(struct ahead *a, struct program *p, struct fault *fault);

/* Put all back. 0 or -errno with the text. All zero, and not begun, is nothing. */
int ahead_end(struct ahead *a, struct program *p, struct fault *fault);
