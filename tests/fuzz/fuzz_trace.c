/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace, under three units. What is refused has words and a line; what is taken keeps to the ranges, is
 * read the same when no line can take the fast path, and is saved and loaded equal.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "trace/binary.h"
#include "trace/format.h"
#include "trace/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define _cleanup_trace_ _cleanup_(trace_fini)
#define _cleanup_reader_ _cleanup_(trace_reader_freep)

static void check(bool right)
{
	if (!right)
		abort();
}

static int load_fd(int fd, unsigned shift, struct trace *t, struct fault *f)
{
	_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, shift);

	check(r && lseek(fd, 0, SEEK_SET) == 0);
	return trace_reader_rest(r, t, f);
}

static int load(const void *data, size_t size, unsigned shift, struct trace *t, struct fault *f)
{
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return load_fd(fd, shift, t, f);
}

static void check_ranges(const struct trace *t)
{
	for (size_t i = 0; i < t->count; i++) {
		check(req_length(t->req[i]) <= REQ_MAX && req_end(t->req[i]) <= REQ_MAX);
		check(!t->time || t->time[i] == TIME_NONE || t->time[i] >= 0);
		check(!t->file || t->file[i] <= TRACE_FILE_MAX);
	}
}

/* With a blank in front of each line that begins with a digit, all of them go the general way. */
static void check_general_way(const uint8_t *data, size_t size, unsigned shift, const struct trace *t, int err,
			      const struct fault *f)
{
	_cleanup_free_ char *spaced = malloc(2 * size + 1);
	_cleanup_trace_ struct trace general = {0};
	struct fault g = {0};
	size_t n = 0;

	check(spaced != NULL);
	for (size_t i = 0; i < size; i++) {
		if ((i == 0 || data[i - 1] == '\n') && data[i] >= '0' && data[i] <= '9')
			spaced[n++] = ' ';
		spaced[n++] = (char)data[i];
	}
	check(load(spaced, n, shift, &general, &g) == err && trace_equal(t, &general) && f->line == g.line);
}

static void check_round_trip(const struct trace *t, unsigned shift, bool steps)
{
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);
	_cleanup_trace_ struct trace back = {0};
	struct outfile o;
	struct fault f;
	char name[32];

	check(fd >= 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	check(outfile_open(&o, name, &f) == 0);
	(steps ? trace_write_steps : trace_write)(t, &o, "fuzz", shift);
	check(outfile_commit(&o, &f) == 0);
	check(load_fd(fd, shift ? 0 : 40, &back, &f) == 0);
	check(trace_equal(t, &back));
}

/* Neither lines nor their numbers mean anything in what is unpacked first, or binary. */
static bool is_packed(const uint8_t *data, size_t size)
{
	_cleanup_(input_freep) struct input *in = NULL;
	struct fault f = {0};

	return binary_is(data, size) || input_of_memory(&in, data, size, &f) < 0 || input_packing(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned shift[] = {0, PAGE_SHIFT, 40};

	/* a line near FORMAT_LINE_MAX would be refused for the blank that is put in front of it */
	if (size > FORMAT_LINE_MAX - 1)
		return 0;
	if (is_packed(data, size)) {
		_cleanup_trace_ struct trace t = {0};
		struct fault f = {0};

		if (load(data, size, PAGE_SHIFT, &t, &f) == 0)
			check_round_trip(&t, PAGE_SHIFT, false);
		check_ranges(&t);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(shift); i++) {
		_cleanup_trace_ struct trace t = {0};
		struct fault f = {0};
		int err = load(data, size, shift[i], &t, &f);

		check(err == 0 || (err < 0 && *f.text && f.line));
		check_ranges(&t);
		/* the dear ones under one unit, which changes with the input */
		if (i != size % ARRAY_SIZE(shift))
			continue;
		check_general_way(data, size, shift[i], &t, err, &f);
		if (err == 0)
			check_round_trip(&t, shift[i], size & 1);
	}
	return 0;
}
