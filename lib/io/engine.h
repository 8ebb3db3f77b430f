/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines: the ways to issue a request. One contract, one file an engine, one table.
 *
 * The caller owns slots (struct io), numbered 0..depth-1, and gives one to an engine with submit(). A synchronous
 * engine has done it when submit() returns. An asynchronous one queues it; reap() hands the queue to the kernel and
 * brings slots back; a slot and its buffer are the engine's in between. Results are in io->res as the kernel gives
 * them: bytes, or -errno. An error or a short count of one request is a result, alike in all engines; only the
 * engine's own failure is a negative return.
 *
 * Engines never print, exit, read the clock or count. EINTR stays inside. SIGBUS in a mapping becomes
 * res = -EIO, or the bytes of the good pages before. They know nothing of traces, options or reports. An engine's
 * state belongs to one thread: the one that calls open() makes all other calls too, close() included.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/advise.h"
#include "base/macro.h"

/* What the kernel moves at most in one call (MAX_RW_COUNT of include/linux/fs.h); io->length never exceeds it. */
#define IO_MAX UINT64_C(0x7ffff000)

enum io_op { IO_READ, IO_WRITE, IO_TRIM, IO_SYNC, IO_DATASYNC };

struct io {
	uint64_t offset;      /* offset + length is at most INT64_MAX */
	uint64_t length;      /* 1..IO_MAX bytes for read and write; any for trim; not looked at for syncs */
	char *buf;            /* the slot's buffer: buffers + slot * buf_size; NULL for engines without ENGINE_BUFFER */
	int64_t res;          /* bytes moved, or -errno; 0 for a sync that went well, length for such a trim */
	uint32_t slot;        /* 0..depth-1 */
	enum io_op op;
	bool wait;            /* under USE_NOWAIT: this one may wait (to read again what was a miss) */
	uint32_t file;        /* of several (ENGINE_FILES), else 0 */
};

/* A part of the target, all of it before its end. */
struct span {
	uint64_t offset;
	uint64_t length;      /* bytes, at least 1 */
};

/* flags */
#define ENGINE_ASYNC (1u << 0)    /* has flush and reap; else submit completes */
#define ENGINE_BUFFER (1u << 1)   /* needs io->buf */
#define ENGINE_WRITE (1u << 2)    /* can write and sync */
#define ENGINE_DIRECT (1u << 3)   /* can work on an O_DIRECT target */
#define ENGINE_TRIM (1u << 4)     /* can trim; an op that an engine cannot do is -EOPNOTSUPP from submit */
#define ENGINE_TOUCH (1u << 5)    /* touches memory: knows touch and advice; needs io->buf to copy or to write */

#define ENGINE_FILES (1u << 6)    /* one state can work on several files; others need a state for each */

/* What may be asked of an engine beyond the usual, a bit each; struct engine says which it has. */
#define USE_NOWAIT (1u << 0)        /* RWF_NOWAIT: a read gives what is cached, -EAGAIN when that is nothing */
#define USE_DONTCACHE (1u << 1)     /* RWF_DONTCACHE (Linux 6.14): what was read or written leaves the cache */
#define USE_HIPRI (1u << 2)         /* RWF_HIPRI: poll the device for the end of a request; needs direct */
#define USE_SQPOLL (1u << 3)        /* IORING_SETUP_SQPOLL: a thread of the kernel takes the requests */
#define USE_IOPOLL (1u << 4)        /* IORING_SETUP_IOPOLL: poll the device for completions; needs direct */
#define USE_PLAIN_BUFFERS (1u << 5) /* do not register the buffers, where that is the usual */
#define USE_POPULATE (1u << 6)      /* MAP_POPULATE: the page tables are filled before the first touch */
#define USE_EXECUTABLE (1u << 7)    /* PROT_EXEC: a mapping as that of a program, whose pages reclaim spares */
#define USE_COUNT 8

/*
 * What a touch is: the first byte of a request and of each page after it, every byte one by one, or a copy into (for a
 * write, out of) the buffer. A write stores the bytes that the buffer has for those places, so only TOUCH_COPY and
 * TOUCH_BYTE write all of them.
 */
enum io_touch { TOUCH_PAGE, TOUCH_BYTE, TOUCH_COPY };

/* A file that io->file may choose. */
struct engine_file {
	int fd;
	uint64_t size;            /* bytes */
};

/*
 * Everything an engine may know. Borrowed until close. Hints are given for each part of the target when it is mapped,
 * in order, those that last first; WILLNEED of the whole announces each request before it is touched.
 */
