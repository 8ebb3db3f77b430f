/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/macro.h"
#include "trace/unpack.h"

struct gzip {
	struct packed from;
	z_stream z;
	bool between; /* a member has ended, the next has not begun */
	bool end;
	unsigned char buf[UNPACK_BUF];
};

static int gzip_open(void **state, const struct packed *from, struct fault *fault)
{
	struct gzip *g = calloc(1, sizeof(*g));

	if (!g)
		return fault_set(fault, -ENOMEM, "out of memory");
	g->from = *from;
	if (inflateInit2(&g->z, MAX_WBITS + 16) != Z_OK) {
		free(g);
		return fault_set(fault, -ENOMEM, "out of memory");
	}
	*state = g;
	return 0;
}

static void gzip_close(void *state)
{
	struct gzip *g = state;

	inflateEnd(&g->z);
	free(g);
}

/* 1 when packed bytes are there, 0 at their end, -errno. */
static int refill(struct gzip *g, struct fault *fault)
{
	ssize_t r;

	if (g->z.avail_in)
		return 1;
	r = g->from.read(g->from.ctx, g->buf, sizeof(g->buf), fault);
	if (r <= 0)
		return (int)r;
	g->z.next_in = g->buf;
	g->z.avail_in = (uInt)r;
	return 1;
}

/*
 * What follows a member: another member, the end, or the zeros that tapes and block devices pad with.
 * 1: another member, 0: the end, -errno.
 */
static int next_member(struct gzip *g, struct fault *fault)
{
	for (;;) {
		int r = refill(g, fault);

		if (r <= 0)
			return r;
		if (*g->z.next_in)
			break;
		g->z.next_in++;
		g->z.avail_in--;
	}
	if (*g->z.next_in != 0x1f)
		return fault_set(fault, -EINVAL, "gzip: something else follows the packed data");
	inflateReset(&g->z);
	g->between = false;
	return 1;
}

static ssize_t gzip_read(void *state, void *buf, size_t n, struct fault *fault)
{
	struct gzip *g = state;

	g->z.next_out = buf;
	g->z.avail_out = (uInt)MIN(n, (size_t)INT_MAX);
	n = g->z.avail_out;
	while (!g->end && g->z.avail_out == n) {
		int r = g->between ? next_member(g, fault) : refill(g, fault);

		if (r < 0)
			return r;
		if (r == 0 && !g->between)
			return fault_set(fault, -EINVAL, "gzip: the packed data are cut off");
		g->end = r == 0;
		if (g->end)
			break;
		switch (inflate(&g->z, Z_NO_FLUSH)) {
		case Z_STREAM_END:
			g->between = true;
			break;
		case Z_OK:
		case Z_BUF_ERROR:
			break;
		case Z_MEM_ERROR:
			return fault_set(fault, -ENOMEM, "out of memory");
		default:
			return fault_set(fault, -EINVAL, "gzip: the packed data are damaged (%s)",
					 g->z.msg ? g->z.msg : "no reason given");
		}
	}
	return (ssize_t)(n - g->z.avail_out);
}

const struct unpacker unpack_gzip = {.open = gzip_open, .read = gzip_read, .close = gzip_close};
