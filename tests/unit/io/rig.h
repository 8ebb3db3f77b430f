/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the engines share: a patterned file, an engine with its buffers, requests one by one. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "io/engine.h"

#define MIB (UINT64_C(1) << 20)
#define BUF_SIZE 65536
#define BUF_ALIGN 65536

/* The pattern: each 8 bytes at a multiple of 8 hold their own offset, the least byte first; the hole reads as zero. */
#define HOLE (1 * MIB)
#define HOLE_END (MIB + MIB / 2)
#define PATTERN_SIZE (3 * MIB + 1234)

static inline unsigned char pattern_byte(uint64_t offset)
{
	if (offset >= HOLE && offset < HOLE_END)
		return 0;
	return (unsigned char)((offset & ~UINT64_C(7)) >> (8 * (offset & 7)));
}

static inline void write_pattern(int fd, uint64_t from, uint64_t to)
{
	size_t n = (size_t)(to - from);
	_cleanup_free_ unsigned char *data = malloc(n);

	assert_non_null(data);
	for (size_t i = 0; i < n; i++)
		data[i] = pattern_byte(from + i);
	assert_int_equal(pwrite(fd, data, n, (off_t)from), n);
}

/* The patterned file, with a real hole. */
static inline void make_pattern(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	write_pattern(fd, 0, HOLE);
	write_pattern(fd, HOLE_END, PATTERN_SIZE);
	assert_int_equal(fsync(fd), 0);
}

struct rig {
	const struct engine *engine;
	void *state;
	char *buffers;
	struct io *ios;
	unsigned depth;
	struct fault fault;
};

/* Open with the given parameters; fd, size, depth and so on are the caller's, buffers come from here. */
static inline int rig_open(struct rig *r, const struct engine *e, struct engine_params p)
{
	void *buffers = NULL;
	int err;

	*r = (struct rig){.engine = e, .depth = MIN(p.depth, e->max_depth)};
	p.depth = r->depth;
	if (p.buf_size == 0)
		p.buf_size = BUF_SIZE;
	if (engine_needs_buffers(e, &p)) {
		assert_int_equal(posix_memalign(&buffers, BUF_ALIGN, p.buf_size * p.depth), 0);
		memset(buffers, 0xee, p.buf_size * p.depth);
		p.buffers = buffers;
	}
	r->buffers = buffers;
	r->ios = calloc(p.depth, sizeof(*r->ios));
	assert_non_null(r->ios);
	for (unsigned i = 0; i < p.depth; i++)
		r->ios[i] = (struct io){.slot = i, .buf = buffers ? r->buffers + i * p.buf_size : NULL};
	err = e->open(&p, &r->state, &r->fault);
	if (err < 0)
		r->state = NULL;
	return err;
}

static inline void rig_close(struct rig *r)
{
	if (r->state)
		r->engine->close(r->state);
	free(r->buffers);
	free(r->ios);
	*r = (struct rig){.state = NULL};
}

/* One request by slot 0, from submit to result. */
static inline int64_t rig_do(struct rig *r, enum io_op op, uint64_t offset, uint64_t length)
{
	struct io *io = &r->ios[0], *done[2] = {NULL, NULL};

	io->op = op;
	io->offset = offset;
	io->length = length;
	io->res = INT64_MIN;
	assert_int_equal(r->engine->submit(r->state, io), 0);
	if (r->engine->flags & ENGINE_ASYNC) {
		assert_int_equal(r->engine->reap(r->state, done, 1, 2, -1), 1);
		assert_ptr_equal(done[0], io);
	}
	assert_true(io->res != INT64_MIN);
	return io->res;
}

static inline int64_t rig_read(struct rig *r, uint64_t offset, uint64_t length)
{
	return rig_do(r, IO_READ, offset, length);
}

/* The slot's buffer holds what n bytes of the pattern from offset on leave in it, read over and over into buf_size. */
static inline void assert_pattern_in(const struct io *io, uint64_t offset, uint64_t n, size_t buf_size)
{
	for (uint64_t i = n > buf_size ? n - buf_size : 0; i < n; i++) {
		unsigned char got = (unsigned char)io->buf[i % buf_size], want = pattern_byte(offset + i);

		if (got != want)
			fail_msg("byte %llu is %02x, not %02x", (unsigned long long)(offset + i), got, want);
	}
}
