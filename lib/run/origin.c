/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/origin.h"

#include <sys/stat.h>

#include "base/macro.h"
#include "run/files.h"
#include "run/foreign.h"
#include "trace/format.h"

/* Requests that are read at a time. */
#define PART 4096

/* What leaves the requests and their numbers as they are. */
static bool only_uses(const struct action *a)
{
	return a->plays || a->saves || a->looks || a->warms || a->sleeps || a == &foreign_export;
}

static bool is_plain(const struct step *s)
{
	struct stat st;

	return !file_is_stdin(s->file) && stat(s->file, &st) == 0 && S_ISREG(st.st_mode);
}

/* An input of either kind. */
struct again {
	struct trace_reader *reader;
	struct import *import;      /* NULL: a trace file */
};

static ssize_t read_some(struct again *a, struct trace *t, size_t max)
{
	struct fault ignored;

	trace_clear(t);
	return a->import ? import_read(a->import, t, max, &ignored) : trace_reader_read(a->reader, t, max, &ignored);
}

/* Read up to request *left, or all, which *left then has less. Its line; 0: not reached, or there is no line. */
static uint64_t read_to(struct again *a, uint64_t *left)
{
	_cleanup_(trace_fini) struct trace t;
	const size_t least = a->import ? IMPORT_BATCH_MIN : 1;
	ssize_t n = 1;

	trace_init(&t);
	while (*left > 0 && n > 0) {
		/* The last ones line by line, so that none behind the wanted one is read. */
		size_t max = *left > PART ? PART : least;

		n = read_some(a, &t, max);
		if (n < 0)
			return 0;
		*left -= MIN((uint64_t)n, *left);
	}
	if (*left > 0)
		return 0;
	return a->import ? import_line(a->import) : trace_reader_line(a->reader);
}

static uint64_t find_in(const struct step *s, uint64_t *left)
{
	_cleanup_(trace_reader_freep) struct trace_reader *reader = NULL;
	_cleanup_(import_freep) struct import *import = NULL;
	_cleanup_close_ int fd = -1;
	struct fault ignored;

	if (s->format) {
		if (foreign_open(&import, s, NULL, &ignored) < 0)
			return 0;
	} else {
		fd = file_open_input(s->file, &ignored);
		reader = fd < 0 ? NULL : trace_reader_new(fd, s->params.shift);
		if (!reader)
			return 0;
	}
	return read_to(&(struct again){.reader = reader, .import = import}, left);
}

/* Does the trace before step s have what was read, in the order in which it was read? */
static bool is_as_read(const struct program *p, const struct step *s)
{
	bool cut = false;

	for (const struct step *each = p->step; each < s; each++) {
		const struct action *a = each->action;

		if (a->source ? cut : !(a->first || only_uses(a)))
			return false;
		cut |= a->first;
	}
	return true;
}

bool origin_find(struct origin *o, const struct program *p, const struct step *s, uint64_t number)
{
	if (!is_as_read(p, s))
		return false;
	for (const struct step *each = p->step; each < s; each++) {
		if (!each->action->source)
			continue;
		if (!is_plain(each))
			return false;
		*o = (struct origin){.file = each->file, .line = find_in(each, &number)};
		if (o->line || number == 0)
			return o->line;
	}
	return false;
}
