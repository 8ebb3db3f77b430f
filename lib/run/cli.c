/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/cli.h"

#include <errno.h>
#include <popt.h>
#include <stdint.h>
#include <string.h>

#include "base/macro.h"
#include "mon/near.h"

/* One option or word of the line, in order. */
struct found {
	const struct cli_row *row; /* NULL: a word */
	void *ctx;
	char *text;
};

struct line {
	struct poptOption *table; /* popt's, row by row as in rows */
	struct found *rows;	  /* val - 1 of a popt option is its index here */
	size_t row_count;
	struct found *found;
	size_t found_count, found_capacity;
	poptContext popt;
};

static void line_fini(struct line *l)
{
	if (l->popt)
		poptFreeContext(l->popt);
	for (size_t i = 0; i < l->found_count; i++)
		free(l->found[i].text);
	free(l->found);
	free(l->rows);
	free(l->table);
}

/* Does a group before g have a row of that name? */
static bool is_hidden(const struct cli *cli, const struct cli_group *g, const char *name)
{
	for (const struct cli_group *before = cli->groups; before < g; before++)
		for (const struct cli_row *r = before->rows; r->name; r++)
			/*
			 * most differ at once; some thousand calls of strcmp() are a tenth of all instructions of a
			 * start
			 */
			if (r->name[0] == name[0] && strcmp(r->name, name) == 0)
				return true;
	return false;
}

static int line_init(struct line *l, const struct cli *cli, int argc, const char **argv)
{
	const struct cli_group *g;
	const struct cli_row *r;
	size_t n = 0;

	for (g = cli->groups; g->title; g++)
		for (r = g->rows; r->name; r++)
			n++;
	l->table = calloc(n + 1, sizeof(*l->table));
	l->rows = calloc(n + 1, sizeof(*l->rows));
	if (!l->table || !l->rows)
		return -ENOMEM;
	for (g = cli->groups; g->title; g++) {
		for (r = g->rows; r->name; r++) {
			if (is_hidden(cli, g, r->name))
				continue;
			l->rows[l->row_count] = (struct found){.row = r, .ctx = g->ctx};
			l->table[l->row_count] = (struct poptOption){
			    .longName = r->name,
			    .shortName = g->letters ? r->letter : '\0',
			    .argInfo = r->arg == CLI_NONE	? POPT_ARG_NONE
				       : r->arg == CLI_OPTIONAL ? POPT_ARG_STRING | POPT_ARGFLAG_OPTIONAL
								: POPT_ARG_STRING,
			    .val = (int)l->row_count + 1,
			};
			l->row_count++;
		}
	}
	l->popt = poptGetContext(cli->tool, argc, argv, l->table, POPT_CONTEXT_ARG_OPTS);
	return l->popt ? 0 : -ENOMEM;
}

