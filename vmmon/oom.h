/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How willingly the kernel ends this process when memory has run out, /proc/self/oom_score_adj. */
#pragma once

#include "base/fault.h"

/* From -1000, never, to 1000, first. */
#define OOM_MIN (-1000)
#define OOM_MAX 1000

#define OOM_TEXT 16

/*
 * Set it; before, of OOM_TEXT bytes unless NULL, takes what it was. 0, or -errno with the text: -EACCES when less than
 * before is not permitted (CAP_SYS_RESOURCE).
 */
int oom_set(int score, char *before, struct fault *fault);

/* Set it back to what it was, which is always permitted. */
void oom_restore(const char *before);
