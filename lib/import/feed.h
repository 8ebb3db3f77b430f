/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window on an input, by lines or by bytes. It grows from 64 KiB to FEED_MAX at most: a longer line is given by its
 * beginning, and says so.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fault.h"
#include "base/macro.h"
#include "trace/input.h"

#define FEED_MAX (1u << 20)

struct feed {
	struct input *in; /* owned */
	char *buf;
	size_t capacity;
	size_t begin, end; /* what is in the window */
	size_t lines_end;  /* behind the last newline in it, when that is past begin */
	bool at_end;	   /* of the input */
	bool cut;	   /* the last line was longer than FEED_MAX */
	bool skipping;	   /* its rest is still to be passed over */
	bool open_end;	   /* the last line had no newline */
	uint64_t line;	   /* number of the last line, from 1 */
	uint64_t position; /* of begin, in bytes of the unpacked input */
};

/* Take the input, also when this fails. 0 or -ENOMEM. */
int feed_init(struct feed *f, struct input *in);
void feed_fini(struct feed *f);

/* Have at least n (at most FEED_MAX) bytes in the window if the input has them. 0 or -errno with the text. */
int feed_need(struct feed *f, size_t n, struct fault *fault);

/* Pass over n bytes of the window. */
static inline void feed_take(struct feed *f, size_t n)
{
	f->begin += n;
	f->position += n;
}

/* True when the next line is here as a whole. */
static inline bool feed_has_line(const struct feed *f)
{
	return f->begin < f->lines_end;
}

int feed_line_slow(struct feed *f, const char **s, size_t *n, struct fault *fault);

/*
 * The next line without its newline (and carriage return), valid until the next call. 1, 0 at the end, -errno with
 * the text.
 */
static inline int feed_line(struct feed *f, const char **s, size_t *n, struct fault *fault)
{
	const char *at = f->buf + f->begin, *newline = memchr(at, '\n', f->end - f->begin);
	size_t length;

	if (unlikely(!newline || f->skipping))
		return feed_line_slow(f, s, n, fault);
	length = (size_t)(newline - at);
	feed_take(f, length + 1);
	f->line++;
	f->cut = false;
	*s = at;
	*n = length - (length && at[length - 1] == '\r');
	return 1;
}
