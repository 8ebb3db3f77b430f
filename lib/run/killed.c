/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/killed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/smallfile.h"
#include "base/units.h"

void killed_text(char text[static UNDO_TEXT], const char *tool, uint64_t kills)
{
	snprintf(text, UNDO_TEXT, "%.20s %" PRIu64, tool, kills);
}

/* The limit of the group in whose folder a file is; SMALLFILE_NONE: none, or not known. */
static uint64_t limit_of(const char *file, size_t folder)
{
	static const char *const names[] = {"/memory.max", "/memory.limit_in_bytes"};
	char path[UNDO_PATH + 32];
	uint64_t limit = SMALLFILE_NONE;

	for (size_t i = 0; i < ARRAY_SIZE(names) && limit == SMALLFILE_NONE; i++) {
		strcpy(mempcpy(path, file, folder), names[i]);
		limit = smallfile_number(path, "");
	}
	return limit;
}

/* By hand: printf() is no function for a child of a process with threads. */
void killed_say(const char *file, const char *text)
{
	const char *number = strrchr(text, ' '), *end = strrchr(file, '/'), *why;
	char line[UNDO_PATH + UNDO_TEXT + UNITS_TEXT + 128], *p = line;
	uint64_t before, now = smallfile_number(file, "oom_kill"), limit;

	if (!number || !end || now == SMALLFILE_NONE ||
	    units_count(number + 1, strlen(number + 1), &before, &why) < 0 || now <= before)
		return;
	limit = limit_of(file, (size_t)(end - file));
	p = mempcpy(p, text, (size_t)(number - text));
	p = stpcpy(p, ": killed by the kernel for want of memory in the cgroup ");
	p = mempcpy(p, file, (size_t)(end - file));
	if (limit != SMALLFILE_NONE) {
		p = stpcpy(p, ", whose limit is ");
		p += units_print_count(p, limit);
		p = stpcpy(p, " bytes");
	}
	*p++ = '\n';
	/* who has no standard error is not told */
	if (write(STDERR_FILENO, line, (size_t)(p - line)) < 0)
		return;
}
