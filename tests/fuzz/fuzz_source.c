/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first line a kind of source and a specification, "meminfo Dirty", then the text of its file. What the kernel's
 * other forms are rewritten into are lines that are all taken; a specification gives columns whose fields are all
 * there, or a reason.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "mon/rewrite.h"
#include "tests/unit/mon/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds)
		abort();
}

static void rewritten(size_t (*rewrite)(const char *, size_t, char *), const char *text, size_t n)
{
	_cleanup_free_ char *lines = malloc(SOURCE_LINES);
	struct vmstat_line line = {0};
	size_t length, at = 0;

	if (!lines)
		return;
	length = rewrite(text, n, lines);
	check(length <= SOURCE_LINES);
	while (vmstat_next(lines, length, at, &line)) {
		check(line.start == at);
		at = line.next;
	}
	check(at == length);
}

static void columns_of(const char *kind, const char *spec, const char *text, size_t n)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_free_ uint64_t *values = NULL;
	_cleanup_free_ bool *missing = NULL;
	struct fault fault = {.text = ""};
	struct sample now;
	int r;

	text_columns(&c, kind, text, n);
	r = columns_add(&c, spec, COLUMN_AUTO, &fault);
	check(r == 0 ? c.count > 0 : r < 0 && fault.text[0] && c.count == 0 && c.term_count == 0 && c.operand_count == 0);
	values = calloc(c.term_count + 1, sizeof(*values));
	missing = calloc(c.term_count + 1, sizeof(*missing));
	if (!values || !missing)
		return;
	check(columns_values(&c, values, missing) == 0 || !strcmp(kind, "cgroup"));
	now = (struct sample){.when = 1, .values = values, .missing = missing};
	for (size_t i = 0; i < c.count; i++) {
		struct cell cell = columns_cell(&c, i, &(struct sample){.values = values, .missing = missing}, &now);
		char shown[CELL_TEXT];

		check(cell_text(shown, &cell) < CELL_TEXT && c.column[i].title && c.column[i].unit);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* those whose files are opened by no name of the input */
	static const char *const kinds[] = {"vmstat", "meminfo", "cgroup"};
	_cleanup_free_ char *input = calloc(1, size + 1);
	char *text, *spec;

	if (!input)
		return 0;
	memcpy(input, data, size);
	rewritten(rewrite_disk, (const char *)data, size);
	rewritten(rewrite_pressure, (const char *)data, size);
	rewritten(rewrite_process, (const char *)data, size);
	text = strchr(input, '\n');
	spec = strchr(input, ' ');
	if (!text || !spec || spec > text)
		return 0;
	*text++ = '\0';
	*spec++ = '\0';
	/* a prefix or a path would open files of this machine */
	if (strpbrk(spec, ":/"))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i], input))
			columns_of(kinds[i], spec, text, strlen(text));
	return 0;
}
