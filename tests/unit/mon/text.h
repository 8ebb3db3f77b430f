/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns whose source has been read from a text of the test's own, in place of a file. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "mon/column.h"

/* Replace what the first source has read. */
static inline void text_put(struct columns *c, const char *text, size_t n)
{
	struct source *source = &c->sources.source[0];
	struct vmstat *file = &source->file;

	free(file->buf);
	file->buf = malloc(n + 1);
	if (!file->buf)
		abort();
	memcpy(file->buf, text, n);
	file->buf[n] = '\0';
	file->used = file->size = n;
	source->absent = vmstat_lookup(text, n, source->want, source->want_count);
}

/* Empty columns, to be released by columns_fini(), with one source of a kind without instances. */
static inline void text_columns(struct columns *c, const char *kind, const char *text, size_t n)
{
	struct fault fault;

	if (columns_init(c, &(struct sources_params){.plain = kind}, &fault) < 0)
		abort();
	c->sources.source = calloc(1, sizeof(*c->sources.source));
	if (!c->sources.source)
		abort();
	c->sources.count = 1;
	c->sources.source[0] = (struct source){
		.kind = source_kind_find(kind, strlen(kind)), .instance = strdup(""), .file.fd = -1};
	c->sources.source[0].file.path = strdup("text");
	text_put(c, text, n);
}
