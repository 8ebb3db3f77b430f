/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/event.h"
#include "trace/binary.h"
#include "trace/binary_layout.h"

/* Bytes copied at a time from the file of a column to the output. */
#define COPY (1u << 17)

struct column {
	bool present;
	int fd;              /* where full blocks wait, -1: nothing waits; not of BINARY_REQ */
	char *block;         /* BINARY_BLOCK elements; those before writer.fill are set */
	uint64_t *sums;
	size_t sum_count, sum_capacity;
};

struct binary_writer {
	struct outfile *o;   /* borrowed */
	char *comment;
	uint64_t count;
	size_t fill;         /* requests in the blocks */
	struct column column[BINARY_COLUMNS];
};

static int no_memory(struct fault *fault)
{
	return fault_set(fault, -ENOMEM, "out of memory");
}

void binary_writer_free(struct binary_writer *w)
{
	if (!w)
		return;
	for (int c = 0; c < BINARY_COLUMNS; c++) {
		if (w->column[c].fd >= 0)
			close(w->column[c].fd);
		free(w->column[c].block);
		free(w->column[c].sums);
	}
	free(w->comment);
	free(w);
}

void binary_writer_freep(struct binary_writer **w)
{
	binary_writer_free(*w);
}

static int add_block(struct column *c, enum binary_column kind)
{
	c->block = malloc(BINARY_BLOCK * binary_element[kind]);
	c->present = c->block;
	return c->present ? 0 : -ENOMEM;
}

int binary_writer_new(struct binary_writer **out, struct outfile *o, const char *comment, struct fault *fault)
{
	static const char header[BINARY_ALIGN];
	_cleanup_(binary_writer_freep) struct binary_writer *w = calloc(1, sizeof(*w));

	if (o->in_place)
		return fault_set(fault, -EINVAL, "a binary trace can only be written to a file");
	if (!w)
		return no_memory(fault);
	w->o = o;
	for (int c = 0; c < BINARY_COLUMNS; c++)
		w->column[c].fd = -1;
	w->comment = strdup(comment ? comment : "");
	if (!w->comment || add_block(&w->column[BINARY_REQ], BINARY_REQ))
		return no_memory(fault);
	outfile_write(o, header, sizeof(header));
	*out = TAKE_PTR(w);
	return 0;
}

