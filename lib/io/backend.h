/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engines share among themselves. Nobody else includes this. */
#pragma once

#include <sys/uio.h>

#include "io/engine.h"

extern const struct engine engine_pread, engine_mmap, engine_libaio, engine_io_uring, engine_null;

/*
 * Fill iov with entries that all point to buf (buf_size bytes each, the last shorter) until length is
 * covered. Returns the number of entries, at most max; *covered: bytes they hold.
 */
unsigned engine_iov(struct iovec *iov, unsigned max, char *buf, size_t buf_size, uint64_t length, uint64_t *covered);

/* The vectors of requests longer than a buffer, of one engine: each slot has its own, as many may be in flight. */
struct vectors {
	struct iovec *iov;
	unsigned each;        /* entries of a slot; 0: no request is longer than its buffer */
	size_t buf_size;
};

/* 0, or -EINVAL: a request may need more than ENGINE_IOVS pieces, or -ENOMEM; with the reason. */
int vectors_init(struct vectors *v, const struct engine_params *p, struct fault *why);
void vectors_fini(struct vectors *v);

/* The slot's vector, filled for io->length, and its length in *n. NULL: io is longer than what was promised. */
struct iovec *vectors_fill(const struct vectors *v, const struct io *io, unsigned *n);
