/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lower half of the picture of a trace: the share of page touches that miss, by the size of an LRU cache. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "trace/survey.h"

/* Write its part of a multiplot's script, for a survey with touches of pages; text: for letters. 0 or -ENOMEM. */
int plot_misses(FILE *f, bool text, const struct survey *s);
