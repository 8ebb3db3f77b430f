/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static const struct {
	char letter;
	char name[9];
} ops[OP_COUNT] = {
	[OP_READ] = {'R', "read"}, [OP_WRITE] = {'W', "write"},       [OP_TRIM] = {'T', "trim"},
	[OP_SYNC] = {'S', "sync"}, [OP_DATASYNC] = {'D', "datasync"},
};

char op_letter(enum op op)
{
	return ops[op].letter;
}

int op_of_letter(char c)
{
	for (int op = 0; op < OP_COUNT; op++)
		if (c == ops[op].letter || c == (char)(ops[op].letter | 0x20))
			return op;
	return -1;
}

const char *op_name(enum op op)
{
	return ops[op].name;
}

void trace_init(struct trace *t)
{
	*t = (struct trace){0};
}

static bool is_mapped(const struct trace *t, const void *array)
{
	const char *p = array, *map = t->map;

	return map && p >= map && p <= map + t->map_size;
}

static void release(const struct trace *t, void *array)
{
	if (!is_mapped(t, array))
		free(array);
}

void trace_fini(struct trace *t)
{
	release(t, t->req);
	release(t, t->time);
	release(t, t->file);
	release(t, t->step);
	if (t->map)
		munmap(t->map, t->map_size);
	for (uint32_t i = 0; i < t->file_count; i++)
		free(t->files[i]);
	free(t->files);
	trace_init(t);
}

void trace_clear(struct trace *t)
{
	t->count = 0;
}

/* Change the size of one array to capacity elements; what it points to stays valid when that fails. */
static int resize(const struct trace *t, void *array, size_t capacity, size_t size)
{
	void *old, *bigger;
	bool mapped;

	memcpy(&old, array, sizeof(old));
	mapped = is_mapped(t, old);
	bigger = reallocarray(mapped ? NULL : old, capacity, size);
	if (!bigger)
		return -ENOMEM;
	if (mapped)
		memcpy(bigger, old, t->count * size);
	memcpy(array, &bigger, sizeof(bigger));
	return 0;
}

/* Bytes of one request in all its columns. */
static size_t request_size(const struct trace *t)
{
	return sizeof(*t->req) + (t->time ? sizeof(*t->time) : 0) + (t->file ? sizeof(*t->file) : 0) +
	       (t->step ? sizeof(*t->step) : 0);
}

/* To ask costs some system calls. */
#define ROOM_SHIFT 20

int trace_reserve(struct trace *t, size_t extra)
{
	size_t need, capacity, bytes;

	if (__builtin_add_overflow(t->count, extra, &need) || need > SIZE_MAX / 2)
		return -EOVERFLOW;
	if (need >> ROOM_SHIFT != t->count >> ROOM_SHIFT) {
		if (__builtin_mul_overflow(extra, request_size(t), &bytes) || !trace_has_room(t, bytes))
			return -ENOMEM;
	}
	if (need <= t->capacity)
		return 0;
	/* What is not used yet is not touched either, so doubling costs address space only. */
	capacity = MAX(MAX(need, t->capacity * 2), 256);
	if (resize(t, &t->req, capacity, sizeof(*t->req)) ||
	    (t->time && resize(t, &t->time, capacity, sizeof(*t->time))) ||
	    (t->file && resize(t, &t->file, capacity, sizeof(*t->file))) ||
	    (t->step && resize(t, &t->step, capacity, sizeof(*t->step))))
		return -ENOMEM;
	t->capacity = capacity;
	if (t->map) {
		munmap(t->map, t->map_size);
		t->map = NULL;
	}
	return 0;
}

int trace_push_slow(struct trace *t, struct req r)
{
	if (t->count == t->capacity) {
		int err = trace_reserve(t, 1);

		if (err)
			return -ENOMEM;
	}
	t->req[t->count] = r;
	if (t->time)
		t->time[t->count] = TIME_NONE;
	if (t->file)
		t->file[t->count] = 0;
	if (t->step)
		t->step[t->count] = 0;
	t->count++;
	return 0;
}

int trace_need_time(struct trace *t)
{
	if (t->time)
		return 0;
	t->time = malloc(MAX(t->capacity, 1) * sizeof(*t->time));
	if (!t->time)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		t->time[i] = TIME_NONE;
	return 0;
}

int trace_need_file(struct trace *t)
{
	if (!t->file)
		t->file = calloc(MAX(t->capacity, 1), sizeof(*t->file));
	return t->file ? 0 : -ENOMEM;
}

