/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"
#include "diff/diff_judge.h"
#include "diff/diff_print.h"
#include "diff/recording.h"

#define FLOOR 1.0        /* percent */

void diff_init(struct diff *d)
{
	*d = (struct diff){.floor = FLOOR};
}

static int take_diff(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
		     struct fault *fault _unused_)
{
	((struct diff *)ctx)->wanted = true;
	return 0;
}

static int take_floor(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct diff *d = ctx;
	char quoted[64];
	const char *why;

	d->floored = true;
	if (units_fraction(text, strlen(text), &d->floor, &why) < 0)
		return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), text, strlen(text)),
				 why);
	return 0;
}

const struct cli_row diff_rows[] = {
    {.name = "diff", .arg = CLI_NONE, .take = take_diff, .help = "compare recordings: words are A B, or A... vs B..."},
    {.name = "floor", .arg = CLI_REQUIRED, .arg_help = "PERCENT", .take = take_floor,
     .help = "tell no change under PERCENT (default 1)"},
    {.name = NULL},
};

/* The two sides of the words. */
struct sides {
	char *const *a, *const *b;
	size_t na, nb;
};

static bool find_sides(char *const *file, size_t n, struct sides *out)
{
	size_t vs = 0;

	for (size_t i = 1; i + 1 < n; i++) {
		if (strcmp(file[i], "vs") != 0)
			continue;
		if (vs)
			return false;
		vs = i;
	}
	if (vs)
		*out = (struct sides){.a = file, .na = vs, .b = file + vs + 1, .nb = n - vs - 1};
	else
		*out = (struct sides){.a = file, .na = 1, .b = file + 1, .nb = 1};
	return vs || n == 2;
}

static int complain(const char *tool, const char *path, const struct fault *fault, int err)
{
	if (fault->line)
		fprintf(stderr, "%s: %s:%" PRIu64 ": %s\n", tool, path, fault->line, fault->text);
	else
		fprintf(stderr, "%s: %s: %s\n", tool, path, fault->text);
	return err == -ENOMEM || err == -EINTR || err == -EIO ? 1 : 2;
}

static void tell_mute(const struct recording *r, const char *path, const char *tool)
{
	bool phase = r->mute_phase[0];

	fprintf(stderr, "%s: %s: run %zu%s%s has a single row, so nothing is known of its counters", tool, path,
		r->mute_run, phase ? ", phase " : "", r->mute_phase);
	if (r->mute > 1)
		fprintf(stderr, "; nor of those of %zu more", r->mute - 1);
	fputc('\n', stderr);
}

static int read_side(struct recording *r, char *const *file, size_t n, const char *tool)
{
	for (size_t i = 0; i < n; i++) {
		struct fault fault = {0};
		int err = recording_read(r, file[i], &fault);

		if (err < 0)
			return complain(tool, file[i], &fault, err);
		if (r->mute)
			tell_mute(r, file[i], tool);
	}
	return 0;
}

static bool is_report(const struct recording *r)
{
	return strcmp(r->form, "report") == 0;
}

/* The first figure of a report, which is what a play is about. */
static bool is_headline(const struct figure *f)
{
	return strcmp(f->name, "elapsed") == 0 && strcmp(f->unit, "s") == 0;
}

static bool has_both(const struct pair *p)
{
	return p->a && p->b;
}

static struct pair pair_of(const struct recording *a, const struct recording *b, const struct figure *like,
			   enum figure_kind kind)
{
	return (struct pair){recording_find(a, like->phase, like->name, kind),
			     recording_find(b, like->phase, like->name, kind)};
}

/* The findings of a phase. */
struct findings {
	struct finding *finding;
	size_t n;
	struct diff_total *total;
	double floor;
	bool same_length;       /* on both sides */
};

static int find(struct findings *f, const struct pair *p, const struct pair *rate)
{
	return diff_judge(p, rate, f->floor, &f->finding[f->n++], f->total);
}

/* The length of the phase, first of all; where both sides have the same, rates would repeat what the totals say. */
static int find_length(struct findings *f, const struct recording *a, const struct recording *b, const char *phase)
{
	const struct pair p = {recording_find(a, phase, "elapsed", FIGURE_LENGTH),
			       recording_find(b, phase, "elapsed", FIGURE_LENGTH)};
	int err = has_both(&p) ? find(f, &p, NULL) : 0;

	f->same_length = has_both(&p) && f->finding[0].verdict == VERDICT_FLOOR;
	return err;
}

/* Of a counter the total and, where lengths differ, the rate; the total of one without a rate stands for itself. */
static int find_figure(struct findings *f, const struct recording *a, const struct recording *b, const struct figure *x)
{
	const struct pair total = pair_of(a, b, x, FIGURE_TOTAL), rate = pair_of(a, b, x, FIGURE_RATE);
	const struct pair delta = pair_of(a, b, x, FIGURE_DELTA), p = pair_of(a, b, x, x->kind);
	bool counts = x->kind == FIGURE_RATE || x->kind == FIGURE_DELTA;
	int err = 0;

	if (!p.b || (x->kind == FIGURE_TOTAL && (has_both(&rate) || has_both(&delta))))
		return 0;
	/* a counter in both views has its total with the rate */
	if (has_both(&total) && counts && (x->kind == FIGURE_RATE || !has_both(&rate)))
		err = find(f, &total, &p);
	if (err || (has_both(&total) && counts && f->same_length))
		return err;
	return find(f, &p, NULL);
}

