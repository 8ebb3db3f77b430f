/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file or block device that is read and written: opening, size, page cache.
 *
 * Everything is asked of the descriptor, never of the name. Reading changes nothing of the target but, where the
 * file system keeps one, its access time. A struct target is used by one thread at a time; the descriptor by any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

enum target_kind { TARGET_FILE, TARGET_BLOCK, TARGET_CHAR };

struct target {
	int fd;                 /* -1: not open */
	enum target_kind kind;
	bool direct;            /* opened O_DIRECT */
	bool writable;
	uint64_t size;          /* bytes; INT64_MAX for a character device, which has none */
	uint32_t dio_memory;    /* alignment of buffers for direct I/O, bytes; 0: not known or not supported */
	uint32_t dio_offset;    /* alignment of offset and length for direct I/O, bytes; never 0 when direct */
	char *path;             /* as given */
};

/* A target that is not open, so that target_close() may be its cleanup. */
#define TARGET_NONE ((struct target){.fd = -1})

#define TARGET_DIRECT (1u << 0)
#define TARGET_WRITE (1u << 1)
#define TARGET_DSYNC (1u << 2)   /* with TARGET_WRITE: a write completes when it is on the device (O_DSYNC) */

/*
 * Open path, for reading unless TARGET_WRITE is given; it is never created, and a fifo does not hang. Returns 0, or
 * -errno with the reason (which does not repeat the path):
 *   -EINVAL      a directory, fifo, socket or terminal, or a device that cannot be read at an offset
 *   -EOPNOTSUPP  TARGET_DIRECT, and the file system has no direct I/O
 *   -EBUSY       TARGET_WRITE (which opens a block device O_EXCL), and the device is mounted or otherwise in use
 * *t is TARGET_NONE after a failure.
 */
int target_open(struct target *t, const char *path, unsigned flags, struct fault *fault);
void target_close(struct target *t);

/* Ask the size again (fstat, BLKGETSIZE64). 0 or -errno. */
int target_resize(struct target *t);

/*
 * Drop the target's pages from the cache: fsync unless the kernel says that none is dirty, then POSIX_FADV_DONTNEED
 * over the whole, and again while that makes them fewer (at most half a second). Returns 0 or -errno (of fsync, say).
 * *left: pages of 4096 bytes that stayed (mapped or locked elsewhere, or a file system without backing store: tmpfs
 * keeps all), UINT64_MAX when it cannot be told cheaply.
 */
int target_drop_cache(const struct target *t, uint64_t *left);

/* Wait until what was written is on the device. 0 or -errno. */
int target_sync(const struct target *t);
