/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "run/files.h"
#include "run/look.h"
#include "run/picture.h"
#include "run/plot.h"
#include "run/rows.h"
#include "run/step.h"

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

static int check_stats(struct program *p, size_t i, struct fault *fault)
{
	const char *json = p->step[i].params.json;

	return json ? program_check_file(p, json, "a report as JSON", fault) : 0;
}

static int run_stats(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(look_close) struct look l = {0};
	int err = look_open(&l, p, s, fault);

	if (err == 0)
		err = look_put(&l, &p->trace, fault);
	return err < 0 ? err : look_end(&l, fault);
}

static int check_plot(struct program *p, size_t i, struct fault *fault)
{
	const char *file = p->step[i].file;
	int form = gnuplot_form(file, fault);
	int err = form < 0 ? form : gnuplot_check(fault);

	if (err < 0)
		return err;
	if (form == GNUPLOT_TEXT)
		return 0;
	return program_check_file(p, file, "a picture", fault);
}

/* What a picture is made of. */
struct view {
	const struct program *p;
	const struct survey *survey;
};

static int put_trace(void *ctx, const struct gnuplot *g, struct fault *fault)
{
	const struct view *v = ctx;

	return no_memory(plot_trace(g, v->p->command, &v->p->trace, v->survey), fault);
}

static int run_plot(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(look_close) struct look l = {0};
	struct view view = {.p = p, .survey = &l.survey};
	/* letters go between the lines of reports, in their order */
	const struct picture_file file = {.path = s->file, .text = p->report};
	int err = look_open(&l, p, s, fault);

	if (err == 0)
		err = look_put(&l, &p->trace, fault);
	return err < 0 ? err : picture_draw(&file, put_trace, &view, fault);
}

const struct cli_row program_look[] = {
    ACTION("stats", '\0', CLI_NONE, NULL, "tell what the trace is like: sizes, seeks, pages, misses of caches",
	   .check = check_stats, .run = run_stats, .looks = true),
    ACTION("plot", '\0', CLI_REQUIRED, "FILE", "draw it into FILE.svg or FILE.png, or by letters (-); needs gnuplot",
	   .check = check_plot, .run = run_plot, .writes = true),
    {.name = NULL},
};