struct engine_params {
	int fd;                   /* -1: none, but memory of the state's own, private and anonymous (ENGINE_TOUCH) */
	uint64_t size;            /* of the target, bytes */
	unsigned depth;           /* slots, 1..max_depth */
	size_t buf_size;          /* bytes of each slot's buffer */
	char *buffers;            /* one block, slot n at n * buf_size; aligned for direct I/O; else NULL */
	unsigned use;             /* USE_ bits */
	const struct io_hint *hints; /* ENGINE_TOUCH, see below; others do not look at them */
	unsigned hint_count;
	enum io_touch touch;      /* ENGINE_TOUCH */
	bool direct;              /* the target is open with O_DIRECT */
	bool write;               /* it is open for writing, and there may be writes */
	bool dsync;               /* and with O_DSYNC: a write is on the device when it completes */
	const struct engine_file *files; /* ENGINE_FILES; the first is fd and size; NULL: there is no other */
	unsigned file_count;      /* 0 with NULL */
	uint64_t max_length;      /* longest request to come, bytes; 0: as long as ENGINE_IOVS allows */
};

/*
 * A request longer than buf_size is read into (or written from) the same buffer over and over, by one vectored call
 * (engine_iov), so that it stays one system call. The kernel takes ENGINE_IOVS pieces in a call: max_length
 * may not be over ENGINE_IOVS * buf_size (2 MiB of buffer are enough for any request).
 */
#define ENGINE_IOVS 1024

struct engine {
	const char *name;
	const char *help;         /* one line for --engine help */
	unsigned flags;
	unsigned uses;            /* USE_ bits that it has */
	unsigned max_depth;       /* 1 for synchronous ones */

	/* Can it run here? 0, or -errno with the reason in words. Cheap, leaves nothing behind. */
	int (*probe)(struct fault *why);

	/* All allocation happens here. 0 and *state, or -errno with the reason. */
	int (*open)(const struct engine_params *p, void **state, struct fault *why);

	/* Nothing may be in flight. */
	void (*close)(void *state);

	/*
	 * 0: taken (sync: and completed, io->res is set). -EAGAIN: depth requests are out, reap first. Other: the
	 * engine failed.
	 */
	int (*submit)(void *state, struct io *io);

	/*
	 * For synchronous engines that need no system call, where a call for each request would be most of its cost;
	 * NULL for others. Reads n spans in order and returns how many were moved whole: it ends before the first that
	 * is not, which submit() shall then do, and when *stop becomes true. At most IO_MAX bytes a span.
	 */
	size_t (*read_many)(void *state, const struct span *spans, size_t n, const atomic_bool *stop);

	/* Likewise writes of zeros. NULL: none. */
	size_t (*write_many)(void *state, const struct span *spans, size_t n, const atomic_bool *stop);

	/*
	 * Between requests: advice for what the state maps of a part of the target, by madvise(2). DONTNEED takes the
	 * pages out of the page tables, which gives anonymous memory back and leaves those of a file in its cache; COLD
	 * makes them the first to be reclaimed, PAGEOUT reclaims them. 0, or -errno: -EOPNOTSUPP when the kernel does
	 * not know it. NULL: the engine maps nothing.
	 */
	int (*advise)(void *state, const struct io_hint *h);

	/* Hand what was submitted to the kernel, as far as it takes it. 0, or -errno of the engine. NULL for sync. */
	int (*flush)(void *state);

	/*
	 * Collect between min and max completed slots, waiting for min up to timeout_ns (-1: as long as it takes, 0: do
	 * not wait; a caught signal or a stop may end a wait with a timeout early). min may exceed what is out: all
	 * that is out is waited for. Returns how many, or -errno of the engine. Flushes what was submitted, in the
	 * same system call where the kernel can. NULL for sync.
	 */
	int (*reap)(void *state, struct io **done, unsigned min, unsigned max, int64_t timeout_ns);

	/*
	 * What open() really set up, in words, for the report ("registered file and buffers"). Empty when there is
	 * nothing to tell. NULL: likewise.
	 */
	void (*describe)(const void *state, char *text, size_t cap);
};

/* All engines that were built in, in the order of --engine help. NULL past the last. */
const struct engine *engine_at(size_t i);

/* By name, or NULL. */
const struct engine *engine_of_name(const char *name);

/* The name of a USE_ bit, by its number below USE_COUNT ("nowait", "sqpoll"), for lists and refusals. */
const char *engine_use_name(unsigned bit);

/*
 * Does what p asks go together, and has the engine all of it? Does not look at fd, size and buffers, so that it can be
 * asked before a target is open. 0, or -EINVAL with the reason.
 */
int engine_check(const struct engine *e, const struct engine_params *p, struct fault *why);

/* Does it need a buffer for each slot, under these parameters? */
bool engine_needs_buffers(const struct engine *e, const struct engine_params *p);
