/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two readings of a vmstat file, parted by a NUL: every line that is taken is one, a name is found when a line has it
 * and not else, and what the hints of the first reading find in the second is a value that stands there.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "mon/vmstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAMES 64

static void check(int holds)
{
	if (!holds)
		abort();
}

static size_t collect(const char *text, size_t n, struct vmstat_want *want)
{
	struct vmstat_line line = {0};
	size_t count = 0, at = 0;

	while (vmstat_next(text, n, at, &line)) {
		check(line.start >= at && line.next > line.start && line.next <= n && line.name_length > 0);
		check(line.name == text + line.start && line.start + line.name_length < line.next);
		check(line.start == 0 || text[line.start - 1] == '\n');
		check(!memchr(line.name, '\n', line.name_length) && !memchr(line.name, ' ', line.name_length));
		if (count < NAMES)
			want[count++] = (struct vmstat_want){.name = line.name, .name_length = line.name_length};
		at = line.next;
	}
	return count;
}

/* first: the value is that of the first line with the name; else of any. */
static void check_found(const char *text, size_t n, const struct vmstat_want *w, int first)
{
	struct vmstat_line line = {0};
	int there = 0, stands = 0;

	while (vmstat_next(text, n, line.next, &line)) {
		if (line.name_length != w->name_length || memcmp(line.name, w->name, w->name_length))
			continue;
		if (!first || !there)
			stands |= line.value == w->value;
		there = 1;
	}
	check(there == w->found && stands == there);
}

static void both_readings(const char *one, size_t n, const char *two, size_t m)
{
	struct vmstat_want want[NAMES];
	size_t count = collect(one, n, want), absent;

	check(vmstat_lookup(one, n, want, count) == 0);
	for (size_t i = 0; i < count; i++)
		check_found(one, n, &want[i], 1);
	absent = vmstat_lookup(two, m, want, count);
	for (size_t i = 0; i < count; i++) {
		check_found(two, m, &want[i], 0);
		absent -= !want[i].found;
	}
	check(absent == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = malloc(size + 1);
	size_t n;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	n = strlen(text);
	both_readings(text, n, text + MIN(n + 1, size), size - MIN(n + 1, size));
	return 0;
}
