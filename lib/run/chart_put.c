/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The script of a chart. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/chart.h"

/* Pixels: of a panel, of a name in its key, and of what is above and below all panels. */
#define PANEL 200
#define NAME 17
#define ABOVE 96
#define BELOW 52
#define WIDTH 1100

/* Pixels of a letter and of what is beside the letters in the key, and letters for which there is room. */
#define LETTER 8
#define KEY_SAMPLE 60
#define TITLE_MIN 20
#define TITLE_MAX 60

/* Lines and columns of a terminal. */
#define TEXT_PANEL 17
#define TEXT_ABOVE 4
#define TEXT_WIDTH 110

/* More marks than this have no names, and more than that no lines. */
#define NAMES_MAX 30
#define LINES_MAX 300

static const unsigned colours[] = {0x1f63b0, 0xd0341c, 0x3c9a40, 0x8e44ad, 0xe08e0b, 0x0f9b9b, 0x7f5a3c, 0x555555};

/* Columns of one unit. */
struct panel {
	const char *unit;
	enum column_mode mode;
	size_t columns;
	double min, max;
	int height;
	int top;               /* from above */
};

struct layout {
	const struct chart *c;
	FILE *f;
	bool text;
	int64_t start;
	double end;            /* of the time */
	struct panel *panel;   /* one for each column at most */
	size_t panels;
	int height;
	size_t marks;
};

static void layout_fini(struct layout *l)
{
	free(l->panel);
}

static bool belongs(const struct panel *p, const struct column *c)
{
	return p->mode == c->mode && strcmp(p->unit, c->unit) == 0;
}

static void take_range(struct panel *p, const struct chart *c, size_t k)
{
	for (size_t i = 0; i < c->points; i++) {
		double v = c->value[k * CHART_POINTS + i];

		if (isnan(v))
			continue;
		p->min = MIN(p->min, v);
		p->max = MAX(p->max, v);
	}
}

static double seconds(const struct layout *l, const struct mark *m)
{
	return (double)(m->sample.when - l->start) / (double)NS_PER_SEC;
}

static int lay_out(struct layout *l, const struct mark *first)
{
	const struct columns *columns = l->c->columns;

	l->panel = calloc(columns->count + 1, sizeof(*l->panel));
	if (!l->panel)
		return -ENOMEM;
	for (size_t k = 0; k < columns->count; k++) {
		const struct column *column = &columns->column[k];
		struct panel *p = l->panel;

		while (p < l->panel + l->panels && !belongs(p, column))
			p++;
		if (p == l->panel + l->panels) {
			*p = (struct panel){
				.unit = column->unit, .mode = column->mode, .min = INFINITY, .max = -INFINITY};
			l->panels++;
		}
		p->columns++;
		take_range(p, l->c, k);
	}
	l->height = l->text ? TEXT_ABOVE : ABOVE;
	for (size_t i = 0; i < l->panels; i++) {
		struct panel *p = &l->panel[i];
		int names = (int)MIN(p->columns, (size_t)1000);

		p->top = l->height;
		p->height = l->text ? MAX(TEXT_PANEL, names + 5) : MAX(PANEL, names * NAME + 30);
		l->height += p->height;
	}
	l->height += l->text ? 1 : BELOW;
	if (l->c->points)
		l->end = l->c->time[l->c->points - 1];
	for (const struct mark *m = first; m; m = m->next) {
		l->end = MAX(l->end, seconds(l, m));
		l->marks++;
	}
	return 0;
}

/* Where the panels end, as a part of the width: the key behind them has the longest title in it. */
static double right_edge(const struct layout *l)
{
	size_t longest = 0;

	for (size_t i = 0; i < l->c->columns->count; i++)
		longest = MAX(longest, strlen(l->c->columns->column[i].title));
	return 1 - (double)(LETTER * MIN(MAX(longest, (size_t)TITLE_MIN), (size_t)TITLE_MAX) + KEY_SAMPLE) / WIDTH;
}

