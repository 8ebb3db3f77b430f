/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/event.h"
#include "trace/binary.h"

static int take_names(const struct binary *b, struct trace *t, struct fault *fault)
{
	const char *p = (const char *)b->map + b->head.tail, *end = p + b->head.names;

	while (p < end) {
		uint32_t word[2];
		size_t left = (size_t)(end - p) - sizeof(word);
		int err;

		if ((size_t)(end - p) < sizeof(word))
			return fault_set(fault, -EINVAL, "the names of files make no sense");
		memcpy(word, p, sizeof(word));
		p += sizeof(word);
		if (word[1] > left)
			return fault_set(fault, -EINVAL, "the names of files make no sense");
		err = trace_name_file(t, word[0], p, word[1]);
		if (err == -ENOMEM)
			return fault_set(fault, err, "out of memory");
		if (err)
			return fault_set(fault, err,
					 "file %" PRIu32 " has a name that cannot be, or another one already", word[0]);
		p += word[1];
	}
	return 0;
}

/* Append n requests from first on. 0 or -ENOMEM. */
static int copy(const struct binary *b, size_t first, size_t n, struct trace *t)
{
	size_t to = t->count;

	if ((b->time && trace_need_time(t)) || (b->file && trace_need_file(t)) || (b->step && trace_need_step(t)) ||
	    trace_reserve(t, n))
		return -ENOMEM;
	memcpy(t->req + to, b->req + first, n * sizeof(*t->req));
	if (b->time)
		memcpy(t->time + to, b->time + first, n * sizeof(*t->time));
	for (size_t i = to; t->time && !b->time && i < to + n; i++)
		t->time[i] = TIME_NONE;
	if (b->file)
		memcpy(t->file + to, b->file + first, n * sizeof(*t->file));
	else if (t->file)
		memset(t->file + to, 0, n * sizeof(*t->file));
	if (b->step)
		memcpy(t->step + to, b->step + first, n * sizeof(*t->step));
	else if (t->step)
		memset(t->step + to, 0, n * sizeof(*t->step));
	t->count += n;
	return 0;
}

ssize_t binary_load_some(const struct binary *b, uint64_t *next, struct trace *t, size_t max, struct fault *fault)
{
	size_t done = 0;

	if (*next == 0) {
		int err = take_names(b, t, fault);

		if (err)
			return err;
	}
	while (done < max && *next < b->head.count) {
		uint64_t block = *next / BINARY_BLOCK, end = MIN(b->head.count, (block + 1) * BINARY_BLOCK);
		size_t n = (size_t)MIN(end - *next, (uint64_t)(max - done));
		int err = *next % BINARY_BLOCK ? 0 : binary_check(b, block, fault);

		if (err)
			return err;
		if (stop_signal())
			return fault_set(fault, -EINTR, "interrupted");
		if (copy(b, (size_t)*next, n, t))
			return fault_set(fault, -ENOMEM, "out of memory");
		*next += n;
		done += n;
		if (*next == end)
			binary_leave(b, block);
	}
	return (ssize_t)done;
}

int binary_load_all(struct binary *b, struct trace *t, struct fault *fault)
{
	const struct binary_header *h = &b->head;
	char *base = b->map;
	int err = take_names(b, t, fault);

	for (uint64_t i = 0; i < b->blocks && !err; i++) {
		err = stop_signal() ? fault_set(fault, -EINTR, "interrupted") : binary_check(b, i, fault);
		binary_leave(b, i);
	}
	if (err)
		return err;
	t->req = (void *)(base + h->at[BINARY_REQ]);
	t->time = h->at[BINARY_TIME] ? (void *)(base + h->at[BINARY_TIME]) : NULL;
	t->file = h->at[BINARY_FILE] ? (void *)(base + h->at[BINARY_FILE]) : NULL;
	t->step = h->at[BINARY_STEP] ? (void *)(base + h->at[BINARY_STEP]) : NULL;
	t->count = t->capacity = (size_t)h->count;
	t->map = TAKE_PTR(b->map);
	t->map_size = b->map_size;
	*b = (struct binary){0};
	return 0;
}