static int line_add(struct line *l, const struct found *f)
{
	if (l->found_count == l->found_capacity) {
		size_t capacity = l->found_capacity ? 2 * l->found_capacity : 16;
		struct found *more = reallocarray(l->found, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->found = more;
		l->found_capacity = capacity;
	}
	l->found[l->found_count++] = *f;
	return 0;
}

/* The option that was probably meant by an unknown one: a shortened name, or one with a slip or two. */
static const struct cli_row *probable(const struct line *l, const char *bad)
{
	char name[64];
	const struct cli_row *best = NULL;
	unsigned distance = 3;
	size_t n, prefixed = 0;

	bad += strspn(bad, "-");
	n = strcspn(bad, "=");
	if (n < 2 || n >= sizeof(name))
		return NULL;
	memcpy(name, bad, n);
	name[n] = '\0';
	for (size_t i = 0; i < l->row_count; i++) {
		const struct cli_row *row = l->rows[i].row;

		if (strncmp(row->name, name, n) == 0) {
			best = row;
			prefixed++;
		}
	}
	if (prefixed)
		return prefixed == 1 ? best : NULL;
	for (size_t i = 0; i < l->row_count; i++) {
		unsigned d = near_distance(name, l->rows[i].row->name);

		if (d < distance && d < n) {
			distance = d;
			best = l->rows[i].row;
		}
	}
	return best;
}

static int refuse(const struct cli *cli, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\nTry '%s --help'.\n", cli->tool, what, why, cli->tool);
	return -EINVAL;
}

static int refuse_row(const struct cli *cli, const struct cli_row *row, const char *why)
{
	char what[80];

	snprintf(what, sizeof(what), "--%s", row->name);
	return refuse(cli, what, why);
}

static int refuse_popt(const struct cli *cli, const struct line *l, int error)
{
	const char *bad = poptBadOption(l->popt, POPT_BADOPTION_NOALIAS);
	const struct cli_row *meant;
	char quoted[80], why[160];

	/* Printable, but an option is known by its dashes and needs no quotes. */
	fault_quote(quoted, sizeof(quoted), bad, strlen(bad));
	quoted[strlen(quoted) - 1] = '\0';
	bad = quoted + 1;
	switch (error) {
	case POPT_ERROR_BADOPT:
		meant = probable(l, bad);
		if (meant)
			snprintf(why, sizeof(why), "no such option; did you mean --%s?", meant->name);
		return refuse(cli, bad, meant ? why : "no such option");
	case POPT_ERROR_NOARG:
		return refuse(cli, bad, "the argument is missing");
	case POPT_ERROR_UNWANTEDARG:
		return refuse(cli, bad, "takes no argument");
	}
	return refuse(cli, bad, poptStrerror(error));
}

/* popt takes the next word for an argument whatever it is: a forgotten argument must not eat an option. */
static int check_argument(const struct cli *cli, const struct found *f)
{
	char quoted[80], why[240];

	if (f->row->arg != CLI_REQUIRED || f->text[0] != '-' || f->text[1] == '\0')
		return 0;
	if (f->row->negative && f->text[1] >= '0' && f->text[1] <= '9')
		return 0;
	snprintf(why, sizeof(why), "needs %s, but %s begins with '-'", f->row->arg_help,
		 fault_quote(quoted, sizeof(quoted), f->text, strlen(f->text)));
	return refuse_row(cli, f->row, why);
}

static int collect(struct line *l, const struct cli *cli)
{
	int val;

	while ((val = poptGetNextOpt(l->popt)) >= 0) {
		_cleanup_free_ char *text = poptGetOptArg(l->popt);
		struct found f = {.text = text};
		struct found *last = l->found_count ? &l->found[l->found_count - 1] : NULL;

		if (val > 0) {
			f.row = l->rows[val - 1].row;
			f.ctx = l->rows[val - 1].ctx;
			if (check_argument(cli, &f) < 0)
				return -EINVAL;
		} else if (last && last->row && last->row->arg == CLI_OPTIONAL && !last->text &&
			   strcmp(text, "-") == 0) {
			/* popt takes "-" for an option here and leaves it as a word. */
			last->text = TAKE_PTR(text);
			continue;
		} else if (!cli->word) {
			char quoted[80];

			return refuse(cli, fault_quote(quoted, sizeof(quoted), text, strlen(text)),
				      "a word that belongs to no option");
		}
		if (line_add(l, &f) < 0)
			return -ENOMEM;
		(void)TAKE_PTR(text);
	}
	return val == -1 ? 0 : refuse_popt(cli, l, val);
}

static int take_all(const struct line *l, const struct cli *cli)
{
	for (size_t i = 0; i < l->found_count; i++) {
		const struct found *f = &l->found[i];
		struct fault fault = {0};
		char quoted[80];
		int err;

		if (f->row) {
			err = f->row->take(f->ctx, f->row, f->text, &fault);
			if (err < 0) {
				refuse_row(cli, f->row, fault.text);
				return err;
			}
			continue;
		}
		err = cli->word(cli->word_ctx, f->text, &fault);
		if (err < 0) {
			refuse(cli, fault_quote(quoted, sizeof(quoted), f->text, strlen(f->text)), fault.text);
			return err;
		}
	}
	return 0;
}

int cli_parse(const struct cli *cli, int argc, const char **argv)
{
	_cleanup_(line_fini) struct line l = {0};
	int err = line_init(&l, cli, argc, argv);

	if (err == 0)
		err = collect(&l, cli);
	if (err == -ENOMEM)
		fprintf(stderr, "%s: no memory\n", cli->tool);
	return err < 0 ? err : take_all(&l, cli);
}

#define HELP_COLUMN 34

void cli_help(const struct cli *cli, FILE *f)
{
	fprintf(f, "Usage: %s %s\n%s\n", cli->tool, cli->usage, cli->about);
	for (const struct cli_group *g = cli->groups; g->title; g++) {
		fprintf(f, "\n%s:\n", g->title);
		for (const struct cli_row *r = g->rows; r->name; r++) {
			char letter[8] = "    ";
			int n;

			if (is_hidden(cli, g, r->name))
				continue;
			if (g->letters && r->letter)
				snprintf(letter, sizeof(letter), "-%c, ", r->letter);
			n = fprintf(f, "  %s--%s%s%s", letter, r->name, r->arg_help ? " " : "",
				    r->arg_help ? r->arg_help : "");
			if (n >= HELP_COLUMN) {
				fputc('\n', f);
				n = 0;
			}
			fprintf(f, "%*s%s\n", HELP_COLUMN - n, "", r->help);
		}
	}
}

char *cli_command(int argc, const char **argv)
{
	size_t n = 1, at = 0;
	char *command;

	for (int i = 1; i < argc; i++)
		n += strlen(argv[i]) + 1;
	command = malloc(n);
	if (!command)
		return NULL;
	for (int i = 1; i < argc; i++) {
		if (i > 1)
			command[at++] = ' ';
		for (const char *c = argv[i]; *c; c++)
			command[at++] = (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
	}
	command[at] = '\0';
	return command;
}
