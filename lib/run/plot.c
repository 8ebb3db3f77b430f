/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/plot_misses.h"

/* More requests than this are shown by density. */
#define STROKES_MAX 1500

/* More than this, by cells of half the size. */
#define FINE_MIN 50000

/* Kinds of requests with a colour each; syncs have no place. */
#define KINDS 3

static const struct {
	const char *name;
	unsigned colour;
	char letter;
} kinds[KINDS] = {{"reads", 0x1f63b0, 'r'}, {"writes", 0xd0341c, 'w'}, {"trims", 0x3c9a40, 't'}};

struct picture {
	const struct trace *t;
	const struct survey *s;
	FILE *f;
	bool text;
	bool by_time;
	double x_min, x_max;      /* requests from 1, or seconds */
	uint64_t y_max;           /* bytes */
	uint64_t *base;           /* of each file, where it begins in the picture; one more for the end */
	uint32_t files;
	double unit;              /* bytes of the y axis' unit */
};

/* What is seen of a request. */
struct mark {
	double x;
	uint64_t from, end;       /* bytes, on the y axis */
	unsigned kind;
};

/* The next request that has a place; i and last, the time that counts, go on. False at the end. */
static bool next_mark(const struct picture *p, size_t *i, int64_t *last, struct mark *m)
{
	for (; *i < p->t->count; ++*i) {
		struct req r = p->t->req[*i];
		uint64_t base = p->base[p->t->file ? p->t->file[*i] : 0];

		if (p->by_time && p->t->time[*i] != TIME_NONE)
			*last = p->t->time[*i];
		if (req_is_sync(r))
			continue;
		m->x = p->by_time ? (double)*last / (double)NS_PER_SEC : (double)*i + 1;
		m->from = base + req_offset(r);
		m->end = base + req_end(r);
		m->kind = (unsigned)req_op(r);
		++*i;
		return true;
	}
	return false;
}

/* One file above the other, each as high as its highest request. Where that passes 2^63, all begin at 0. */
static int lay_out(struct picture *p)
{
	const struct trace *t = p->t;
	uint32_t files = 1;
	uint64_t sum = 0;

	for (size_t i = 0; t->file && i < t->count; i++)
		files = MAX(files, t->file[i] + 1);
	p->base = calloc(files + 1, sizeof(*p->base));
	if (!p->base)
		return -ENOMEM;
	p->files = files;
	for (size_t i = 0; i < t->count; i++) {
		uint64_t *end = &p->base[(t->file ? t->file[i] : 0) + 1];

		if (!req_is_sync(t->req[i]))
			*end = MAX(*end, req_end(t->req[i]));
	}
	for (uint32_t n = 1; n <= files; n++) {
		sum = sum > REQ_MAX ? sum : sum + p->base[n];
		p->base[n] = sum;
	}
	p->y_max = sum;
	if (sum > REQ_MAX) {
		for (uint32_t n = 0; n <= files; n++)
			p->base[n] = 0;
		p->y_max = p->s->end;
	}
	return 0;
}

static void put_terminal(const struct picture *p, enum gnuplot_form form)
{
	static const char *const terminal[] = {
		[GNUPLOT_SVG] = "set terminal svg size 1000,800 dynamic font 'sans,13' background rgb 'white'\n",
		[GNUPLOT_PNG] = ("if (strstrt(GPVAL_TERMINALS, 'pngcairo')) { "
				 "set terminal pngcairo size 1000,800 font 'sans,11' } else { set terminal png size 1000,800 }\n"),
		[GNUPLOT_TEXT] = "set terminal dumb noenhanced size 100,50\n",
	};

	fputs(terminal[form], p->f);
	fputs("set border 3\nset tics nomirror out\n", p->f);
	if (!p->text)
		fputs(
		    "set grid lt 1 lw 0.5 lc rgb '#cccccc'\nset lmargin at screen 0.085\nset rmargin at screen 0.965\n",
		    p->f);
}

static void put_title(const struct picture *p, const char *title)
{
	const struct survey *s = p->s;
	double unit;
	char text[160];
	const char *name = gnuplot_unit(s->bytes, &unit);
	int n = snprintf(text, sizeof(text), "%" PRIu64 " request%s, %.4g %s", s->requests, s->requests == 1 ? "" : "s",
			 (double)s->bytes / unit, name);

	if (s->reuse.touches) {
		name = gnuplot_unit(reuse_footprint(&s->reuse) * PAGE_BYTES, &unit);
		snprintf(text + n, sizeof(text) - (size_t)n, " on %.4g %s of different pages",
			 (double)reuse_footprint(&s->reuse) * (double)PAGE_BYTES / unit, name);
	}
	fputs("set multiplot\nset title ", p->f);
	gnuplot_title(p->f, title, p->text ? 50 : 110);
	fputs(".\"\\n\".", p->f);
	gnuplot_quote(p->f, text);
	fputs(" noenhanced\n", p->f);
}

