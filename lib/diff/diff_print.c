/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/diff_print.h"

#include <math.h>
#include <string.h>

#include "base/macro.h"
#include "diff/diff.h"

#define WIDTH 12
#define CELL 48

/* Six digits or more: what stands before the point is never cut, and there is no exponent to read. */
static const char *digits(char *buf, double v, int significant)
{
	double size = fabs(v);
	int before = size >= 1 ? (int)floor(log10(size)) + 1 : size > 0 ? -(int)floor(-log10(size)) : 1;
	int decimals = MIN(MAX(significant - before, 0), 9);

	snprintf(buf, CELL, "%.*f", v == floor(v) && size < 1e15 ? 0 : decimals, v);
	return buf;
}

static const char *deviation(char *buf, double sd)
{
	return sd < 0 ? "-" : digits(buf, sd, 3);
}

static const char *change(char *buf, const struct finding *f)
{
	if (isnan(f->change))
		return "-";
	snprintf(buf, CELL, fabs(f->change) < 1000 ? "%+.1f%%" : "%+.0f%%", f->change);
	return buf;
}

static void side(FILE *f, const char *letter, const char *name, const struct recording *r)
{
	fprintf(f, "%s  %s: ", letter, name);
	if (r->rows)
		fprintf(f, "%zu row%s in %zu run%s, %s\n", r->rows, r->rows == 1 ? "" : "s", r->runs,
			r->runs == 1 ? "" : "s", r->form);
	else
		fprintf(f, "%zu %s%s\n", r->runs, r->form, r->runs == 1 ? "" : "s");
}

static const char *fact_of(const struct recording *r, const char *name)
{
	for (size_t i = 0; i < r->facts; i++)
		if (strcmp(r->fact[i].name, name) == 0)
			return r->fact[i].text;
	return NULL;
}

void diff_print_sides(FILE *f, const char *name_a, const struct recording *a, const char *name_b,
		      const struct recording *b)
{
	side(f, "A", name_a, a);
	side(f, "B", name_b, b);
	for (size_t i = 0; i < a->facts; i++) {
		const char *other = fact_of(b, a->fact[i].name);

		if (other && strcmp(a->fact[i].text, other) != 0)
			fprintf(f, "differs: %s %s -> %s\n", a->fact[i].name, a->fact[i].text, other);
	}
}

static const char *verdict_word(const struct finding *f)
{
	static const char *const word[] = {
	    [VERDICT_MORE] = "more", [VERDICT_LESS] = "less", [VERDICT_MORE_MAYBE] = "more?",
	    [VERDICT_LESS_MAYBE] = "less?", [VERDICT_NOISE] = "noise", [VERDICT_OPEN] = "open", [VERDICT_FLOOR] = "floor", [VERDICT_FEW] = "few",
	};

	return word[f->verdict];
}

void diff_print_sentence(FILE *f, const char *phase, const struct finding *x)
{
	static const char *const word[] = {
	    [VERDICT_MORE] = "more than noise",
	    [VERDICT_LESS] = "more than noise",
	    [VERDICT_MORE_MAYBE] = "perhaps more than noise",
	    [VERDICT_LESS_MAYBE] = "perhaps more than noise",
	    [VERDICT_NOISE] = "within noise",
	    [VERDICT_OPEN] = "not judged: one run a side",
	    [VERDICT_FLOOR] = "under the floor",
	    [VERDICT_FEW] = "few events",
	};
	const char *unit = x->a->unit, *verdict = word[x->verdict];
	char a[CELL], b[CELL], c[CELL];

	/* under the floor noise says more */
	if (x->verdict == VERDICT_FLOOR && x->c.test != COMPARE_NONE)
		verdict = x->c.p < DIFF_P ? "more than noise, under the floor" : "within noise";
	fprintf(f, "\n%s: %s %s %s against %s %s: %s, %s\n", phase, x->a->name, digits(a, x->mean_a, 4), unit,
		digits(b, x->mean_b, 4), unit, change(c, x), verdict);
}

static bool is_told(const struct finding *x)
{
	return x->verdict != VERDICT_FLOOR && x->verdict != VERDICT_FEW;
}

void diff_print_label(char *out, size_t size, const struct figure *x)
{
	static const char *const suffix[] = {[FIGURE_LEVEL] = "", [FIGURE_RATE] = "/s", [FIGURE_DELTA] = ":delta",
					     [FIGURE_TOTAL] = ":total", [FIGURE_LENGTH] = ""};

	snprintf(out, size, "%s%s%s%s", x->name, suffix[x->kind], x->unit[0] ? " " : "", x->unit);
}

void diff_print_table(FILE *f, const char *phase, const struct finding *finding, size_t n)
{
	char text[256], a[CELL], b[CELL], sa[CELL], sb[CELL], c[CELL], p[CELL];
	int width = (int)MIN(MAX(strlen(phase), (size_t)5), (size_t)40);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		diff_print_label(text, sizeof(text), finding[i].a);
		if (is_told(&finding[i]))
			width = MAX(width, (int)strlen(text));
		any |= is_told(&finding[i]);
	}
	if (!any)
		return;
	snprintf(text, sizeof(text), "%s", phase[0] ? phase : "field");
	fprintf(f, "\n%-*s %*s %9s %*s %9s %8s %7s\n", width, text, WIDTH, "A", "+-sd", WIDTH, "B", "+-sd", "change",
		"p");
	for (size_t i = 0; i < n; i++) {
		const struct finding *x = &finding[i];

		if (!is_told(x))
			continue;
		diff_print_label(text, sizeof(text), x->a);
		snprintf(p, sizeof(p), x->c.test == COMPARE_NONE ? "-" : x->c.p < 0.0001 ? "<.0001" : "%.4f", x->c.p);
		fprintf(f, "%-*s %*s %9s %*s %9s %8s %7s %s\n", width, text, WIDTH, digits(a, x->mean_a, 6),
			deviation(sa, x->sd_a), WIDTH, digits(b, x->mean_b, 6), deviation(sb, x->sd_b), change(c, x), p,
			verdict_word(x));
	}
}

void diff_print_total(FILE *f, const struct diff_total *t)
{
	size_t judged = t->judged[COMPARE_WELCH] + t->judged[COMPARE_MANN_WHITNEY];
	fputc('\n', f);
	if (judged) {
		fprintf(f, "judged by %s%s%s", t->judged[COMPARE_WELCH] ? compare_test_name(COMPARE_WELCH) : "",
			t->judged[COMPARE_WELCH] && t->judged[COMPARE_MANN_WHITNEY] ? " and " : "",
			t->judged[COMPARE_MANN_WHITNEY] ? compare_test_name(COMPARE_MANN_WHITNEY) : "");
		fprintf(f, ": %zu of %zu changed (p < %g), %zu perhaps (p < %g)\n",
			t->count[VERDICT_MORE] + t->count[VERDICT_LESS], judged, DIFF_P,
			t->count[VERDICT_MORE_MAYBE] + t->count[VERDICT_LESS_MAYBE], DIFF_P_MAYBE);
		if (t->of_parts)
			fputs("noise is that within a run: how runs differ, only repeated ones tell\n", f);
	}
	if (t->count[VERDICT_OPEN])
		fprintf(f, "not judged, for want of runs or rows: %zu\n", t->count[VERDICT_OPEN]);
	if (t->count[VERDICT_FLOOR] || t->count[VERDICT_FEW])
		fprintf(f, "not told: %zu the same or changed by less than %g %%, %zu of few events\n",
			t->count[VERDICT_FLOOR], t->floor, t->count[VERDICT_FEW]);
}
