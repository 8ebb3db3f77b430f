/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request, and the array of requests that all actions work on.
 *
 * A request takes 16 bytes, op included. Columns that most traces lack (time, file, step) are separate
 * arrays that exist only once something set them: time costs 8 bytes a request, file 4, step 8.
 *
 * The arrays may lie in a private mapping of a file (see binary.h): pages of it that are not changed cost page cache
 * alone, and a change stays in memory. They move to the heap when they have to grow.
 *
 * A struct trace belongs to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum op {
	OP_READ,
	OP_WRITE,
	OP_TRIM,      /* punch a hole, or discard */
	OP_SYNC,      /* fsync */
	OP_DATASYNC,  /* fdatasync */
	OP_COUNT
};

/* The letter of an op in a trace file: R W T S D. */
char op_letter(enum op op);

/* The op of a letter, either case; -1 when it is none. */
int op_of_letter(char c);

/* "read", "write", "trim", "sync", "datasync". */
const char *op_name(enum op op);

/*
 * offset + length <= REQ_MAX always. Two bits of op live in the sign bits of the two words; sync and
 * datasync share one code and bit 62 of the length tells them apart, so their length stays below 2^62.
 */
struct req {
	uint64_t offset_op;
	uint64_t length_op;
};

#define REQ_MAX ((uint64_t)INT64_MAX)
#define REQ_SYNC_LENGTH_MAX ((UINT64_C(1) << 62) - 1)
#define REQ_BIT_HIGH (UINT64_C(1) << 63)
#define REQ_BIT_DATA (UINT64_C(1) << 62)

static inline struct req req_make(uint64_t offset, uint64_t length, enum op op)
{
	unsigned code = op == OP_DATASYNC ? OP_SYNC : op;

	return (struct req){
		.offset_op = offset | (uint64_t)(code >> 1) << 63,
		.length_op = length | (uint64_t)(code & 1) << 63 | (op == OP_DATASYNC ? REQ_BIT_DATA : 0),
	};
}

static inline uint64_t req_offset(struct req r)
{
	return r.offset_op & ~REQ_BIT_HIGH;
}

static inline bool req_is_sync(struct req r)
{
	return r.offset_op >> 63 & r.length_op >> 63;
}

static inline uint64_t req_length(struct req r)
{
	return r.length_op & (req_is_sync(r) ? REQ_SYNC_LENGTH_MAX : ~REQ_BIT_HIGH);
}

static inline enum op req_op(struct req r)
{
	unsigned code = (unsigned)(r.offset_op >> 63) << 1 | (unsigned)(r.length_op >> 63);

	return code == OP_SYNC && (r.length_op & REQ_BIT_DATA) ? OP_DATASYNC : (enum op)code;
}

static inline uint64_t req_end(struct req r)
{
	return req_offset(r) + req_length(r);
}

/* Bytes that it moves, which are none for a sync. */
static inline uint64_t req_bytes(struct req r)
{
	return req_is_sync(r) ? 0 : req_length(r);
}

/* Does some of what it moves lie past size? */
static inline bool req_passes(struct req r, uint64_t size)
{
	return req_bytes(r) && req_end(r) > size;
}

#define TIME_NONE INT64_MIN /* a request without a time in a trace with some */

struct trace {
	size_t count;
	size_t capacity;
	struct req *req;
	int64_t *time;       /* ns since the start of the trace, or TIME_NONE; NULL: no times */
	uint32_t *file;      /* index into files; NULL: all 0 */
	uint64_t *step;      /* group of a break-up; NULL: none, else 0 = none */
	char **files;        /* names of "#file N NAME", NULL where N has no name */
	uint32_t file_count;
	void *map;           /* owned; arrays may point into it; NULL: none */
	size_t map_size;
	bool (*room)(uint64_t bytes); /* may so many more be used? Asked about every 2^20 requests; NULL: always */
};

void trace_init(struct trace *t);
void trace_fini(struct trace *t);

/* Drop the requests, keep the memory, the columns and the file names. */
void trace_clear(struct trace *t);

/* May bytes more be used for what is done to the trace? */
static inline bool trace_has_room(const struct trace *t, uint64_t bytes)
{
	return !t->room || t->room(bytes);
}

/* Make room for extra more requests. 0, -ENOMEM (also when the trace has no room) or -EOVERFLOW. */
int trace_reserve(struct trace *t, size_t extra);

/* Append one request; columns that exist get their default. 0 or -ENOMEM. */
int trace_push_slow(struct trace *t, struct req r);

static inline int trace_push(struct trace *t, struct req r)
{
	if (unlikely(t->count == t->capacity || t->time || t->file || t->step))
		return trace_push_slow(t, r);
	t->req[t->count++] = r;
	return 0;
}

/* Make a column exist, with defaults for the requests that are there. 0 or -ENOMEM. */
int trace_need_time(struct trace *t);
int trace_need_file(struct trace *t);
int trace_need_step(struct trace *t);

/*
 * Set the name of file n (len bytes, copied). 0, -ENOMEM, or -EINVAL: n over TRACE_FILE_MAX, named otherwise already,
 * or a name that a "#file" line cannot hold (empty, a blank at an end, NUL, newline or carriage return).
 */
#define TRACE_FILE_MAX 65535
int trace_name_file(struct trace *t, uint32_t n, const char *name, size_t len);

/* Append all requests of from, which is not t, with all columns (not the names of files). 0, -ENOMEM or -EOVERFLOW. */
int trace_append(struct trace *t, const struct trace *from);

/* Append request i of from (which may be t) with all its columns (not the names of files). 0 or -ENOMEM. */
int trace_copy(struct trace *t, const struct trace *from, size_t i);

/* Copy request "from" of b, which may be t, over request "to" of t, which has all columns that b has. */
static inline void trace_put(struct trace *t, size_t to, const struct trace *b, size_t from)
{
	t->req[to] = b->req[from];
	if (likely(!t->time && !t->file && !t->step))
		return;
	if (t->time)
		t->time[to] = b->time ? b->time[from] : TIME_NONE;
	if (t->file)
		t->file[to] = b->file ? b->file[from] : 0;
	if (t->step)
		t->step[to] = b->step ? b->step[from] : 0;
}

/* Exchange two requests with all their columns. */
void trace_swap(struct trace *t, size_t i, size_t j);

/*
 * True when both hold the same requests with the same columns' values (a missing column is its default) and file names.
 */
bool trace_equal(const struct trace *a, const struct trace *b);

/* What a scan over the whole tells. */
struct trace_extent {
	uint64_t bytes_sum;   /* of all that moves; saturates at UINT64_MAX */
	uint64_t end;         /* largest offset + length of what moves */
	uint64_t max_length;  /* largest length of a read or write */
	uint64_t ops[OP_COUNT];
};
void trace_extent(const struct trace *t, struct trace_extent *e);
