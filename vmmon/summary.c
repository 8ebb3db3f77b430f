/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/summary.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "run/picture.h"
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

/* What a picture is made of. */
struct view {
	const struct chart *chart;
	const char *title;
	struct sampler *sampler;
};

static int put_chart(void *ctx, const struct gnuplot *g, struct fault *fault)
{
	const struct view *v = ctx;

	return chart_put(v->chart, g, v->title, sampler_first(v->sampler)->when, sampler_marks(v->sampler), fault);
}

int summary_plot(const struct chart *c, const char *path, int fd, const char *title, struct sampler *s)
{
	struct view view = {.chart = c, .title = title, .sampler = s};
	const struct picture_file file = {
		.path = path, .text = fd == STDERR_FILENO ? stderr : stdout, .despite_stop = true};
	struct fault fault = {0};

	if (picture_draw(&file, put_chart, &view, &fault) < 0) {
		fprintf(stderr, "vmmon: --plot: %s: %s\n", path, fault.text);
		return 1;
	}
	return 0;
}
