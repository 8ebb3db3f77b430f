/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a beginning looks like. There is no second grammar for it: each importer is given the beginning, and the one
 * that understands most of it has it.
 */
#include "base/macro.h"
#include "import/importer.h"

/* How many lines an importer understands, 0 when more than a fifth are bad. */
static uint64_t understood(const char *format, const void *head, size_t n)
{
	_cleanup_(import_freep) struct import *imp = NULL;
	struct import_options o = {.format = format, .lenient = true};
	struct fault fault = {0};
	struct trace scratch;
	struct input *in;
	uint64_t lines;

	if (input_of_memory(&in, head, n, &fault) || import_open_input(&imp, in, &o, &fault))
		return 0;
	trace_init(&scratch);
	import_rest(imp, &scratch, &fault);
	trace_fini(&scratch);
	lines = imp->understood;
	return imp->sum.bad * 4 <= lines ? lines : 0;
}

const char *import_recognise(const void *head, size_t n, bool whole)
{
	const char *best = NULL, *name, *help;
	const struct importer *kind;
	uint64_t most = 0;

	for (size_t i = 0; (name = import_format(i, &help)); i++) {
		kind = import_kind(name);
		if (kind->magic && kind->magic(head, n))
			return name;
	}
	if (!whole) {
		const char *newline = memrchr(head, '\n', n);

		if (newline)
			n = (size_t)(newline + 1 - (const char *)head);
	}
	for (size_t i = 0; (name = import_format(i, &help)); i++) {
		uint64_t lines;

		kind = import_kind(name);
		/* a table whose first line has a column "offset" may be one of the corpora all the same */
		if (kind->read || (best && kind == &import_csv))
			continue;
		lines = understood(name, head, n);
		if (lines > most) {
			most = lines;
			best = name;
		}
	}
	return best;
}
