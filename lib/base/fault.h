/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a library function knows of a failure beside its -errno: where in the input, and what in words.
 *
 * Nothing below lib/run prints. A function that takes a struct fault fills it when it returns a negative
 * number, and leaves it alone otherwise; the caller, who knows the file's name, prints
 * "tool: FILE:LINE: TEXT", and where the fault is one request's, its number. Text that comes from input is made
 * printable, and cut to fit with "...".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

struct fault {
	uint64_t line;    /* line of the input, from 1; 0: not about a line */
	uint64_t request; /* number in the trace, from 1; 0: not about one */
	char text[240];   /* what is wrong, no newline, always terminated */
};

/*
 * Set text (line and request become 0). Returns err (a negative errno), so that `return fault_set(f, -EINVAL, ...)`
 * reads well.
 */
int fault_set(struct fault *f, int err, const char *fmt, ...) _printf_(3, 4);

/* The same with a line number. */
int fault_set_line(struct fault *f, int err, uint64_t line, const char *fmt, ...) _printf_(4, 5);

/* The same with the number of a request of the trace, which the text leaves to be said by who prints it. */
int fault_set_request(struct fault *f, int err, uint64_t request, const char *fmt, ...) _printf_(4, 5);

/*
 * Write n bytes of foreign text into buf as printable ASCII in single quotes, other bytes as \xNN, cut with
 * "..." when it would not fit. Returns buf. cap must be at least 16.
 */
char *fault_quote(char *buf, size_t cap, const char *text, size_t n);
