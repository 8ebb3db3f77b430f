/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/feed.h"

#include <errno.h>
#include <stdlib.h>

#define FEED_START (1u << 16)

int feed_init(struct feed *f, struct input *in)
{
	*f = (struct feed){.in = in, .capacity = FEED_START};
	f->buf = malloc(FEED_START);
	return f->buf ? 0 : -ENOMEM;
}

void feed_fini(struct feed *f)
{
	free(f->buf);
	input_free(f->in);
}

/* Read once. 0 also at the end of the input; nothing happens when the window is full. */
static int fill(struct feed *f, struct fault *fault)
{
	ssize_t r;

	const char *newline;

	if (f->begin) {
		memmove(f->buf, f->buf + f->begin, f->end - f->begin);
		f->end -= f->begin;
		f->lines_end -= MIN(f->lines_end, f->begin);
		f->begin = 0;
	}
	if (f->end == f->capacity && f->capacity < FEED_MAX) {
		char *bigger = realloc(f->buf, f->capacity * 2);

		if (!bigger)
			return fault_set(fault, -ENOMEM, "out of memory");
		f->buf = bigger;
		f->capacity *= 2;
	}
	if (f->end == f->capacity)
		return 0;
	r = input_read(f->in, f->buf + f->end, f->capacity - f->end, fault);
	if (r < 0)
		return (int)r;
	f->at_end = r == 0;
	newline = memrchr(f->buf + f->end, '\n', (size_t)r);
	if (newline)
		f->lines_end = (size_t)(newline + 1 - f->buf);
	f->end += (size_t)r;
	return 0;
}

int feed_need(struct feed *f, size_t n, struct fault *fault)
{
	while (f->end - f->begin < n && !f->at_end) {
		int r = fill(f, fault);

		if (r)
			return r;
	}
	return 0;
}

/* Pass over the rest of a line that was too long. */
static int skip_rest(struct feed *f, struct fault *fault)
{
	while (f->skipping) {
		char *newline = memchr(f->buf + f->begin, '\n', f->end - f->begin);
		int r;

		f->skipping = !newline && !f->at_end;
		feed_take(f, newline ? (size_t)(newline + 1 - (f->buf + f->begin)) : f->end - f->begin);
		r = f->skipping ? fill(f, fault) : 0;
		if (r)
			return r;
	}
	return 0;
}

int feed_line_slow(struct feed *f, const char **s, size_t *n, struct fault *fault)
{
	size_t seen = 0, have;
	char *newline;
	int r = skip_rest(f, fault);

	if (r)
		return r;
	for (;;) {
		have = f->end - f->begin;
		newline = memchr(f->buf + f->begin + seen, '\n', have - seen);
		if (newline || f->at_end || have == FEED_MAX)
			break;
		seen = have;
		r = fill(f, fault);
		if (r)
			return r;
	}
	if (!have)
		return 0;
	f->line++;
	*s = f->buf + f->begin;
	*n = newline ? (size_t)(newline - *s) : have;
	feed_take(f, *n + (newline != NULL));
	f->cut = f->skipping = !newline && !f->at_end;
	f->open_end = !newline && f->at_end;
	if (newline && *n && (*s)[*n - 1] == '\r')
		--*n;
	return 1;
}
