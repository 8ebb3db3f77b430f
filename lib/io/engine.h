/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines: the ways to issue a request. One contract, one file an engine, one table.
 *
 * The caller owns slots (struct io), numbered 0..depth-1, and gives one to an engine with submit(). A synchronous
 * engine has done it when submit() returns. An asynchronous one queues it; flush() hands the queue to the
 * kernel, reap() brings slots back. Results are in io->res as the kernel gives them: bytes, or -errno. An error
 * or a short count of one request is a result; only the engine's own failure is a negative return.
 *
 * Engines never print, exit, read the clock or count. EINTR stays inside. SIGBUS in a mapping becomes
 * res = -EIO. They know nothing of traces, options or reports. An engine's state belongs to one thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/macro.h"

/* What the kernel moves at most in one call (MAX_RW_COUNT); io->length never exceeds it. */
#define IO_MAX UINT64_C(0x7ffff000)

enum io_op { IO_READ, IO_WRITE, IO_TRIM, IO_SYNC, IO_DATASYNC };

struct io {
	uint64_t offset;
	uint64_t length;      /* 1..IO_MAX bytes for read and write; any for trim; 0 for syncs */
	char *buf;            /* the slot's buffer, buf_size bytes; NULL for engines without ENGINE_BUFFER */
	int64_t res;          /* bytes moved, or -errno */
	uint32_t slot;        /* 0..depth-1 */
	enum io_op op;
};

/* flags */
#define ENGINE_ASYNC (1u << 0)    /* has flush and reap; else submit completes */
#define ENGINE_BUFFER (1u << 1)   /* needs io->buf */
#define ENGINE_WRITE (1u << 2)    /* can write */
#define ENGINE_DIRECT (1u << 3)   /* can work on an O_DIRECT target */

enum io_advice { ADVISE_NORMAL, ADVISE_RANDOM, ADVISE_SEQUENTIAL, ADVISE_WILLNEED };

/* Everything an engine may know. Borrowed until close. */
struct engine_params {
	int fd;
	uint64_t size;            /* of the target, bytes */
	unsigned depth;           /* slots, >= 1 */
	size_t buf_size;          /* bytes of each slot's buffer; buffers are one block, slot n at buffers + n * buf_size */
	char *buffers;            /* NULL for engines without ENGINE_BUFFER; aligned for direct I/O */
	enum io_advice advice;    /* mmap: for madvise */
};

/*
 * A request longer than buf_size is read into (or written from) the same buffer over and over, by one
 * vectored call (engine_iov), so that it stays one system call whatever its length.
 */

struct engine {
	const char *name;
	const char *help;         /* one line for --engine help */
	unsigned flags;
	unsigned max_depth;       /* 1 for synchronous ones */

	/* Can it run here? 0, or -errno with the reason in words. Cheap, leaves nothing behind. */
	int (*probe)(struct fault *why);

	/* All allocation happens here. 0 and *state, or -errno with the reason. */
	int (*open)(const struct engine_params *p, void **state, struct fault *why);
	void (*close)(void *state);

	/* 0: taken (sync: and completed, io->res is set). -EAGAIN: queue full, flush and reap first. Other: the engine failed. */
	int (*submit)(void *state, struct io *io);

	/* Hand what was submitted to the kernel. 0, or -errno of the engine. NULL for sync. */
	int (*flush)(void *state);

	/*
	 * Collect between min and max completed slots, waiting up to timeout_ns (-1: as long as it takes, 0: do not wait) for min.
	 * Returns how many, possibly less than min at the timeout, or -errno. Flushes what was submitted. NULL for sync.
	 */
	int (*reap)(void *state, struct io **done, unsigned min, unsigned max, int64_t timeout_ns);
};

/* All engines that were built in, in the order of --engine help. NULL past the last. */
const struct engine *engine_at(size_t i);

/* By name, or NULL. */
const struct engine *engine_of_name(const char *name);

/*
 * Fill iov with entries that all point to buf (buf_size bytes each, the last shorter) until length is
 * covered. Returns the number of entries, at most max; *covered: bytes they hold.
 */
struct iovec;
unsigned engine_iov(struct iovec *iov, unsigned max, char *buf, size_t buf_size, uint64_t length, uint64_t *covered);
