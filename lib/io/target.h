/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file or block device that is read and written: opening, size, page cache.
 *
 * Everything is asked of the descriptor, never of the name twice. Reading never changes the target.
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
	uint64_t size;          /* bytes; REQ_MAX-like INT64_MAX for a character device, which has none */
	uint32_t dio_memory;    /* alignment of buffers for direct I/O, bytes; 0: not known or not supported */
	uint32_t dio_offset;    /* alignment of offset and length for direct I/O, bytes */
	char *path;
};

#define TARGET_DIRECT (1u << 0)
#define TARGET_WRITE (1u << 1)

/*
 * Open path (O_NONBLOCK at first, so that a fifo does not hang). Returns 0 or -errno with the text:
 * a directory, fifo, socket or terminal is refused by name of its kind (-EINVAL); TARGET_DIRECT on a file system that
 * cannot says so. With TARGET_WRITE a block device is opened O_EXCL, so a mounted one is -EBUSY.
 */
int target_open(struct target *t, const char *path, unsigned flags, struct fault *fault);
void target_close(struct target *t);

/* The size now (fstat, BLKGETSIZE64). 0 or -errno. */
int target_resize(struct target *t);

struct residency {
	uint64_t pages;      /* of 4096 bytes, of the whole target */
	uint64_t cached;
	uint64_t dirty;      /* 0 where the kernel does not tell (no cachestat) */
	uint64_t writeback;
};

/* What of the target is in the page cache: cachestat(2) (6.5), else mincore(2). 0 or -errno. */
int target_residency(const struct target *t, struct residency *r);

/*
 * Drop the target's pages from the cache: fsync or fdatasync when some are dirty, then
 * POSIX_FADV_DONTNEED over the whole. Returns 0 or -errno; *left: pages that stayed (mapped or locked
 * elsewhere, or a file system without backing store: tmpfs keeps all), UINT64_MAX when it cannot be told.
 */
int target_drop_cache(const struct target *t, uint64_t *left);

/* Wait for dirty pages, e.g. after writes. 0 or -errno. */
int target_sync(const struct target *t);
