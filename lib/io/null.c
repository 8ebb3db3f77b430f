/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does nothing, at once: what a play costs without its I/O. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/backend.h"

struct null {
	uint64_t size;
};

static int null_probe(struct fault *why _unused_)
{
	return 0;
}

static int null_open(const struct engine_params *p, void **state, struct fault *why)
{
	struct null *s = malloc(sizeof(*s));

	if (!s)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	s->size = p->size;
	*state = s;
	return 0;
}

static void null_close(void *state)
{
	free(state);
}

static int null_submit(void *state, struct io *io)
{
	const struct null *s = state;
	uint64_t there = io->offset < s->size ? s->size - io->offset : 0;

	/* The end of the target is where it is for the others, so that counts are the same. */
	if (likely(io->op == IO_READ))
		io->res = (int64_t)MIN(io->length, there);
	else
		io->res = io->op == IO_WRITE || io->op == IO_TRIM ? (int64_t)io->length : 0;
	return 0;
}

const struct engine engine_null = {
	.name = "null",
	.help = "no I/O at all: what the play itself costs",
	.flags = ENGINE_WRITE | ENGINE_TRIM | ENGINE_DIRECT,
	.max_depth = 1,
	.probe = null_probe,
	.open = null_open,
	.close = null_close,
	.submit = null_submit,
};
