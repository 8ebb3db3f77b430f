/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A time, then the whole of /proc/vmstat, over and over: what a loop of date and cat leaves behind. */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "mon/vmstat.h"
#include "diff/recording_forms.h"

static const char mark[] = "time:";
#define MARK (sizeof(mark) - 1)

static bool is_dumps(const char *line, size_t n)
{
	return n > MARK && memcmp(line, mark, MARK) == 0;
}

static int take_time(struct rowset *rows, const char *s, size_t n, uint64_t line, struct fault *fault)
{
	char quoted[48];
	double time;

	for (s += MARK, n -= MARK; n && (*s == ' ' || *s == '\t'); s++, n--)
		;
	if (!recording_time(s, n, &time))
		return fault_set_line(fault, -EINVAL, line, "%s is no time", fault_quote(quoted, sizeof(quoted), s, n));
	return rowset_row(rows, time, 0);
}

/* Lines of another form are passed over, as in the file itself. */
static int take_value(struct rowset *rows, const char *s, size_t n)
{
	struct vmstat_line line;
	ssize_t column;

	if (!vmstat_next(s, n, 0, &line))
		return 0;
	column = rowset_column(rows, line.name, line.name_length, ROWSET_VALUE, -1);
	return column < 0 ? (int)column : rowset_set(rows, (size_t)column, (double)line.value);
}

static int parse(struct recording *to, const char *text, size_t n, struct fault *fault)
{
	_cleanup_(rowset_fini) struct rowset rows = {.to = to};
	struct lines l = {.text = text, .n = n};
	const char *line;
	size_t length;
	int err = recording_is_of(to, "dumps", fault);

	if (!err && rowset_phase(&rows, "", 0) < 0)
		err = -ENOMEM;
	while (!err && lines_next(&l, &line, &length))
		err = is_dumps(line, length) ? take_time(&rows, line, length, l.number, fault)
					     : take_value(&rows, line, length);
	if (!err)
		err = rowset_end_run(&rows);
	return recording_fault(fault, err, l.number);
}

const struct recording_form recording_dumps = {.is = is_dumps, .parse = parse};
