/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/summary.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "run/phase.h"
#include "run/table.h"
#include "vmmon/output.h"
#include "vmmon/watch.h"

static bool has_several(const struct mark *m)
{
	while (m && m->next)
		m = m->next;
	return m && m->run > 1;
}

static void print(FILE *f, struct sampler *s, const char *what, bool repeats)
{
	const struct mark *first = sampler_marks(s);
	bool several = has_several(first);
	struct sampler_stats stats;
	char name[32];

	for (const struct mark *m = first; m;) {
		snprintf(name, sizeof(name), "%s %u", what, m->run);
		m = table_print(f, several ? name : NULL, sampler_columns(s), m);
	}
	if (repeats)
		table_repeat(f, sampler_columns(s), first);
	sampler_get_stats(s, &stats);
	table_ticks(f, &stats);
}

/* Composed first, so that it can be given up when nobody reads it and the user has asked for the end. */
int summary_write(struct sampler *s, const char *what, bool repeats, int fd)
{
	_cleanup_free_ char *text = NULL;
	struct output out = {.fd = fd, .may_block = true};
	size_t n;
	FILE *f = open_memstream(&text, &n);
	int r;

	if (!f)
		return complain("summary", strerror(errno), 1);
	print(f, s, what, repeats);
	if (fclose(f))
		return complain("summary", strerror(errno), 1);
	r = output_write(&out, text, n);
	if (r == -EPIPE)
		return 128 + SIGPIPE;
	return r < 0 && r != -EINTR ? complain(output_stream(fd), strerror(-r), 1) : 0;
}
