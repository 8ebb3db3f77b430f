/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process that the kernel has killed for want of memory cannot say itself. */
#pragma once

#include <stdint.h>

#include "base/undo.h"

/* The text for killed_say(): who would be killed, of at most 20 bytes, and the kills of the group so far. */
void killed_text(char text[static UNDO_TEXT], const char *tool, uint64_t kills);

/*
 * An undo_say(): when the number behind "oom_kill" in the file, which is in the folder of a memory cgroup, is larger than
 * that of the text, say on standard error who was killed, in which group and at which limit.
 */
void killed_say(const char *file, const char *text);