/* A line below each file, and its name above the line. */
static void put_files(const struct picture *p)
{
	for (uint32_t n = 0; n < p->files; n++) {
		double y = (double)p->base[n] / p->unit;

		if (p->base[n + 1] == p->base[n])
			continue;
		if (y > 0)
			fprintf(p->f,
				"set arrow from graph 0, first %.17g to graph 1, first %.17g nohead lc rgb '#808080' "
				"dt 3\n",
				y, y);
		if (n >= p->t->file_count || !p->t->files[n] || p->base[n + 1] - p->base[n] < p->y_max / 20)
			continue;
		fputs("set label ", p->f);
		gnuplot_quote(p->f, p->t->files[n]);
		fprintf(p->f,
			" at graph 0.004, first %.17g offset 0,0.5 left front noenhanced textcolor rgb '#404040'\n", y);
	}
}

static void put_axes(struct picture *p)
{
	const char *unit = gnuplot_unit(p->y_max, &p->unit);

	fprintf(p->f, "set origin 0,%s\nset size 1,%s\n", p->text ? "0.45" : "0.4", p->text ? "0.55" : "0.6");
	fprintf(p->f, "set xlabel '%s'\n", p->by_time ? "time, s" : "number of the request");
	fprintf(p->f, "set ylabel 'offset, %s%s'\n", unit, p->files > 1 ? ", files one above the other" : "");
	fprintf(p->f, "set format x '%s'\nset format y '%%g'\n", p->by_time || p->x_max < 100000 ? "%g" : "%.0f");
	fprintf(p->f, "set xrange [%.17g:%.17g]\nset yrange [0:%.17g]\n", p->x_min, p->x_max,
		(double)MAX(p->y_max, 1) / p->unit);
	/* Beside the second line of the title, which is the shorter one. */
	fprintf(p->f, "set key at screen 0.965,%s\n",
		p->text ? "0.99 right top" : "0.957 right top horizontal samplen 1");
	if (!p->text && p->files > 1 && p->files <= 64)
		put_files(p);
}

static void put_key(const struct picture *p, const uint64_t count[KINDS], const char *style)
{
	const char *comma = "";

	for (unsigned k = 0; k < KINDS; k++) {
		if (!count[k])
			continue;
		fprintf(p->f, "%sNaN with %s lc rgb '#%06x' title '%s'", comma, style, kinds[k].colour, kinds[k].name);
		comma = ", ";
	}
}

/* A stroke for each request, and a dot where it begins, since a short one would not be seen. */
static void put_strokes(const struct picture *p, const uint64_t count[KINDS])
{
	fputs("plot ", p->f);
	for (unsigned k = 0; k < KINDS; k++)
		if (count[k])
			fprintf(p->f,
				"'-' using 1:2:(0):3 with vectors nohead lw 1.5 lc rgb '#%06x' notitle, "
				"'-' using 1:2 with points pt 7 ps 0.3 lc rgb '#%06x' notitle, ",
				kinds[k].colour, kinds[k].colour);
	put_key(p, count, "points pt 7 ps 1");
	fputc('\n', p->f);
	for (unsigned pass = 0; pass < 2 * KINDS; pass++) {
		int64_t last = 0;
		struct mark m;

		if (!count[pass / 2])
			continue;
		for (size_t i = 0; next_mark(p, &i, &last, &m);)
			if (m.kind == pass / 2)
				fprintf(p->f, "%.17g %.17g %.17g\n", m.x, (double)m.from / p->unit,
					(double)(m.end - m.from) / p->unit);
		fputs("e\n", p->f);
	}
}

/* How many requests of each kind cover each cell of a grid. */
struct grid {
	unsigned width, height;
	uint32_t *cell[KINDS];    /* row by row from below */
};

static void grid_fini(struct grid *g)
{
	for (unsigned k = 0; k < KINDS; k++)
		free(g->cell[k]);
}

static unsigned cell_of(double at, double max, unsigned cells)
{
	double c = max > 0 ? at / max * cells : 0;

	return c < cells ? (unsigned)c : cells - 1;
}

static int grid_fill(struct grid *g, const struct picture *p)
{
	int64_t last = 0;
	struct mark m;

	for (unsigned k = 0; k < KINDS; k++) {
		g->cell[k] = calloc((size_t)g->width * g->height, sizeof(**g->cell));
		if (!g->cell[k])
			return -ENOMEM;
	}
	for (size_t i = 0; next_mark(p, &i, &last, &m);) {
		unsigned x = cell_of(m.x - p->x_min, p->x_max - p->x_min, g->width);
		unsigned y = cell_of((double)m.from, (double)p->y_max, g->height);
		unsigned top = m.end > m.from ? cell_of((double)(m.end - 1), (double)p->y_max, g->height) : y;

		for (; y <= top; y++)
			g->cell[m.kind][(size_t)y * g->width + x] += 1;
	}
	return 0;
}

static uint32_t grid_max(const struct grid *g)
{
	uint32_t max = 1;

	for (unsigned k = 0; k < KINDS; k++)
		for (size_t i = 0; i < (size_t)g->width * g->height; i++)
			max = MAX(max, g->cell[k][i]);
	return max;
}

/* The middle of a cell. */
static double x_of(const struct picture *p, const struct grid *g, unsigned x)
{
	return p->x_min + (p->x_max - p->x_min) * (x + 0.5) / g->width;
}

