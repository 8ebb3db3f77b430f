/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How willingly the kernel ends this process when memory has run out, /proc/self/oom_score_adj. */
#pragma once

#include "base/fault.h"

/* From -1000, never, to 1000, first. */
#define OOM_MIN (-1000)
#define OOM_MAX 1000

/*
 * Set it; *before, unless NULL, is what it was. 0, or -errno with the text: -EACCES when less than before is not permitted
 * (CAP_SYS_RESOURCE).
 */
int oom_set(int score, int *before, struct fault *fault);
