/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/gen.h"

#include <errno.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"

void gen_init(struct gen *g, const struct gen_params *p, struct rng *rng)
{
	uint64_t mask = ~(p->align - 1);

	*g = (struct gen){.p = *p, .rng = rng, .shift = (unsigned)__builtin_ctzll(p->align)};
	g->p.begin = (p->begin + p->align - 1) & mask;
	g->p.end = p->end & mask;
	if (p->write_part > 0)
		rng_init(&g->mix, rng_next(rng));
	gen_span_init(&g->size, (int64_t)p->size_min, (int64_t)p->size_max, p->align);
	switch (p->pattern) {
	case PATTERN_RANDOM: {
		uint64_t smallest = (uint64_t)g->size.first * p->align;

		dist_init(&g->dist, &p->dist, ((g->p.end - g->p.begin - smallest) >> g->shift) + 1, rng);
		break;
	}
	case PATTERN_OOO: {
		uint64_t slot = ((uint64_t)g->size.first + g->size.more) * p->align;

		perm_init(&g->perm, (g->p.end - g->p.begin) / slot, rng);
		break;
	}
	case PATTERN_SEQUENTIAL:
	case PATTERN_STRIDE:
	case PATTERN_BACKWARD:
	case PATTERN_COUNT:
		gen_span_init(&g->skip, p->skip_min, p->skip_max, p->align);
		g->position = p->pattern == PATTERN_BACKWARD ? g->p.end : g->p.begin;
		break;
	}
}

static uint64_t draw_size(const struct gen *g)
{
	return (uint64_t)gen_span_draw(&g->size, g->p.align, g->rng);
}

static int64_t draw_skip(const struct gen *g)
{
	return gen_span_draw(&g->skip, g->p.align, g->rng);
}

/* Count one more request of that size; false, and the end of the pattern, when max_bytes does not hold it. */
static bool count_bytes(struct gen *g, uint64_t size)
{
	if (size > g->p.max_bytes - g->bytes) {
		g->ended = true;
		return false;
	}
	g->bytes += size;
	return true;
}

/* A walk whose steps are all alike needs no look at each request: how many fit is known beforehand. */
static size_t fill_even(struct gen *g, struct req *out, size_t max)
{
	bool down = g->p.pattern == PATTERN_BACKWARD;
	uint64_t size = draw_size(g), step = g->p.stride;
	uint64_t first = g->position, room, fit, n;
	struct req r;

	if (!step)
		step = size + (uint64_t)draw_skip(g);
	if (down && (!g->p.stride || !g->requests))
		first -= size;
	fit = down ? (first - g->p.begin) / step + 1 : (g->p.end - size - first) / step + 1;
	room = (g->p.max_bytes - g->bytes) / size;
	n = MIN(MIN(fit, room), max);
	/* fit is asked here, not in the next call, as the position may lie outside of what 64 bits can say then */
	g->ended = n < max || n == fit;
	if (!n)
		return 0;
	r = req_make(first, size, g->p.op);
	step = down ? -step : step;
	/* the offset's word holds a bit of the op above it, which the sum does not reach */
	for (uint64_t i = 0; i < n; i++)
		out[i] = (struct req){.offset_op = r.offset_op + i * step, .length_op = r.length_op};
	g->bytes += n * size;
	g->position = first + n * step + (down && !g->p.stride ? size : 0);
	return (size_t)n;
}

static size_t fill_up(struct gen *g, struct req *out, size_t max)
{
	for (size_t i = 0; i < max; i++) {
		uint64_t size = draw_size(g);

		if (g->position > g->p.end - size || !count_bytes(g, size)) {
			g->ended = true;
			return i;
		}
		out[i] = req_make(g->position, size, g->p.op);
		g->position += g->p.stride ? g->p.stride : size + (uint64_t)draw_skip(g);
	}
	return max;
}