static double y_of(const struct picture *p, const struct grid *g, unsigned y)
{
	return (double)MAX(p->y_max, 1) / p->unit * (y + 0.5) / g->height;
}

/* Colours mixed by their counts, the denser the less transparent. */
static void put_cell(const struct picture *p, const struct grid *g, size_t i, double log_max)
{
	double sum = 0, red = 0, green = 0, blue = 0;

	for (unsigned k = 0; k < KINDS; k++) {
		double n = g->cell[k][i];

		sum += n;
		red += n * (kinds[k].colour >> 16);
		green += n * (kinds[k].colour >> 8 & 0xff);
		blue += n * (kinds[k].colour & 0xff);
	}
	if (sum == 0)
		fputs(" 255 255 255 0\n", p->f);
	else
		fprintf(p->f, " %.0f %.0f %.0f %.0f\n", red / sum, green / sum, blue / sum,
			MIN(90 + 165 * log1p(sum) / log_max, 255));
}

static int put_density(const struct picture *p, const uint64_t count[KINDS])
{
	unsigned fine = count[0] + count[1] + count[2] > FINE_MIN ? 2 : 1;
	_cleanup_(grid_fini) struct grid g = {.width = 250 * fine, .height = 125 * fine};
	double log_max;

	if (grid_fill(&g, p) < 0)
		return -ENOMEM;
	log_max = log1p(grid_max(&g));
	fputs("plot '-' using 1:2:3:4:5:6 with rgbalpha notitle, ", p->f);
	put_key(p, count, "points pt 5 ps 1.5");
	fputc('\n', p->f);
	for (unsigned y = 0; y < g.height; y++) {
		for (unsigned x = 0; x < g.width; x++) {
			fprintf(p->f, "%.9g %.9g", x_of(p, &g, x), y_of(p, &g, y));
			put_cell(p, &g, (size_t)y * g.width + x, log_max);
		}
	}
	fputs("e\n", p->f);
	return 0;
}

/* One letter a cell, of the kind that has most requests there; capital where they are many. */
static int put_letters(const struct picture *p, const uint64_t count[KINDS])
{
	_cleanup_(grid_fini) struct grid g = {.width = 86, .height = 20};
	const char *comma = "";
	uint32_t many;

	if (grid_fill(&g, p) < 0)
		return -ENOMEM;
	many = grid_max(&g) / 2;
	fputs("plot ", p->f);
	for (unsigned k = 0; k < KINDS; k++) {
		if (!count[k])
			continue;
		fprintf(p->f, "%s'-' with points pt '%c' title '%s', '-' with points pt '%c' notitle", comma,
			kinds[k].letter, kinds[k].name, kinds[k].letter - 'a' + 'A');
		comma = ", ";
	}
	fputc('\n', p->f);
	for (unsigned pass = 0; pass < 2 * KINDS; pass++) {
		if (!count[pass / 2])
			continue;
		/* outside, since gnuplot fails without any point */
		fprintf(p->f, "%.9g -1\n", p->x_min);
		for (size_t i = 0; i < (size_t)g.width * g.height; i++) {
			unsigned most = g.cell[1][i] > g.cell[0][i];

			most = g.cell[2][i] > g.cell[most][i] ? 2 : most;
			if (g.cell[most][i] && most == pass / 2 && (g.cell[most][i] > many && many) == pass % 2)
				fprintf(p->f, "%.9g %.9g\n", x_of(p, &g, (unsigned)(i % g.width)),
					y_of(p, &g, (unsigned)(i / g.width)));
		}
		fputs("e\n", p->f);
	}
	return 0;
}

static int put_requests(struct picture *p)
{
	uint64_t count[KINDS], all = 0;

	for (unsigned k = 0; k < KINDS; k++)
		all += count[k] = p->s->op[k].requests;
	if (!all)
		fputs("set label 1 'no requests' at graph 0.5,0.5 center\nplot NaN notitle\nunset label 1\n", p->f);
	else if (p->text)
		return put_letters(p, count);
	else if (all <= STROKES_MAX)
		put_strokes(p, count);
	else
		return put_density(p, count);
	return 0;
}

static void picture_fini(struct picture *p)
{
	free(p->base);
}

int plot_trace(const struct gnuplot *g, const char *title, const struct trace *t, const struct survey *s)
{
	_cleanup_(picture_fini) struct picture p = {
		.t = t,
		.s = s,
		.f = g->script,
		.text = g->form == GNUPLOT_TEXT,
		.by_time = s->timed && s->time_max > s->time_min,
	};
	int err = lay_out(&p);

	if (err)
		return err;
	p.x_min = p.by_time ? (double)s->time_min / (double)NS_PER_SEC : 0;
	p.x_max = p.by_time ? (double)s->time_max / (double)NS_PER_SEC : (double)t->count + 1;
	put_terminal(&p, g->form);
	put_title(&p, title);
	put_axes(&p);
	err = put_requests(&p);
	if (err == 0 && s->reuse.touches)
		err = plot_misses(p.f, p.text, s);
	fputs("unset multiplot\n", p.f);
	return err;
}
