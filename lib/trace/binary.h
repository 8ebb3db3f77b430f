/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The binary form of a trace, see iotrace.5: the arrays of a struct trace as they stand in memory, behind a header,
 * with check sums. It is mapped, not read: a trace taken from it costs page cache alone.
 *
 * Nothing of an image is believed before it was checked: the header and what stands behind the arrays in
 * binary_open(), requests block by block in binary_check(). (A file that somebody cuts off while it is mapped raises
 * SIGBUS.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fault.h"
#include "base/outfile.h"
#include "trace/input.h"
#include "trace/trace.h"

#define BINARY_MAGIC "\x89iotr\r\n\x1a"
#define BINARY_MAGIC_SIZE 8
#define BINARY_VERSION 1
#define BINARY_ORDER 0x01020304u

/* Requests that one check sum covers. */
#define BINARY_BLOCK 65536u

enum binary_column { BINARY_REQ, BINARY_TIME, BINARY_FILE, BINARY_STEP, BINARY_COLUMNS };

/* What a file begins with. All numbers are in the byte order of who wrote it. */
struct binary_header {
	unsigned char magic[BINARY_MAGIC_SIZE];
	uint32_t order;              /* BINARY_ORDER */
	uint32_t version;
	uint64_t size;               /* of the file */
	uint64_t count;              /* of requests */
	uint32_t block;              /* BINARY_BLOCK */
	uint32_t columns;            /* 1 << enum binary_column, for each array that is there */
	uint64_t at[BINARY_COLUMNS]; /* where the arrays begin: multiples of BINARY_ALIGN, in this order; 0: not there */
	uint64_t tail;               /* where the file names begin, behind the arrays */
	uint64_t names;              /* bytes of them */
	uint64_t comment;            /* bytes of the comment that follows */
	uint64_t tail_sum;           /* of all from tail to the end */
	uint64_t reserved[2];        /* 0 */
	uint64_t header_sum;         /* of all before */
};

#define BINARY_ALIGN 4096u

/* True when the n bytes that an input begins with are those of an image. */
bool binary_is(const void *head, size_t n);

/* The check sum of n bytes, which are taken as if zeros followed up to a multiple of 32. */
uint64_t binary_sum(const void *data, size_t n);

struct binary {
	struct binary_header head;
	void *map;                   /* owned */
	size_t map_size;
	bool of_file;                /* else memory */
	const struct req *req;       /* these point into the map */
	const int64_t *time;         /* NULL: not there, as the next two */
	const uint32_t *file;
	const uint64_t *step;
	uint64_t blocks;
};

/*
 * Map the image in a regular file. 0, or -errno with the text: -EINVAL damaged, cut off, of another version or byte
 * order; -ENOMEM; what mmap(2) says. fd may be closed then.
 */
int binary_open(struct binary *b, int fd, struct fault *fault);

/*
 * The same for an image that comes through a pipe or an unpacker: it is read into memory, after n bytes already here.
 */
int binary_read(struct binary *b, const void *head, size_t n, struct input *in, struct fault *fault);

/* Harmless on zeros and after binary_load_all(). */
void binary_close(struct binary *b);

/* Check block i (from 0, below blocks): sums and ranges. 0, or -EINVAL with the text. */
int binary_check(const struct binary *b, uint64_t i, struct fault *fault);

/* The program is done with block i for now: it need not stay in its memory. */
void binary_leave(const struct binary *b, uint64_t i);

/*
 * Append up to max requests from *next on, which moves on, and the names of files; all are checked. Returns how many, 0
 * at the end, or -errno with the text.
 */
ssize_t binary_load_some(const struct binary *b, uint64_t *next, struct trace *t, size_t max, struct fault *fault);

/*
 * Check all and move it into t, which has neither requests nor memory for any, without a copy. 0 or -errno with the
 * text, -EINTR when stop_signal() was set meanwhile.
 */
int binary_load_all(struct binary *b, struct trace *t, struct fault *fault);

/*
 * An image being written, in as many parts as one likes, to a file (which must not be written in place). Memory and
 * open files are bounded: each column but the first waits in an unnamed file of its own in the same folder.
 */
struct binary_writer;

/* comment: NULL for none. 0 and *out, or -errno with the text: -EINVAL when the output is in place. */
int binary_writer_new(struct binary_writer **out, struct outfile *o, const char *comment, struct fault *fault);

/* Append all requests of t; parts share the numbers of files. 0 or -errno with the text. */
int binary_writer_put(struct binary_writer *w, const struct trace *t, struct fault *fault);

/* Write the rest: t has the names of the files. Errors of the output are kept in the outfile. 0 or -errno. */
int binary_writer_end(struct binary_writer *w, const struct trace *t, struct fault *fault);

void binary_writer_free(struct binary_writer *w);
void binary_writer_freep(struct binary_writer **w);
