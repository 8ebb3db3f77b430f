/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a binary trace: as they are, or, for an odd first byte, behind a header and with sums made right, so
 * that what they protect is reached. What is refused has words; what is taken keeps to the ranges, is the same read in
 * parts, and is saved and loaded equal.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "trace/binary_layout.h"
#include "trace/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define _cleanup_trace_ _cleanup_(trace_fini)

static void check(bool right)
{
	if (!right)
		abort();
}

/* An image of what the bytes are: [flags] [count] [columns] [names] [comment], then what stands in the arrays. */
static int make_image(const uint8_t *data, size_t size)
{
	struct binary_header h = {.magic = BINARY_MAGIC, .order = BINARY_ORDER, .version = BINARY_VERSION, .block = BINARY_BLOCK};
	_cleanup_close_ int fd = memfd_create("image", MFD_CLOEXEC);
	_cleanup_free_ char *image = NULL;
	uint64_t sums, *sum;

	check(fd >= 0);
	h.count = data[1] % 32;
	h.columns = 1u | data[2];
	h.names = data[3];
	h.comment = data[4];
	data += 5;
	size -= 5;
	sums = binary_lay_out(&h);
	image = calloc(1, h.size);
	check(image != NULL);
	for (int c = 0; c < BINARY_COLUMNS; c++) {
		size_t n = h.at[c] ? MIN(size, h.count * binary_element[c]) : 0;

		if (n)
			memcpy(image + h.at[c], data, n);
		data += n;
		size -= n;
	}
	memcpy(image + h.tail, data, MIN(size, sums - h.tail));
	sum = (void *)(image + sums);
	for (int c = 0; c < BINARY_COLUMNS; c++)
		if (h.at[c] && h.count)
			*sum++ = binary_sum(image + h.at[c], h.count * binary_element[c]);
	h.tail_sum = binary_sum(image + h.tail, h.size - h.tail);
	h.header_sum = binary_sum(&h, offsetof(struct binary_header, header_sum));
	memcpy(image, &h, sizeof(h));
	check(write(fd, image, h.size) == (ssize_t)h.size);
	return TAKE_FD(fd);
}

static int load(int fd, struct trace *t, size_t part)
{
	_cleanup_(trace_reader_freep) struct trace_reader *r = trace_reader_new(fd, 0);
	struct fault f = {0};
	ssize_t n;

	check(r && lseek(fd, 0, SEEK_SET) == 0);
	if (!part) {
		n = trace_reader_rest(r, t, &f);
	} else {
		do
			n = trace_reader_read(r, t, part, &f);
		while (n > 0);
	}
	check(n == 0 || *f.text);
	return (int)n;
}

static void check_ranges(const struct trace *t)
{
	for (size_t i = 0; i < t->count; i++) {
		check(req_length(t->req[i]) <= REQ_MAX && req_end(t->req[i]) <= REQ_MAX);
		check(!t->time || t->time[i] == TIME_NONE || t->time[i] >= 0);
		check(!t->file || t->file[i] <= TRACE_FILE_MAX);
	}
}

static char folder[] = "/tmp/fuzz_binary.XXXXXX";

static void remove_folder(void)
{
	rmdir(folder);
}

static void make_folder(void)
{
	if (folder[sizeof(folder) - 2] == 'X')
		check(mkdtemp(folder) && atexit(remove_folder) == 0);
}

static void check_round_trip(const struct trace *t)
{
	_cleanup_(binary_writer_freep) struct binary_writer *w = NULL;
	_cleanup_trace_ struct trace back = {0};
	_cleanup_close_ int fd = -1;
	struct outfile o;
	struct fault f;
	char name[64];

	make_folder();
	snprintf(name, sizeof(name), "%s/trace", folder);
	check(outfile_open(&o, name, &f) == 0);
	check(binary_writer_new(&w, &o, "fuzz", &f) == 0);
	check(binary_writer_put(w, t, &f) == 0 && binary_writer_end(w, t, &f) == 0);
	fd = open(o.temp, O_RDONLY | O_CLOEXEC);
	check(fd >= 0 && !o.error && load(fd, &back, 0) == 0 && trace_equal(t, &back));
	outfile_abort(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_trace_ struct trace t = {0}, parts = {0};
	_cleanup_close_ int fd = -1;
	int err;

	if (size < 5)
		return 0;
	if (data[0] & 1 && data[0] != 0x89) {
		fd = make_image(data, size);
	} else {
		fd = memfd_create("image", MFD_CLOEXEC);
		check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	}
	err = load(fd, &t, 0);
	check_ranges(&t);
	check(load(fd, &parts, 7) == err);
	if (err)
		return 0;
	check(trace_equal(&t, &parts));
	check_round_trip(&t);
	return 0;
}