static size_t fill_down(struct gen *g, struct req *out, size_t max)
{
	for (size_t i = 0; i < max; i++) {
		bool from_end = !g->p.stride || g->requests + i == 0;
		uint64_t size = draw_size(g), start = g->position;
		int64_t next;

		if (from_end && size > start - g->p.begin)
			g->ended = true;
		else if (from_end)
			start -= size;
		if (g->ended || start > g->p.end - size || !count_bytes(g, size)) {
			g->ended = true;
			return i;
		}
		out[i] = req_make(start, size, g->p.op);
		next = (int64_t)start - (g->p.stride ? (int64_t)g->p.stride : draw_skip(g));
		g->ended = next < (int64_t)g->p.begin;
		g->position = (uint64_t)next;
		if (g->ended)
			return i + 1;
	}
	return max;
}

static size_t fill_random(struct gen *g, struct req *out, size_t max)
{
	for (size_t i = 0; i < max; i++) {
		uint64_t size = draw_size(g), starts = ((g->p.end - g->p.begin - size) >> g->shift) + 1;

		if (!count_bytes(g, size))
			return i;
		out[i] = req_make(g->p.begin + (dist_draw(&g->dist, starts, g->rng) << g->shift), size, g->p.op);
	}
	return max;
}

static size_t fill_ooo(struct gen *g, struct req *out, size_t max)
{
	uint64_t slot = ((uint64_t)g->size.first + g->size.more) * g->p.align;

	for (size_t i = 0; i < max; i++) {
		uint64_t size = draw_size(g);

		if (g->position == g->perm.n || !count_bytes(g, size)) {
			g->ended = true;
			return i;
		}
		out[i] = req_make(g->p.begin + perm_at(&g->perm, g->position++) * slot, size, g->p.op);
	}
	return max;
}

static size_t fill_syncs(const struct gen *g, struct req *out, size_t max)
{
	for (size_t i = 0; i < max; i++)
		out[i] = req_make(g->p.begin, 0, g->p.op);
	return max;
}

static void mix_writes(struct gen *g, struct req *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rng_unit(&g->mix) < g->p.write_part)
			out[i] = req_make(req_offset(out[i]), req_length(out[i]), OP_WRITE);
}

size_t gen_fill(struct gen *g, struct req *out, size_t max)
{
	size_t n;

	max = (size_t)MIN(max, g->p.max_requests - g->requests);
	if (g->ended || !max)
		return 0;
	if (g->p.op == OP_SYNC || g->p.op == OP_DATASYNC)
		n = fill_syncs(g, out, max);
	else if (g->p.pattern == PATTERN_RANDOM)
		n = fill_random(g, out, max);
	else if (g->p.pattern == PATTERN_OOO)
		n = fill_ooo(g, out, max);
	else if (!g->size.more && (g->p.stride || !g->skip.more))
		n = fill_even(g, out, max);
	else if (g->p.pattern == PATTERN_BACKWARD)
		n = fill_down(g, out, max);
	else
		n = fill_up(g, out, max);
	if (g->p.write_part > 0)
		mix_writes(g, out, n);
	g->requests += n;
	return n;
}

int gen_next(struct gen *g, struct req *out)
{
	return (int)gen_fill(g, out, 1);
}

/* Requests between two looks at the signal flag. */
#define CHUNK 65536

/* The columns that exist get their default in the n requests behind the last. */
static void set_defaults(struct trace *t, size_t n)
{
	for (size_t i = t->count; t->time && i < t->count + n; i++)
		t->time[i] = TIME_NONE;
	if (t->file)
		memset(t->file + t->count, 0, n * sizeof(*t->file));
	if (t->step)
		memset(t->step + t->count, 0, n * sizeof(*t->step));
}

int gen_append(struct trace *t, const struct gen_params *p, struct rng *rng)
{
	struct gen g;
	size_t n;

	gen_init(&g, p, rng);
	do {
		if (stop_signal())
			return -EINTR;
		if (trace_reserve(t, CHUNK))
			return -ENOMEM;
		n = gen_fill(&g, t->req + t->count, CHUNK);
		set_defaults(t, n);
		t->count += n;
	} while (n == CHUNK);
	return 0;
}