/* One phase: its findings, in the order of A. *found is how many there were. 0 or -ENOMEM. */
static int diff_phase(const struct diff *d, const struct recording *a, const struct recording *b, const char *phase,
		      struct finding *finding, struct diff_total *total, FILE *f, size_t *found)
{
	struct findings all = {.finding = finding, .total = total, .floor = d->floor};

	if (find_length(&all, a, b, phase) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < a->figures; i++) {
		const struct figure *x = &a->figure[i];
		size_t before = all.n;

		if (strcmp(x->phase, phase) != 0 || x->kind == FIGURE_LENGTH)
			continue;
		if (find_figure(&all, a, b, x) < 0)
			return -ENOMEM;
		if (is_report(a) && is_headline(x) && all.n > before)
			diff_print_sentence(f, phase, &finding[before]);
	}
	diff_print_table(f, phase, finding, all.n);
	*found += all.n;
	return 0;
}

/* Is this figure the first of its phase? */
static bool begins_phase(const struct recording *r, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(r->figure[j].phase, r->figure[i].phase) == 0)
			return false;
	return r->figure[i].phase[0] != '\0';
}

static bool has_phase(const struct recording *r, const char *phase)
{
	for (size_t i = 0; i < r->figures; i++)
		if (strcmp(r->figure[i].phase, phase) == 0)
			return true;
	return false;
}

static bool has_figure(const struct recording *r, const struct figure *f)
{
	for (size_t i = 0; i < r->figures; i++)
		if (r->figure[i].kind == f->kind && strcmp(r->figure[i].name, f->name) == 0)
			return true;
	return false;
}

/* What only one side has: phases, or fields of all. */
static void tell_alone(FILE *f, const char *side, const struct recording *r, const struct recording *other)
{
	size_t n = 0;

	for (size_t i = 0; i < r->figures; i++) {
		const struct figure *x = &r->figure[i];
		bool phase = begins_phase(r, i) && !has_phase(other, x->phase);
		char text[256];
		bool field = !phase && (i == 0 || strcmp(x->phase, r->figure[0].phase) == 0) && !has_figure(other, x);

		if (!phase && !field)
			continue;
		diff_print_label(text, sizeof(text), x);
		if (n++ < 10)
			fprintf(f, "%s%s%s", n > 1 ? ", " : side, phase ? "phase " : "", phase ? x->phase : text);
	}
	if (n > 10)
		fprintf(f, " and %zu more", n - 10);
	if (n)
		fputc('\n', f);
}

static int diff_all(const struct diff *d, const struct recording *a, const struct recording *b, FILE *f, size_t *found)
{
	_cleanup_free_ struct finding *finding = calloc(a->figures + 1, sizeof(*finding));
	struct diff_total total = {.floor = d->floor};
	int err = 0;

	*found = 0;
	if (!finding)
		return -ENOMEM;
	tell_alone(f, "only in A: ", a, b);
	tell_alone(f, "only in B: ", b, a);
	for (size_t i = 0; i < a->figures; i++)
		if (begins_phase(a, i) && has_phase(b, a->figure[i].phase))
			err = err ? err : diff_phase(d, a, b, a->figure[i].phase, finding, &total, f, found);
	if (!err && *found == 0)
		err = diff_phase(d, a, b, "", finding, &total, f, found);
	if (!err)
		diff_print_total(f, &total);
	return err;
}

/* That of its file, or of the first of them. */
static void name_side(char *out, size_t size, char *const *file, size_t n)
{
	if (n == 1)
		snprintf(out, size, "%s", file[0]);
	else
		snprintf(out, size, "%s and %zu more", file[0], n - 1);
}

static int diff_sides(const struct diff *d, const struct sides *s, const struct recording *a, const struct recording *b,
		      const char *tool, FILE *f)
{
	char name_a[256], name_b[256];
	struct fault fault;
	size_t found;

	name_side(name_a, sizeof(name_a), s->a, s->na);
	name_side(name_b, sizeof(name_b), s->b, s->nb);
	if (is_report(a) != is_report(b)) {
		fault_set(&fault, -EINVAL, "holds %s, and %s %s", is_report(b) ? "reports of plays" : "rows", s->a[0],
			  is_report(b) ? "rows" : "reports of plays");
		return complain(tool, s->b[0], &fault, -EINVAL);
	}
	diff_print_sides(f, name_a, a, name_b, b);
	if (diff_all(d, a, b, f, &found) < 0) {
		fprintf(stderr, "%s: --diff: no memory\n", tool);
		return 1;
	}
	if (found)
		return 0;
	fault_set(&fault, -EINVAL, "has no figure in common with %s", s->a[0]);
	return complain(tool, s->b[0], &fault, -EINVAL);
}

int diff_run(const struct diff *d, char *const *file, size_t n, const char *tool, FILE *f)
{
	_cleanup_(recording_fini) struct recording a = {0}, b = {0};
	struct sides sides;
	int status;

	if (n < 2 || !find_sides(file, n, &sides)) {
		fprintf(stderr, "%s: --diff: two files are needed, A B, or some of each, A... vs B...\n"
				"Try '%s --help'.\n", tool, tool);
		return 2;
	}
	status = read_side(&a, sides.a, sides.na, tool);
	if (!status)
		status = read_side(&b, sides.b, sides.nb, tool);
	return status ? status : diff_sides(d, &sides, &a, &b, tool, f);
}
