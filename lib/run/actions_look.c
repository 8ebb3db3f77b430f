/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "run/files.h"
#include "run/gnuplot.h"
#include "run/plot.h"
#include "run/rows.h"
#include "run/step.h"
#include "run/survey_report.h"

/*
 * Ranges that are followed exactly before pages are sampled: about 60 MiB, so that traces of any size can be looked at
 * beside what else the machine does.
 */
#define EXACT_RANGES (UINT64_C(1) << 20)

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

static int check_stats(struct program *p, size_t i, struct fault *fault)
{
	const char *json = p->step[i].params.json;

	return json ? program_check_file(p, json, "a report as JSON", fault) : 0;
}

static int stats_json(struct program *p, const struct step *s, const struct survey *survey, struct fault *fault)
{
	struct json *j;
	int err = sinks_json(&p->sinks, s->params.json, &j, fault);

	if (err < 0)
		return err;
	json_open_object(j, NULL);
	json_put_uint(j, "schema", 1);
	json_put_text(j, "tool", p->tool);
	json_put_text(j, "version", VERSION);
	json_put_text(j, "command", p->command);
	err = survey_json(j, "stats", survey);
	json_close_object(j);
	json_end_line(j);
	return err;
}

static int run_stats(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(survey_fini) struct survey survey = {0};
	int err = survey_init(&survey, EXACT_RANGES);

	if (err == 0)
		err = survey_add(&survey, &p->trace, fault);
	if (err == 0)
		err = survey_print(p->report, &survey);
	if (err == 0 && s->params.json)
		err = stats_json(p, s, &survey, fault);
	if (err < 0)
		return no_memory(err, fault);
	if (p->report == stdout && fflush(stdout) != 0)
		return fault_set(fault, -errno, "standard output: %s", strerror(errno));
	return 0;
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

static int draw(const struct program *p, enum gnuplot_form form, int out, const struct survey *survey,
		struct fault *fault)
{
	_cleanup_(gnuplot_abort) struct gnuplot g = {0};
	int err = gnuplot_start(&g, form, out, fault);

	if (err == 0)
		err = no_memory(plot_trace(&g, p->command, &p->trace, survey), fault);
	return err < 0 ? err : gnuplot_end(&g, fault);
}

/* Between the lines of reports, in their order. */
static int draw_text(const struct program *p, const struct survey *survey, struct fault *fault)
{
	if (fflush(p->report) != 0)
		return fault_set(fault, -errno, "%s", strerror(errno));
	return draw(p, GNUPLOT_TEXT, fileno(p->report), survey, fault);
}

static int draw_file(const struct program *p, const struct step *s, enum gnuplot_form form, const struct survey *survey,
		     struct fault *fault)
{
	_cleanup_(outfile_abort) struct outfile o = {.fd = -1};
	int err = outfile_open(&o, s->file, fault);

	if (err == 0)
		err = draw(p, form, o.fd, survey, fault);
	return err < 0 ? err : outfile_commit(&o, fault);
}

static int run_plot(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(survey_fini) struct survey survey = {0};
	int form = gnuplot_form(s->file, fault);
	int err = survey_init(&survey, EXACT_RANGES);

	if (err == 0)
		err = survey_add(&survey, &p->trace, fault);
	if (err < 0)
		return no_memory(err, fault);
	if (form == GNUPLOT_TEXT)
		return draw_text(p, &survey, fault);
	return draw_file(p, s, (enum gnuplot_form)form, &survey, fault);
}

const struct cli_row program_look[] = {
    ACTION("stats", '\0', CLI_NONE, NULL, "tell what the trace is like: sizes, seeks, pages, misses of caches",
	   .check = check_stats, .run = run_stats),
    ACTION("plot", '\0', CLI_REQUIRED, "FILE", "draw it into FILE.svg or FILE.png, or by letters (-); needs gnuplot",
	   .check = check_plot, .run = run_plot, .writes = true),
    {.name = NULL},
};
