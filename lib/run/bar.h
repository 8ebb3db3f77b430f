/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bar of letters over a file: how full each part of it is. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#define BAR_CELLS 512 /* at most */

struct bar {
	uint64_t pages;            /* of the file */
	unsigned cells;            /* 0: there is nothing to draw */
	uint64_t full[BAR_CELLS];  /* pages of each cell that are full */
};

/* As wide as the terminal of f, 80 columns where f is none; no cell is less than a page. */
void bar_init(struct bar *b, uint64_t pages, FILE *f);

/* Pages first..end-1 are full, and were not told before. */
void bar_add(struct bar *b, uint64_t first, uint64_t end);

/*
 * A line "|...|", in blocks of UTF-8 if f is a terminal and the environment says that it can (LC_ALL, LC_CTYPE, LANG),
 * else in ASCII. A cell is blank only when nothing of it is full, and solid only when all is. Then a line of the file's
 * ends, 0 and bytes.
 */
void bar_print(const struct bar *b, uint64_t bytes, FILE *f);