static void put_terminal(const struct layout *l, enum gnuplot_form form)
{
	switch (form) {
	case GNUPLOT_SVG:
		fprintf(l->f, "set terminal svg size %d,%d dynamic font 'sans,13' background rgb 'white'\n", WIDTH,
			l->height);
		break;
	case GNUPLOT_PNG:
		fprintf(l->f,
			"if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { set terminal pngcairo size %d,%d font 'sans,10' } "
			"else { set terminal png size %d,%d }\n",
			WIDTH, l->height, WIDTH, l->height);
		break;
	case GNUPLOT_TEXT:
		fprintf(l->f, "set terminal dumb noenhanced size %d,%d\n", TEXT_WIDTH, l->height);
		break;
	}
	fputs("set border 3\nset tics nomirror out\n", l->f);
	if (l->text)
		fputs("set lmargin 9\nset rmargin 27\n", l->f);
	else
		fprintf(
		    l->f,
		    "set grid lt 1 lw 0.5 lc rgb '#dddddd'\nset lmargin at screen 0.075\nset rmargin at screen %.3f\n",
		    right_edge(l));
}

static void put_title(const struct layout *l, const char *title)
{
	fputs("set multiplot\nset label 1 ", l->f);
	gnuplot_title(l->f, title, l->text ? 90 : 130);
	fprintf(l->f, " at screen 0.5, screen %.6f center noenhanced\n", 1 - (l->text ? 1.0 : 18.0) / l->height);
}

/* The name of a mark; where several are at one place, of the last. */
static bool has_name(const struct layout *l, const struct mark *m)
{
	if (l->marks > NAMES_MAX)
		return false;
	return !m->next || seconds(l, m->next) - seconds(l, m) > l->end * 0.025;
}

static void put_mark_name(const struct layout *l, const struct mark *m, bool several)
{
	char text[MARK_TEXT + 16];

	snprintf(text, sizeof(text), several ? "%s (%u)" : "%s", m->label, m->run);
	fputs("set label ", l->f);
	gnuplot_quote(l->f, text);
	if (l->text)
		fprintf(l->f, " at first %.9g, graph 1 offset 2,1 left noenhanced\n", seconds(l, m));
	else
		fprintf(l->f,
			" at first %.9g, graph 1 offset 0,0.4 left rotate by 30 noenhanced textcolor rgb '#606060'\n",
			seconds(l, m));
}

static void put_marks(const struct layout *l, const struct mark *first, bool names)
{
	bool several = false;

	for (const struct mark *m = first; m; m = m->next)
		several |= m->run > 1;
	for (const struct mark *m = first; m && l->marks <= LINES_MAX; m = m->next) {
		fprintf(l->f,
			"set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead lc rgb '#909090' dt 2\n",
			seconds(l, m), seconds(l, m));
		if (names && has_name(l, m))
			put_mark_name(l, m, several);
	}
}

/* Numbers that people read: thousands, millions and so on in the label. */
static double scale_of(const struct panel *p, const char **name)
{
	static const struct {
		double scale;
		const char *name;
	} scales[] = {{1e12, "10^{12} "}, {1e9, "10^9 "}, {1e6, "10^6 "}, {1e3, "10^3 "}};
	/* nothing at all was defined: the other way round */
	double max = p->min <= p->max ? MAX(fabs(p->min), fabs(p->max)) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		if (max >= 10 * scales[i].scale) {
			*name = scales[i].name;
			return scales[i].scale;
		}
	}
	*name = "";
	return 1;
}

static void put_range(const struct layout *l, const struct panel *p, double scale)
{
	double min = p->min / scale, max = p->max / scale, room;

	if (!(min <= max))
		min = max = 0;
	/* from 0, unless what is seen is far from it */
	if (min > 0 && max - min > 0.2 * max)
		min = 0;
	if (max < 0 && max - min > -0.2 * min)
		max = 0;
	room = max > min ? (max - min) * 0.05 : fabs(max) > 0 ? fabs(max) * 0.05 : 1;
	fprintf(l->f, "set yrange [%.9g:%.9g]\n", min < 0 || min > 0 ? min - room : 0, max + room);
}

