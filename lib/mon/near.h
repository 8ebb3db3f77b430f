/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of many names are near to one that was asked for: what a message suggests. */
#pragma once

#include <stddef.h>

#define NEAR_NAME 64   /* bytes of a name with its terminator; longer ones are near to nothing */
#define NEAR_COUNT 3

/* Zero but for asked, then near_consider() for each name. */
struct near {
	const char *asked;   /* borrowed */
	struct {
		char name[NEAR_NAME];
		unsigned distance;
	} list[NEAR_COUNT];  /* the nearest first */
};

/* Edits (insert, delete, replace, swap neighbours) between two names; long names count as entirely different. */
unsigned near_distance(const char *a, const char *b);

/* Keep the name if it is near and nearer than what is kept. */
void near_consider(struct near *n, const char *name, size_t length);

/* "; nearest: A, B" in buf, or an empty text. Returns buf. */
#define NEAR_TEXT (NEAR_COUNT * (NEAR_NAME + 2) + 16)
const char *near_text(const struct near *n, char buf[NEAR_TEXT]);
