/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/xform.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/gen.h"

/* Look at the signal flag once in this many requests. */
#define CHUNK 65536

int xform_round_up(struct trace *t, uint64_t align, struct fault *fault)
{
	uint64_t mask = ~(align - 1);

	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];
		uint64_t begin = req_offset(r) & mask, end;

		if (req_is_sync(r))
			continue;
		/* 2^63 - 1 + 2^63 - 1 still fits */
		end = (req_end(r) + align - 1) & mask;
		if (end > REQ_MAX)
			return fault_set_request(fault, -EOVERFLOW, i + 1,
						 "it would end at %" PRIu64 ", which does not fit into 63 bits", end);
		t->req[i] = req_make(begin, end - begin, req_op(r));
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}

/* What a break-up draws its sizes from. */
struct cutter {
	struct gen_span size;
	uint64_t align;
	struct rng *rng;
};

static uint64_t cut(const struct cutter *c, uint64_t length)
{
	uint64_t size = (uint64_t)gen_span_draw(&c->size, c->align, c->rng);

	return MIN(size, length);
}

/* How many pieces there will be, by the same draws from a copy of the generator. */
static int count_pieces(const struct trace *t, struct cutter c, uint64_t *pieces)
{
	struct rng copy = *c.rng;
	uint64_t n = 0;

	c.rng = &copy;
	for (size_t i = 0; i < t->count; i++) {
		uint64_t left = req_length(t->req[i]);

		if (req_is_sync(t->req[i])) {
			n++;
		} else if (!c.size.more && left) {
			uint64_t size = (uint64_t)c.size.first * c.align;

			n += left / size + (left % size != 0);
		} else {
			do {
				left -= cut(&c, left);
				if (stop_polled(++n))
					return -EINTR;
			} while (left);
		}
		if (n > SIZE_MAX / 64)
			return -ENOMEM;
	}
	*pieces = n;
	return 0;
}

/* Move all requests to the end of the room for total, from where they are read while the front is written. */
static void move_to_end(struct trace *t, size_t total)
{
	size_t n = t->count, gap = total - n;

	if (!n)
		return;
	memmove(t->req + gap, t->req, n * sizeof(*t->req));
	if (t->time)
		memmove(t->time + gap, t->time, n * sizeof(*t->time));
	if (t->file)
		memmove(t->file + gap, t->file, n * sizeof(*t->file));
}

int xform_break_up(struct trace *t, uint64_t size_min, uint64_t size_max, uint64_t align, struct rng *rng)
{
	struct cutter c = {.align = align, .rng = rng};
	uint64_t total = 0;
	size_t n = t->count, w = 0;
	int err;

	if (!gen_span_init(&c.size, (int64_t)size_min, (int64_t)size_max, align) || c.size.first <= 0)
		return -EINVAL;
	err = count_pieces(t, c, &total);
	if (err)
		return err;
	if (trace_need_step(t) || trace_reserve(t, total - n))
		return -ENOMEM;
	move_to_end(t, total);
	t->count = total;
	for (size_t i = 0; i < n; i++) {
		size_t from = total - n + i;
		struct req r = t->req[from];
		uint64_t at = req_offset(r), left = req_length(r);

		/* w never passes from: each request not yet read is at least one piece still to be written */
		do {
			uint64_t size = req_is_sync(r) ? left : cut(&c, left);

			trace_put(t, w, t, from);
			t->req[w] = req_make(at, size, req_op(r));
			t->step[w] = i + 1;
			at += size;
			left -= size;
			if (stop_polled(w++))
				return -EINTR;
		} while (left);
	}
	return 0;
}

/*
 * A random exchange misses the cache in a long trace: partners are drawn some exchanges ahead, so that their memory is
 * on its way when they are needed.
 */
#define AHEAD 16

static int shuffle_all(struct trace *t, struct rng *rng)
{
	size_t partner[AHEAD], left = t->count;

	while (left > 1) {
		size_t batch = MIN(left - 1, AHEAD);

		for (size_t k = 0; k < batch; k++) {
			partner[k] = (size_t)rng_below(rng, left - k);
			__builtin_prefetch(&t->req[partner[k]], 1);
		}
		for (size_t k = 0; k < batch; k++)
			trace_swap(t, --left, partner[k]);
		if (left % CHUNK < AHEAD && stop_signal())
			return -EINTR;
	}
	return 0;
}