static void put_label(const struct layout *l, const struct panel *p, const char *scale)
{
	static const char *const behind[] = {[COLUMN_RATE] = "/s", [COLUMN_RAW] = "", [COLUMN_DELTA] = " a row"};
	char text[96];
	bool ratio = strcmp(p->unit, "1") == 0;

	/* a terminal has no small digits */
	if (l->text && scale[0])
		scale = strcmp(scale, "10^3 ") == 0 ? "thousand " : strcmp(scale, "10^6 ") == 0 ? "million " : "10^n ";
	snprintf(text, sizeof(text), "%s%s%s", scale, ratio ? "ratio" : p->unit, behind[p->mode]);
	/* letters cannot be turned */
	fputs(l->text ? "set key title " : "set ylabel ", l->f);
	gnuplot_quote(l->f, text);
	fputs(l->text ? " left\n" : " offset 1,0\n", l->f);
}

static void put_points(const struct layout *l, size_t k, double scale)
{
	const struct chart *c = l->c;

	for (size_t i = 0; i < c->points; i++) {
		double v = c->value[k * CHART_POINTS + i];

		if (isnan(v))
			fprintf(l->f, "%.9g NaN\n", c->time[i]);
		else
			fprintf(l->f, "%.9g %.9g\n", c->time[i], v / scale);
	}
	/* gnuplot fails without any point: this one is outside */
	fprintf(l->f, "\n%.9g 0\ne\n", 2 * l->end + 2);
}

static void put_lines(const struct layout *l, const struct panel *p, double scale)
{
	const struct columns *columns = l->c->columns;
	const char *comma = "plot ";
	unsigned n = 0;

	for (size_t k = 0; k < columns->count; k++) {
		if (!belongs(p, &columns->column[k]))
			continue;
		if (l->text)
			fprintf(l->f, "%s'-' with points pt '%c' title ", comma, "*ox+#@%&"[n % 8]);
		else
			fprintf(l->f, "%s'-' with %s lw 1.6 pt 7 ps 0.35 lc rgb '#%06x' dt %u title ", comma,
				l->c->points < 100 ? "linespoints" : "lines", colours[n % ARRAY_SIZE(colours)],
				1 + n / (unsigned)ARRAY_SIZE(colours) % 4);
		gnuplot_quote(l->f, columns->column[k].name);
		fputs(" noenhanced", l->f);
		comma = ", ";
		n++;
	}
	fputc('\n', l->f);
	for (size_t k = 0; k < columns->count; k++)
		if (belongs(p, &columns->column[k]))
			put_points(l, k, scale);
}

/* The panel as a part of the whole; what is below the lowest is the time. */
static void put_place(const struct layout *l, const struct panel *p, bool last)
{
	double high = l->height, gap = l->text ? 2 : 24;

	if (l->text) {
		fprintf(l->f, "set origin 0,%.6f\nset size 1,%.6f\n", 1 - (p->top + p->height + (last ? 1 : 0)) / high,
			(p->height + (last ? 1 : 0)) / high);
	} else {
		fprintf(l->f, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1 - p->top / high,
			1 - (p->top + p->height - gap) / high);
	}
	fprintf(l->f, "set format x '%s'\n", last || l->text ? "%g" : "");
	fputs(last ? "set xlabel 'time, s'\n" : "unset xlabel\n", l->f);
}

int chart_put(const struct chart *c, const struct gnuplot *g, const char *title, int64_t start,
	      const struct mark *first, struct fault *fault)
{
	_cleanup_(layout_fini) struct layout l = {
		.c = c, .f = g->script, .text = g->form == GNUPLOT_TEXT, .start = start};

	if (lay_out(&l, first) < 0)
		return fault_set(fault, -ENOMEM, "no memory");
	put_terminal(&l, g->form);
	put_title(&l, title);
	fprintf(l.f, "set xrange [0:%.9g]\n", l.end > 0 ? l.end : 1);
	if (l.text)
		fputs("set key outside right top Left reverse samplen 1\n", l.f);
	else
		fprintf(l.f, "set key at screen %.3f, graph 1 left top vertical Left reverse samplen 1.5\n",
			right_edge(&l) + 0.01);
	for (size_t i = 0; i < l.panels; i++) {
		const struct panel *p = &l.panel[i];
		const char *scale_name;
		double scale = scale_of(p, &scale_name);

		put_place(&l, p, i + 1 == l.panels);
		put_marks(&l, first, i == 0);
		put_range(&l, p, scale);
		put_label(&l, p, scale_name);
		put_lines(&l, p, scale);
		fputs("unset label\nunset arrow\n", l.f);
	}
	fputs("unset multiplot\n", l.f);
	return 0;
}
