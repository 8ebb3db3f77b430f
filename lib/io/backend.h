/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engines share among themselves. Nobody else includes this. */
#pragma once

#include <sys/uio.h>

#include "io/engine.h"

extern const struct engine engine_pread, engine_preadv2, engine_mmap, engine_libaio, engine_io_uring, engine_null;

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

/* The target, for what is done by a plain call. */
struct plain {
	int fd;
	bool block;           /* a block device */
};

int plain_init(struct plain *p, int fd, struct fault *why);

/* One for each file of p, to be freed. 0 or -errno with the reason. */
int plain_init_all(struct plain **out, const struct engine_params *p, struct fault *why);

/* Trim (a hole in a file, a discard on a device), fsync or fdatasync, waited for; sets io->res. */
void plain_do(const struct plain *p, struct io *io);

/* RWF_ flags of preadv2(2). */
struct rwf {
	int read;
	int wait;             /* of writes, and of reads that may wait */
};

/* 0, or -EOPNOTSUPP: the kernel or one of the files has not what p->use asks for, with the reason. */
int rwf_init(struct rwf *f, const struct engine_params *p, struct fault *why);

/* The flags by name, with blanks between; empty when there are none. */
void rwf_describe(const struct rwf *f, char *text, size_t cap);

/* Returns err, with the reason why the kernel made no ring with what use asks for. */
int uring_refused(int err, unsigned use, struct fault *why);
