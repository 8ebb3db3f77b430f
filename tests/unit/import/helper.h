/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of importers have in common. */
#pragma once

#include <stddef.h>

#include "import/import.h"

/*
 * Import text by the options and compare what comes in with want: one request a line, "OP OFFSET LENGTH", then " @NS"
 * when it has a time and " #NAME" when its file has one. Without .ops all ops come in.
 */
void expect_import(const char *text, size_t n, const struct import_options *o, const char *want);

#define EXPECT(text, want, ...) expect_import(text, sizeof(text) - 1, &(struct import_options){__VA_ARGS__}, want)

/* The import must fail with -EINVAL at this line (0: none) and a text that holds part. */
void expect_refused(const char *text, size_t n, const struct import_options *o, unsigned long line, const char *part);

#define REFUSED(text, line, part, ...) \
	expect_refused(text, sizeof(text) - 1, &(struct import_options){__VA_ARGS__}, line, part)

/* All remarks of the import that expect_import() did last, one a line. */
const char *remarks(void);

/* Its summary. */
extern struct import_summary summary;
