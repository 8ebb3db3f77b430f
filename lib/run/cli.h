/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: option rows, read from left to right through popt. The rows make the popt table and --help;
 * nothing else knows an option's name. This is the only lib file that sees popt.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fault.h"

enum cli_arg { CLI_NONE, CLI_REQUIRED, CLI_OPTIONAL };

struct cli_row {
	const char *name;       /* long name without dashes */
	char letter;            /* or 0 */
	enum cli_arg arg;
	bool negative;          /* the argument may begin with '-' and a digit */
	const char *arg_help;   /* "[BEGIN,]END", in brackets as a whole when optional; NULL without argument */
	const char *help;       /* one line */
	/*
	 * Take the option; text is NULL when an optional one is absent, and valid during the call only. 0 or -errno
	 * with the text (without the option's name).
	 */
	int (*take)(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);
	const void *data;       /* for take() alone */
};

struct cli_group {
	const char *title;          /* "Parameters" */
	const struct cli_row *rows; /* last has name NULL */
	bool letters;               /* false: the letters of these rows are not taken (another tool has them) */
	void *ctx;                  /* given to take() */
};

struct cli {
	const char *tool;           /* "iotrace" */
	const char *usage;          /* "[PARAMETER... ACTION]..." */
	const char *about;          /* one line under the usage */
	const struct cli_group *groups; /* last has title NULL; a row hides those of its name in later groups */
	/* A word that is no option, in order with them; NULL: refused. */
	int (*word)(void *ctx, const char *text, struct fault *fault);
	void *word_ctx;
};

/*
 * Take all options and words, in order, after the shape of the whole line was found right. Returns 0, or -errno after
 * printing "tool: --option: what" and a hint to --help on standard error. Refused: unknown options (with the name
 * probably meant), an argument that an option needs and that begins with '-' (popt would take the next option for
 * it; exactly "-" passes, and a negative number where the row allows one), an argument where none belongs, left-over
 * words. An optional argument is the next word unless that begins with '-'; exactly "-" is taken.
 */
int cli_parse(const struct cli *cli, int argc, const char **argv);

/* Print the help made from the rows. */
void cli_help(const struct cli *cli, FILE *f);

/*
 * argv[1..] joined by blanks, as the seed's report showed it; control characters become '?'. Caller frees; NULL: no
 * memory.
 */
char *cli_command(int argc, const char **argv);
