/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/sort.h"

#include <errno.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/xform.h"

struct item {
	uint64_t key;
	uint64_t from; /* number of the request */
};

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* One stable pass of a radix sort. */
static void pass(const struct item *in, struct item *out, size_t n, unsigned shift)
{
	size_t at[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[in[i].key >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		out[at[in[i].key >> shift & (DIGITS - 1)]++] = in[i];
}

/* Two arrays of n items; a is the one that is filled. */
struct items {
	struct item *a, *b;
	size_t n;
};

static void items_fini(struct items *x)
{
	free(x->a);
	free(x->b);
}

/* A digit that is the same everywhere needs no pass. */
static int sort_items(struct items *x)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < x->n; i++)
		differ |= x->a[i].key ^ x->a[0].key;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct item *filled = x->b;

		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		pass(x->a, x->b, x->n, shift);
		x->b = x->a;
		x->a = filled;
		if (stop_signal())
			return -EINTR;
	}
	return 0;
}

/* Rearrange one column of elements of a size by way of scratch, which has room for it. */
static void gather(void *column, void *scratch, size_t size, const struct items *x)
{
	const char *from = column;
	char *to = scratch;

	if (!column)
		return;
	for (size_t i = 0; i < x->n; i++)
		memcpy(to + i * size, from + x->a[i].from * size, size);
	memcpy(column, scratch, x->n * size);
}

static void rearrange(struct trace *t, struct items *x)
{
	/* the other array is of no more use, and as wide as the widest column */
	gather(t->req, x->b, sizeof(*t->req), x);
	gather(t->time, x->b, sizeof(*t->time), x);
	gather(t->file, x->b, sizeof(*t->file), x);
	gather(t->step, x->b, sizeof(*t->step), x);
}

static int items_init(struct items *x, const struct trace *t)
{
	size_t n = t->count;

	*x = (struct items){0};
	if (!trace_has_room(t, n * (sizeof(*x->a) + sizeof(*x->b))))
		return -ENOMEM;
	*x = (struct items){.a = reallocarray(NULL, n, sizeof(*x->a)), .b = reallocarray(NULL, n, sizeof(*x->b)), .n = n};
	return x->a && x->b ? 0 : -ENOMEM;
}

static bool offsets_in_order(const struct trace *t)
{
	for (size_t i = 1; i < t->count; i++) {
		if (t->file && t->file[i - 1] != t->file[i]) {
			if (t->file[i - 1] > t->file[i])
				return false;
		} else if (req_offset(t->req[i - 1]) > req_offset(t->req[i])) {
			return false;
		}
	}
	return true;
}

int sort_by_offset(struct trace *t)
{
	_cleanup_(items_fini) struct items x = {0};
	int err;

	if (offsets_in_order(t))
		return 0;
	err = items_init(&x, t);
	for (size_t i = 0; err == 0 && i < t->count; i++)
		x.a[i] = (struct item){.key = req_offset(t->req[i]), .from = i};
	if (err == 0)
		err = sort_items(&x);
	for (size_t i = 0; err == 0 && t->file && i < t->count; i++)
		x.a[i].key = t->file[x.a[i].from];
	if (err == 0 && t->file)
		err = sort_items(&x);
	if (err == 0)
		rearrange(t, &x);
	return err;
}

/* The time that counts for request i, when last is that for the one before. */
static int64_t due(const struct trace *t, size_t i, int64_t last)
{
	return t->time[i] == TIME_NONE ? last : t->time[i];
}

static bool times_in_order(const struct trace *t)
{
	int64_t last = TIME_NONE;

	for (size_t i = 0; t->time && i < t->count; i++) {
		int64_t time = due(t, i, last);

		if (time < last)
			return false;
		last = time;
	}
	return true;
}

int sort_by_time(struct trace *t)
{
	_cleanup_(items_fini) struct items x = {0};
	int64_t last = TIME_NONE;
	int err;

	if (times_in_order(t))
		return 0;
	err = items_init(&x, t);
	for (size_t i = 0; err == 0 && i < t->count; i++) {
		last = due(t, i, last);
		/* TIME_NONE becomes 0, the least */
		x.a[i] = (struct item){.key = (uint64_t)last ^ UINT64_C(1) << 63, .from = i};
	}
	if (err == 0)
		err = sort_items(&x);
	if (err == 0)
		rearrange(t, &x);
	return err;
}

/* From its end to its beginning: the time that counts for request i - 1. */
struct back {
	const struct trace *t;
	size_t timed; /* the last request that has a time and is not behind the one asked for, plus 1 */
};

static int64_t back_due(struct back *b, size_t i)
{
	b->timed = MIN(b->timed, i);
	while (b->timed && b->t->time[b->timed - 1] == TIME_NONE)
		b->timed--;
	return b->timed ? b->t->time[b->timed - 1] : TIME_NONE;
}

int sort_merge(struct trace *t, const struct trace *b, struct fault *fault)
{
	size_t left = t->count, right = b->count;
	struct back of_t = {t, left}, of_b = {b, right};
	int err;

	if ((left && !t->time) || (right && !b->time))
		return fault_set(fault, -EINVAL, "the trace %s has no times",
				 left && !t->time ? "so far" : "in the file");
	err = xform_join_names(t, b, fault);
	if (err)
		return err;
	if ((b->time && trace_need_time(t)) || (b->file && trace_need_file(t)) || (b->step && trace_need_step(t)) ||
	    trace_reserve(t, right))
		return -ENOMEM;
	t->count += right;
	/* From the back, where the room is. */
	while (right) {
		size_t to = left + right - 1;
		bool take_b = !left || back_due(&of_b, right) >= back_due(&of_t, left);

		right -= take_b;
		left -= !take_b;
		trace_put(t, to, take_b ? b : t, take_b ? right : left);
		if (stop_polled(to))
			return -EINTR;
	}
	return 0;
}
