/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/source.h"

void source_of_trace(struct source *s, const struct trace *t)
{
	*s = (struct source){.trace = t, .step = 1, .each = t->count, .left = t->count};
}

/* The share of the next part of the ring that has any. */
static bool next_of_ring(struct source *s, struct batch *out)
{
	const struct trace *t;
	uint64_t first;

	/* no batch of a ring is a whole loop */
	s->each = 0;
	while ((t = ring_next(s->more, s->reader, &first))) {
		size_t at = (size_t)((s->share + s->step - first % s->step) % s->step);

		if (at >= t->count)
			continue;
		*out = (struct batch){
			.req = t->req + at,
			.time = t->time ? t->time + at : NULL,
			.file = t->file ? t->file + at : NULL,
			.count = (t->count - at + s->step - 1) / s->step,
			.step = s->step,
			.first = first + at,
		};
		return true;
	}
	return false;
}

static bool at_end_of_trace(const struct source *s)
{
	return s->left == 0 || s->each == 0;
}

bool source_ready(const struct source *s)
{
	return !s->more || !at_end_of_trace(s) || ring_ready(s->more, s->reader);
}

bool source_next(struct source *s, struct batch *out)
{
	const struct trace *t = s->trace;

	if (at_end_of_trace(s))
		return s->more && next_of_ring(s, out);
	*out = (struct batch){
		.req = t->req + s->first,
		.time = t->time ? t->time + s->first : NULL,
		.file = t->file ? t->file + s->first : NULL,
		.count = (size_t)MIN(s->left, (uint64_t)s->each),
		.step = s->step,
		.first = s->first,
		.loop = s->loop++,
	};
	if (s->left != UINT64_MAX)
		s->left -= out->count;
	return true;
}
