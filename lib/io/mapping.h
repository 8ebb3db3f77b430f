/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mapping and how it is touched: what the files of the engine mmap share. Nobody else includes this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/area.h"
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
	struct area area;           /* of anon: where the window lies */
	const struct io_hint *hints; /* borrowed */
	unsigned hint_count;
	bool announces;             /* each request, before it is touched */
	enum io_touch touch;
	int prot;
	bool populate;
	bool dsync;
	size_t buf_size;
};

/*
 * What io is to do to length bytes at a place of the window, behind done bytes of the request: page by page up to the
 * first that could not be had, which guard.lost then tells.
 */
void mapping_touch(const struct mapping *m, const struct io *io, char *at, size_t length, uint64_t done);

/* Is one of its hints to announce requests? */
bool mapping_announces(const struct mapping *m);

/* Those of its hints that hold for memory until it is unmapped, for a part of it. 0 or -errno as advise_memory(). */
int mapping_advise_lasting(const struct mapping *m, char *at, size_t length, uint64_t offset);

/* Those that do something at once, for the window. 0 or -errno. */
int mapping_advise_once(const struct mapping *m);

/* advise of struct engine. */
int mapping_advise(void *state, const struct io_hint *h);

/* read_many and write_many of struct engine. */
size_t mapping_read_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop);
size_t mapping_write_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop);
