/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The picture of a trace: where its requests lie, by their number or, when there are times, by time, reads and writes
 * apart, few as strokes and many as density; below it the misses of LRU caches of all sizes. Files lie one above the
 * other.
 */
#pragma once

#include "base/fault.h"
#include "run/gnuplot.h"
#include "trace/survey.h"
#include "trace/trace.h"

/* Write the script of the picture; title is foreign text. s is the survey of all of t. 0 or -ENOMEM. */
int plot_trace(const struct gnuplot *g, const char *title, const struct trace *t, const struct survey *s);
