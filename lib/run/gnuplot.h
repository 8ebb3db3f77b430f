/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures by gnuplot, a program that is looked for on the PATH. It runs beside us, takes its script from a pipe, and
 * gives its picture to a descriptor. No shell is between.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/fault.h"

enum gnuplot_form {
	GNUPLOT_SVG,
	GNUPLOT_PNG,
	GNUPLOT_TEXT   /* letters, for a terminal */
};

/* By the end of a name, .svg or .png, or "-" for text. The form, or -EINVAL with the text (without the name). */
int gnuplot_form(const char *path, struct fault *fault);

/* Is there a gnuplot? 0 or -ENOENT with the text. */
int gnuplot_check(struct fault *fault);

struct gnuplot {
	pid_t pid;      /* 0: not running */
	FILE *script;   /* write here; errors are seen by gnuplot_end() */
	enum gnuplot_form form;
};

/* All zero is none. Start one whose picture goes to out, which is borrowed. 0 or -errno with the text. */
int gnuplot_start(struct gnuplot *g, enum gnuplot_form form, int out, struct fault *fault);

/* The script is complete: wait for the picture. 0 or -errno with the text. Afterwards it is none. */
int gnuplot_end(struct gnuplot *g, struct fault *fault);

/* Give up. Harmless after gnuplot_end(). For _cleanup_. */
void gnuplot_abort(struct gnuplot *g);

/* Text as gnuplot reads it, in quotes; control characters become '?'. */
void gnuplot_quote(FILE *script, const char *text);

/*
 * The same of a text that may be longer than a picture is wide: what is past max bytes is left out, but no part of a
 * character.
 */
void gnuplot_title(FILE *script, const char *text, size_t max);

/* The unit in which a picture shows sizes up to max: its name ("MiB"), and its bytes. */
const char *gnuplot_unit(uint64_t max, double *bytes);
