/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/cut.h"

#include <errno.h>

#include "base/event.h"
#include "base/macro.h"

void cut_head(struct trace *t, uint64_t n)
{
	t->count = MIN(t->count, n);
}

int cut_tail(struct trace *t, uint64_t n)
{
	size_t gone = t->count - (size_t)MIN(t->count, n);

	t->count -= gone;
	for (size_t i = 0; gone && i < t->count; i++) {
		trace_put(t, i, t, gone + i);
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}

int cut_sample(struct trace *t, uint64_t billionths, struct rng *rng)
{
	size_t w = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (rng_below(rng, 1000000000) < billionths)
			trace_put(t, w++, t, i);
		if (stop_polled(i))
			return -EINTR;
	}
	t->count = w;
	return 0;
}

static bool can_join(const struct trace *t, size_t a, size_t b)
{
	struct req first = t->req[a], second = t->req[b];

	return !req_is_sync(first) && req_op(first) == req_op(second) && req_end(first) == req_offset(second) &&
	       (!t->file || t->file[a] == t->file[b]);
}

int cut_merge(struct trace *t)
{
	size_t w = 0;

	for (size_t i = 1; i < t->count; i++) {
		if (can_join(t, w, i)) {
			struct req r = t->req[w];

			t->req[w] = req_make(req_offset(r), req_length(r) + req_length(t->req[i]), req_op(r));
		} else {
			trace_put(t, ++w, t, i);
		}
		if (stop_polled(i))
			return -EINTR;
	}
	t->count = t->count ? w + 1 : 0;
	return 0;
}

/* How many pieces the edges of a target of size bytes make of a request. */
static uint64_t pieces_of(struct req r, uint64_t size)
{
	uint64_t length = req_length(r), first = size - req_offset(r) % size;

	if (req_is_sync(r) || length <= first)
		return 1;
	length -= first;
	return 1 + length / size + (length % size != 0);
}

int cut_wrap(struct trace *t, uint64_t size)
{
	uint64_t total = 0;
	size_t w;

	for (size_t i = 0; i < t->count; i++) {
		total += pieces_of(t->req[i], size);
		if (total > SIZE_MAX / 64)
			return -ENOMEM;
		if (stop_polled(i))
			return -EINTR;
	}
	if (trace_reserve(t, total - t->count))
		return -ENOMEM;
	w = total;
	/* From the back, where the room is: w - i never shrinks to less than 1 before request i is read. */
	for (size_t i = t->count; i-- > 0;) {
		struct req r = t->req[i];
		uint64_t pieces = pieces_of(r, size), at = req_end(r), left = req_length(r);

		if (req_is_sync(r)) {
			trace_put(t, --w, t, i);
			continue;
		}
		for (uint64_t k = pieces; k-- > 0;) {
			uint64_t length = k ? MIN(left, (at - 1) % size + 1) : left;

			at -= length;
			left -= length;
			trace_put(t, --w, t, i);
			t->req[w] = req_make(at % size, length, req_op(r));
			if (stop_polled(k))
				return -EINTR;
		}
		if (stop_polled(i))
			return -EINTR;
	}
	t->count = total;
	return 0;
}
