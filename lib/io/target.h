/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file or block device that is read and written, or memory in place of one: opening, size, page cache.
 *
 * Everything is asked of the descriptor, never of the name, but for memory, whose name has its size. Reading changes
 * nothing of the target but, where the file system keeps one, its access time. A struct target is used by one thread at
 * a time; the descriptor by any.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

enum target_kind {
	TARGET_FILE,
	TARGET_BLOCK,
	TARGET_CHAR,
	TARGET_MEMFD,           /* a file without a name, of memfd_create(2): its pages are all there is of it */
	TARGET_ANON             /* private anonymous memory, which each state of an engine makes for itself */
};

struct target {
	int fd;                 /* -1: not open, or TARGET_ANON, which has none */
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
#define TARGET_MEMORY (1u << 3)  /* anon:SIZE and memfd:SIZE are memory of that size, and no names of files */

/*
 * Open path, for reading unless TARGET_WRITE is given; it is never created, and a fifo does not hang. Returns 0, or
 * -errno with the reason (which does not repeat the path):
 *   -EINVAL      a directory, fifo, socket or terminal, or a device that cannot be read at an offset
 *   -EOPNOTSUPP  TARGET_DIRECT, and the file system has no direct I/O
 *   -EROFS       TARGET_WRITE, and the block device, or the file system, is read-only
 *   -EBUSY       TARGET_WRITE (which opens a block device O_EXCL), and the device is mounted or otherwise in use
 *   -EFBIG       a memfd longer than files may be (RLIMIT_FSIZE)
 *   -ENOMEM      memory of which there is not so much: no address space (RLIMIT_AS), or more than the kernel promises
 *                (vm.overcommit_memory); memory is not touched here, and none is set aside
 * *t is TARGET_NONE after a failure.
 */
int target_open(struct target *t, const char *path, unsigned flags, struct fault *fault);
void target_close(struct target *t);

/*
 * Is that the name of memory under TARGET_MEMORY, "anon:..." or "memfd:..."? And its size in bytes, in 1..INT64_MAX;
 * shift: the unit of a number without a letter, which target_open() takes to be bytes. 0, or -EINVAL with the reason.
 */
bool target_is_memory(const char *path);
bool target_is_anon(const char *path);
int target_memory_size(const char *path, unsigned shift, uint64_t *bytes, struct fault *why);

/* For target_open(): kind, descriptor and size of memory. 0 or -errno with the reason. */
int target_open_memory(struct target *t, const char *path, struct fault *why);

/* Has it pages in a cache, of which something could be told? */
static inline bool target_has_cache(const struct target *t)
{
	return t->kind != TARGET_CHAR && t->kind != TARGET_ANON;
}

/* Ask the size again (fstat, BLKGETSIZE64). 0 or -errno. */
int target_resize(struct target *t);

/*
 * Drop the target's pages from the cache: fsync unless the kernel says that none is dirty, then POSIX_FADV_DONTNEED
 * over the whole, and again while that makes them fewer (at most half a second). Returns 0 or -errno (of fsync, say).
 * A memfd gives its memory back, and what was in it is gone.
 * *left: pages of 4096 bytes that stayed (mapped or locked elsewhere, or a file system without backing store: tmpfs
 * keeps all), UINT64_MAX when it cannot be told cheaply.
 */
int target_drop_cache(const struct target *t, uint64_t *left);

/* Wait until what was written is on the device. 0 or -errno. */
int target_sync(const struct target *t);
