/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "run/files.h"
#include "run/gnuplot.h"
#include "run/look.h"
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

/* All that file fd holds. */
static int copy_picture(struct outfile *o, int fd, struct fault *fault)
{
	char part[16384];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		outfile_write(o, part, (size_t)n);
		at += n;
	}
	return n < 0 ? fault_set(fault, -errno, "the picture: %s", strerror(errno)) : 0;
}

/* By way of memory: gnuplot says nothing of a PNG that a full disk has cut short. */
static int draw_file(const struct program *p, const struct step *s, enum gnuplot_form form, const struct survey *survey,
		     struct fault *fault)
{
	_cleanup_(outfile_abort) struct outfile o = {.fd = -1};
	_cleanup_close_ int picture = -1;
	int err = outfile_open(&o, s->file, fault);

	if (err < 0)
		return err;
	picture = memfd_create("picture", MFD_CLOEXEC);
	if (picture < 0)
		return fault_set(fault, -errno, "memory for the picture: %s", strerror(errno));
	err = draw(p, form, picture, survey, fault);
	if (err == 0)
		err = copy_picture(&o, picture, fault);
	return err < 0 ? err : outfile_commit(&o, fault);
}

static int run_plot(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(look_close) struct look l = {0};
	int form = gnuplot_form(s->file, fault);
	int err = look_open(&l, p, s, fault);

	if (err == 0)
		err = look_put(&l, &p->trace, fault);
	if (err < 0)
		return err;
	if (form == GNUPLOT_TEXT)
		return draw_text(p, &l.survey, fault);
	return draw_file(p, s, (enum gnuplot_form)form, &l.survey, fault);
}

const struct cli_row program_look[] = {
    ACTION("stats", '\0', CLI_NONE, NULL, "tell what the trace is like: sizes, seeks, pages, misses of caches",
	   .check = check_stats, .run = run_stats, .looks = true),
    ACTION("plot", '\0', CLI_REQUIRED, "FILE", "draw it into FILE.svg or FILE.png, or by letters (-); needs gnuplot",
	   .check = check_plot, .run = run_plot, .writes = true),
    {.name = NULL},
};
