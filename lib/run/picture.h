/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A picture by gnuplot, in a file or, by letters, between lines of text. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/fault.h"
#include "run/gnuplot.h"

struct picture_file {
	const char *path;     /* .svg, .png or "-", see gnuplot_form() */
	FILE *text;           /* where a picture of letters goes; its errors are seen by its owner */
	bool despite_stop;    /* as in struct outfile */
};

/* Writes the script of gnuplot; 0, or -errno with the text. */
typedef int picture_script(void *ctx, const struct gnuplot *g, struct fault *fault);

/* Draw it. The file takes its name when the picture is whole. 0 or -errno with the text. */
int picture_draw(const struct picture_file *p, picture_script *script, void *ctx, struct fault *fault);
