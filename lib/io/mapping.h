/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mapping and how it is touched: what the files of the engine mmap share. Nobody else includes this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/backend.h"
#include "io/sigbus.h"

struct mapping {
	struct sigbus_guard guard;  /* the window: where, and how many bytes of address space */
	uint64_t start;             /* offset of the window in the target */
	uint64_t there;             /* bytes of the target in the window */
	uint64_t fast;              /* there, or 0 when a request needs more than the touch */
	uint64_t size;              /* of the target */
	struct plain plain;
	bool anon;
	enum io_advice advice;
	enum io_touch touch;
	int prot;
	bool populate;
	bool dsync;
	size_t buf_size;
};

/*
 * What io is to do to length bytes at a place of the window, behind done bytes of the request: page by page up to the first
 * that could not be had, which guard.lost then tells.
 */
void mapping_touch(const struct mapping *m, const struct io *io, char *at, size_t length, uint64_t done);

/* read_many and write_many of struct engine. */
size_t mapping_read_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop);
size_t mapping_write_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop);