/* A file without a name beside the output. */
static int open_wait(const struct outfile *o, struct fault *fault)
{
	_cleanup_free_ char *name = NULL;
	int fd;

	if (asprintf(&name, "%s.XXXXXX", o->temp) < 0) {
		name = NULL;
		return no_memory(fault);
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return fault_set(fault, -errno, "no file can be made beside it: %s", strerror(errno));
	unlink(name);
	return fd;
}

static int add_sum(struct column *c, uint64_t sum, struct fault *fault)
{
	if (c->sum_count == c->sum_capacity) {
		size_t capacity = MAX(2 * c->sum_capacity, 64);
		uint64_t *more = reallocarray(c->sums, capacity, sizeof(*more));

		if (!more)
			return no_memory(fault);
		c->sums = more;
		c->sum_capacity = capacity;
	}
	c->sums[c->sum_count++] = sum;
	return 0;
}

/* The first n of the block leave it. */
static int put_block(struct binary_writer *w, enum binary_column kind, size_t n, struct fault *fault)
{
	struct column *c = &w->column[kind];
	size_t size = n * binary_element[kind];
	int err = add_sum(c, binary_sum(c->block, size), fault);

	if (err)
		return err;
	if (kind == BINARY_REQ) {
		outfile_write(w->o, c->block, size);
		return 0;
	}
	if (c->fd < 0)
		c->fd = open_wait(w->o, fault);
	if (c->fd < 0)
		return c->fd;
	err = fd_write_all(c->fd, c->block, size);
	return err ? fault_set(fault, err, "cannot be written: %s", strerror(-err)) : 0;
}

static int put_blocks(struct binary_writer *w, struct fault *fault)
{
	int err = 0;

	for (int c = 0; c < BINARY_COLUMNS && !err; c++)
		if (w->column[c].present)
			err = put_block(w, (enum binary_column)c, w->fill, fault);
	w->fill = 0;
	return err;
}

/* Elements of a column that a trace does not have. */
static void set_default(struct column *c, enum binary_column kind, size_t first, size_t n)
{
	int64_t *time = (int64_t *)(void *)c->block;

	if (kind == BINARY_TIME)
		for (size_t i = first; i < first + n; i++)
			time[i] = TIME_NONE;
	else
		memset(c->block + first * binary_element[kind], 0, n * binary_element[kind]);
}

/* From here on there is such a column; what came before it has the default. */
static int begin_column(struct binary_writer *w, enum binary_column kind, struct fault *fault)
{
	struct column *c = &w->column[kind];
	uint64_t full = (w->count - w->fill) / BINARY_BLOCK;
	int err = add_block(c, kind);

	if (err)
		return no_memory(fault);
	set_default(c, kind, 0, BINARY_BLOCK);
	for (uint64_t i = 0; i < full && !err; i++)
		err = put_block(w, kind, BINARY_BLOCK, fault);
	return err;
}

/* Has any of n requests from first on something else than the default there? */
static bool needs(const struct trace *t, enum binary_column kind, size_t first, size_t n)
{
	bool any = false;

	switch (kind) {
	case BINARY_TIME:
		for (size_t i = first; t->time && i < first + n && !any; i++)
			any = t->time[i] != TIME_NONE;
		break;
	case BINARY_FILE:
		for (size_t i = first; t->file && i < first + n && !any; i++)
			any = t->file[i] != 0;
		break;
	case BINARY_STEP:
		for (size_t i = first; t->step && i < first + n && !any; i++)
			any = t->step[i] != 0;
		break;
	default:
		any = true;
	}
	return any;
}

static const void *array_of(const struct trace *t, enum binary_column kind)
{
	switch (kind) {
	case BINARY_TIME:
		return t->time;
	case BINARY_FILE:
		return t->file;
	case BINARY_STEP:
		return t->step;
	default:
		return t->req;
	}
}

int binary_writer_put(struct binary_writer *w, const struct trace *t, struct fault *fault)
{
	int err = 0;

	for (size_t i = 0, n; i < t->count && !err && !w->o->error && !stop_signal(); i += n) {
		n = MIN(t->count - i, BINARY_BLOCK - w->fill);
		for (enum binary_column k = 0; k < BINARY_COLUMNS && !err; k++) {
			struct column *c = &w->column[k];
			const char *array = array_of(t, k);
			size_t size = binary_element[k];

			if (!c->present && needs(t, k, i, n))
				err = begin_column(w, k, fault);
			if (!c->present || err)
				continue;
			if (array)
				memcpy(c->block + w->fill * size, array + i * size, n * size);
			else
				set_default(c, k, w->fill, n);
		}
		w->fill += n;
		w->count += n;
		if (!err && w->fill == BINARY_BLOCK)
			err = put_blocks(w, fault);
	}
	return err;
}

static void pad(struct outfile *o, uint64_t written, uint64_t align)
{
	static const char zero[BINARY_ALIGN];

	outfile_write(o, zero, binary_round(written, align) - written);
}

/* What waits in the file of a column. */
static int copy_column(struct binary_writer *w, struct column *c, struct fault *fault)
{
	_cleanup_free_ char *buf = malloc(COPY);
	off_t at = 0;
	ssize_t n;

	if (!buf)
		return no_memory(fault);
	while ((n = pread(c->fd, buf, COPY, at)) != 0) {
		if (stop_signal())
			return fault_set(fault, -EINTR, "interrupted");
		if (n < 0 && errno != EINTR)
			return fault_set(fault, -errno, "cannot be read back: %s", strerror(errno));
		if (n < 0)
			continue;
		outfile_write(w->o, buf, (size_t)n);
		at += n;
	}
	return 0;
}

/* Names, comment and sums, as one piece for their own sum. */
static int put_tail(struct binary_writer *w, struct binary_header *h, const struct trace *t, struct fault *fault)
{
	_cleanup_free_ char *tail = NULL;
	uint64_t sums;
	char *p;

	h->comment = strlen(w->comment);
	for (uint32_t i = 0; i < t->file_count; i++)
		h->names += t->files[i] ? 2 * sizeof(uint32_t) + strlen(t->files[i]) : 0;
	sums = binary_lay_out(h);
	p = tail = calloc(1, h->size - h->tail + 1);
	if (!tail)
		return no_memory(fault);
	for (uint32_t i = 0; i < t->file_count; i++) {
		uint32_t word[2] = {i, 0};

		if (!t->files[i])
			continue;
		word[1] = (uint32_t)strlen(t->files[i]);
		memcpy(p, word, sizeof(word));
		memcpy(p + sizeof(word), t->files[i], word[1]);
		p += sizeof(word) + word[1];
	}
	memcpy(p, w->comment, h->comment);
	p = tail + (sums - h->tail);
	for (int c = 0; c < BINARY_COLUMNS; c++) {
		size_t n = w->column[c].sum_count * sizeof(uint64_t);

		if (n)
			memcpy(p, w->column[c].sums, n);
		p += n;
	}
	h->tail_sum = binary_sum(tail, h->size - h->tail);
	outfile_write(w->o, tail, h->size - h->tail);
	return 0;
}

int binary_writer_end(struct binary_writer *w, const struct trace *t, struct fault *fault)
{
	struct binary_header h = {
		.magic = BINARY_MAGIC, .order = BINARY_ORDER, .version = BINARY_VERSION,
		.count = w->count, .block = BINARY_BLOCK,
	};
	int err = w->fill ? put_blocks(w, fault) : 0;

	for (int c = 0; c < BINARY_COLUMNS && !err; c++) {
		if (!w->column[c].present)
			continue;
		h.columns |= 1u << c;
		if (c != BINARY_REQ)
			err = copy_column(w, &w->column[c], fault);
		pad(w->o, w->count * binary_element[c], BINARY_ALIGN);
	}
	if (!err)
		err = put_tail(w, &h, t, fault);
	if (err)
		return err;
	h.header_sum = binary_sum(&h, offsetof(struct binary_header, header_sum));
	outfile_patch(w->o, 0, &h, sizeof(h));
	return 0;
}
