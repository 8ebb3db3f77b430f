/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/remap.h"

#include <errno.h>
#include <inttypes.h>

#include "base/event.h"
#include "base/macro.h"

#define BILLION 1000000000u

static unsigned __int128 times(uint64_t value, uint64_t billionths)
{
	return (unsigned __int128)value * billionths / BILLION;
}

static int too_far(size_t i, struct fault *fault)
{
	return fault_set_request(fault, -EOVERFLOW, i + 1, "it would end at an offset that does not fit into 63 bits");
}

int remap_scale(struct trace *t, uint64_t billionths, uint64_t align, struct fault *fault)
{
	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];
		unsigned __int128 offset = times(req_offset(r), billionths);

		offset -= offset % align;
		if (offset + req_length(r) > REQ_MAX)
			return too_far(i, fault);
		t->req[i] = req_make((uint64_t)offset, req_length(r), req_op(r));
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}

int remap_shift(struct trace *t, int64_t delta, struct fault *fault)
{
	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];
		uint64_t offset = req_offset(r) + (uint64_t)delta; /* wraps where delta is negative */

		if (req_is_sync(r))
			continue;
		if (delta < 0 && offset > req_offset(r))
			return fault_set_request(fault, -EOVERFLOW, i + 1, "at %" PRIu64 " it would begin before 0",
						 req_offset(r));
		if (offset > REQ_MAX || offset + req_length(r) > REQ_MAX)
			return too_far(i, fault);
		t->req[i] = req_make(offset, req_length(r), req_op(r));
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}

int remap_time(struct trace *t, uint64_t billionths, struct fault *fault)
{
	for (size_t i = 0; t->time && i < t->count; i++) {
		unsigned __int128 time;

		if (t->time[i] == TIME_NONE)
			continue;
		time = times((uint64_t)t->time[i], billionths);
		if (time > INT64_MAX)
			return fault_set_request(fault, -EOVERFLOW, i + 1,
						 "its time would not fit into 63 bits of nanoseconds");
		t->time[i] = (int64_t)time;
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}

int remap_op(struct trace *t, enum op op)
{
	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];

		if (!req_is_sync(r))
			t->req[i] = req_make(req_offset(r), req_length(r), op);
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}

static void mirror_times(struct trace *t)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < t->count; i++) {
		if (t->time[i] == TIME_NONE)
			continue;
		least = MIN(least, t->time[i]);
		most = MAX(most, t->time[i]);
	}
	for (size_t i = 0; i < t->count; i++)
		if (t->time[i] != TIME_NONE)
			t->time[i] = most - (t->time[i] - least);
}

int remap_reverse(struct trace *t)
{
	if (t->time)
		mirror_times(t);
	for (size_t i = 0; i < t->count / 2; i++) {
		trace_swap(t, i, t->count - 1 - i);
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}
