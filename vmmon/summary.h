/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vmmon tells at the end. */
#pragma once

#include "mon/sampler.h"
#include "run/chart.h"

/*
 * Write the tables of all runs of a sampler that has stopped to fd, and under repeats what they have in common. what:
 * how a run is called, "play" or "run". Returns the exit status.
 */
int summary_write(struct sampler *s, const char *what, bool repeats, int fd);

/* Draw a chart into a file, or by letters on fd. title: the words of the command line. Returns the exit status. */
int summary_plot(const struct chart *c, const char *path, int fd, const char *title, struct sampler *s);