static size_t distance(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

static void exchange_near(struct trace *t, size_t *origin, size_t i, size_t j, size_t scope)
{
	size_t from = origin[i];

	if (distance(from, j) >= scope || distance(origin[j], i) >= scope)
		return;
	origin[i] = origin[j];
	origin[j] = from;
	trace_swap(t, i, j);
}

static int shuffle_near(struct trace *t, uint64_t times, size_t scope, struct rng *rng)
{
	_cleanup_free_ size_t *origin = NULL;
	size_t first[AHEAD], second[AHEAD];

	if (scope < t->count) {
		if (trace_has_room(t, t->count * sizeof(*origin)))
			origin = reallocarray(NULL, t->count, sizeof(*origin));
		if (!origin)
			return -ENOMEM;
	}
	for (size_t i = 0; origin && i < t->count; i++)
		origin[i] = i;
	for (uint64_t done = 0; done < times; done += AHEAD) {
		size_t batch = (size_t)MIN(times - done, AHEAD);

		for (size_t k = 0; k < batch; k++) {
			first[k] = (size_t)rng_below(rng, t->count);
			second[k] = first[k] + (size_t)rng_below(rng, MIN(scope, t->count - first[k]));
			__builtin_prefetch(&t->req[first[k]], 1);
			__builtin_prefetch(&t->req[second[k]], 1);
			if (origin) {
				__builtin_prefetch(&origin[first[k]], 1);
				__builtin_prefetch(&origin[second[k]], 1);
			}
		}
		for (size_t k = 0; k < batch; k++) {
			if (origin)
				exchange_near(t, origin, first[k], second[k], scope);
			else
				trace_swap(t, first[k], second[k]);
		}
		if (done % CHUNK == 0 && stop_signal())
			return -EINTR;
	}
	return 0;
}

int xform_shuffle(struct trace *t, uint64_t times, uint64_t scope, struct rng *rng)
{
	if (t->count < 2 || scope < 2)
		return 0;
	if (scope >= t->count && times == SHUFFLE_ALL)
		return shuffle_all(t, rng);
	return shuffle_near(t, times == SHUFFLE_ALL ? t->count : times, (size_t)MIN(scope, t->count), rng);
}

int xform_join_names(struct trace *t, const struct trace *b, struct fault *fault)
{
	for (uint32_t n = 0; n < MIN(t->file_count, b->file_count); n++) {
		const char *old = t->files[n], *new = b->files[n];
		char first[80], second[80];

		if (old && new && strcmp(old, new) != 0)
			return fault_set(fault, -EINVAL, "file %" PRIu32 " is %s in one trace and %s in the other", n,
					 fault_quote(first, sizeof(first), old, strlen(old)),
					 fault_quote(second, sizeof(second), new, strlen(new)));
	}
	for (uint32_t n = 0; n < b->file_count; n++) {
		int err = b->files[n] ? trace_name_file(t, n, b->files[n], strlen(b->files[n])) : 0;

		if (err)
			return err;
	}
	return 0;
}

int xform_interleave(struct trace *t, const struct trace *b, struct rng *rng, struct fault *fault)
{
	size_t left = t->count, right = b->count;
	int err = xform_join_names(t, b, fault);

	if (err)
		return err;
	if ((b->time && trace_need_time(t)) || (b->file && trace_need_file(t)) || (b->step && trace_need_step(t)) ||
	    trace_reserve(t, right))
		return -ENOMEM;
	t->count += right;
	/* From the back, where the room is; backwards or forwards, all merges are equally likely. */
	while (right) {
		size_t to = left + right - 1;
		bool of_b = rng_below(rng, left + right) < right;

		/* No branch on the draw: it could not be foreseen. */
		right -= of_b;
		left -= !of_b;
		trace_put(t, to, of_b ? b : t, of_b ? right : left);
		if (stop_polled(to))
			return -EINTR;
	}
	return 0;
}
