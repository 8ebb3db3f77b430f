/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/source.h"

void source_of_trace(struct source *s, const struct trace *t)
{
	*s = (struct source){.trace = t, .step = 1, .each = t->count, .left = t->count};
}

bool source_next(struct source *s, struct batch *out)
{
	const struct trace *t = s->trace;

	if (s->left == 0 || s->each == 0)
		return false;
	*out = (struct batch){
		.req = t->req + s->first,
		.time = t->time ? t->time + s->first : NULL,
		.count = (size_t)MIN(s->left, (uint64_t)s->each),
		.step = s->step,
		.first = s->first,
		.loop = s->loop++,
	};
	if (s->left != UINT64_MAX)
		s->left -= out->count;
	return true;
}
