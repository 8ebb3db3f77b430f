/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/source.h"

static int next_of_trace(struct source *s, struct batch *out)
{
	const struct trace *t = s->trace;
	size_t at = s->position;

	if (at == t->count)
		return 0;
	*out = (struct batch){
		.req = t->req + at,
		.time = t->time ? t->time + at : NULL,
		.file = t->file ? t->file + at : NULL,
		.count = t->count - at,
		.first = at,
	};
	s->position = t->count;
	return 1;
}

void source_of_trace(struct source *s, const struct trace *t)
{
	*s = (struct source){.next = next_of_trace, .trace = t};
}