int trace_need_step(struct trace *t)
{
	if (!t->step)
		t->step = calloc(MAX(t->capacity, 1), sizeof(*t->step));
	return t->step ? 0 : -ENOMEM;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Can the name stand in a "#file N NAME" line and be read back? */
static bool name_fits(const char *name, size_t len)
{
	return len && !is_blank(name[0]) && !is_blank(name[len - 1]) && !memchr(name, '\0', len) &&
	       !memchr(name, '\n', len) && !memchr(name, '\r', len);
}

int trace_name_file(struct trace *t, uint32_t n, const char *name, size_t len)
{
	const char *old = n < t->file_count ? t->files[n] : NULL;
	char *copy;

	if (n > TRACE_FILE_MAX || !name_fits(name, len))
		return -EINVAL;
	if (old)
		return strlen(old) == len && memcmp(old, name, len) == 0 ? 0 : -EINVAL;
	if (n >= t->file_count) {
		if (resize(t, &t->files, n + 1, sizeof(*t->files)))
			return -ENOMEM;
		memset(t->files + t->file_count, 0, (n + 1 - t->file_count) * sizeof(*t->files));
		t->file_count = n + 1;
	}
	copy = strndup(name, len);
	if (!copy)
		return -ENOMEM;
	t->files[n] = copy;
	return 0;
}

static int64_t time_of(const struct trace *t, size_t i)
{
	return t->time ? t->time[i] : TIME_NONE;
}

static uint32_t file_of(const struct trace *t, size_t i)
{
	return t->file ? t->file[i] : 0;
}

static uint64_t step_of(const struct trace *t, size_t i)
{
	return t->step ? t->step[i] : 0;
}

int trace_copy(struct trace *t, const struct trace *from, size_t i)
{
	/* read before the push: t may be from */
	struct req r = from->req[i];
	int64_t time = time_of(from, i);
	uint32_t file = file_of(from, i);
	uint64_t step = step_of(from, i);

	if ((time != TIME_NONE && trace_need_time(t)) || (file && trace_need_file(t)) || (step && trace_need_step(t)) ||
	    trace_push(t, r))
		return -ENOMEM;
	if (t->time)
		t->time[t->count - 1] = time;
	if (t->file)
		t->file[t->count - 1] = file;
	if (t->step)
		t->step[t->count - 1] = step;
	return 0;
}

int trace_append(struct trace *t, const struct trace *from)
{
	size_t to = t->count, n = from->count;
	int err = trace_reserve(t, n);

	if (err)
		return err;
	if ((from->time && trace_need_time(t)) || (from->file && trace_need_file(t)) ||
	    (from->step && trace_need_step(t)))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		trace_put(t, to + i, from, i);
	t->count += n;
	return 0;
}

#define SWAP(a, b)                     \
	do {                           \
		__typeof__(a) t_ = (a); \
		(a) = (b);             \
		(b) = t_;              \
	} while (0)

void trace_swap(struct trace *t, size_t i, size_t j)
{
	SWAP(t->req[i], t->req[j]);
	if (t->time)
		SWAP(t->time[i], t->time[j]);
	if (t->file)
		SWAP(t->file[i], t->file[j]);
	if (t->step)
		SWAP(t->step[i], t->step[j]);
}

static bool names_equal(const struct trace *a, const struct trace *b)
{
	for (uint32_t i = 0; i < MAX(a->file_count, b->file_count); i++) {
		const char *x = i < a->file_count ? a->files[i] : NULL;
		const char *y = i < b->file_count ? b->files[i] : NULL;

		if (!x != !y || (x && strcmp(x, y) != 0))
			return false;
	}
	return true;
}

bool trace_equal(const struct trace *a, const struct trace *b)
{
	if (a->count != b->count || !names_equal(a, b))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->req[i].offset_op != b->req[i].offset_op || a->req[i].length_op != b->req[i].length_op ||
		    time_of(a, i) != time_of(b, i) || file_of(a, i) != file_of(b, i) || step_of(a, i) != step_of(b, i))
			return false;
	return true;
}

void trace_extent(const struct trace *t, struct trace_extent *e)
{
	*e = (struct trace_extent){0};
	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];
		enum op op = req_op(r);

		if (__builtin_add_overflow(e->bytes_sum, req_bytes(r), &e->bytes_sum))
			e->bytes_sum = UINT64_MAX;
		if (req_passes(r, e->end))
			e->end = req_end(r);
		if (op == OP_READ || op == OP_WRITE)
			e->max_length = MAX(e->max_length, req_length(r));
		e->ops[op]++;
	}
}
