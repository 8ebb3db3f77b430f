/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the log of one format, which the including file names FORMAT. The first byte chooses options, the rest
 * is the log. What is refused has words; what is taken keeps to the ranges, comes in the same in small portions, and is
 * the same when exported as csv and imported again. A lenient import takes at least what the strict one took.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "import/export.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define _cleanup_trace_ _cleanup_(trace_fini)

static void check(bool right)
{
	if (!right)
		abort();
}

static void check_words(const struct import *imp)
{
	struct import_summary summary;
	char line[400];

	import_get_summary(imp, &summary);
	check(strlen(import_summary_line(&summary, line, sizeof(line))) < sizeof(line));
	for (size_t i = 0; import_remark(imp, i, line, sizeof(line)); i++)
		check(line[0] && i < 64);
}

static int import(const void *data, size_t size, const struct import_options *o, size_t portion, struct trace *t)
{
	_cleanup_(import_freep) struct import *imp = NULL;
	struct fault fault = {0};
	struct input *in;
	ssize_t r = input_of_memory(&in, data, size, &fault);

	if (!r)
		r = import_open_input(&imp, in, o, &fault);
	while (imp && !r) {
		r = import_read(imp, t, portion, &fault);
		if (r <= 0)
			break;
		check((size_t)r <= portion);
		r = 0;
	}
	check(r >= 0 || fault.text[0]);
	if (imp)
		check_words(imp);
	return (int)r;
}

static void check_ranges(const struct trace *t)
{
	for (size_t i = 0; i < t->count; i++) {
		check(req_length(t->req[i]) <= REQ_MAX && req_end(t->req[i]) <= REQ_MAX);
		check(!t->time || t->time[i] == TIME_NONE || t->time[i] >= 0);
		check(!t->file || t->file[i] < t->file_count);
	}
}

static void check_round_trip(const struct trace *t)
{
	_cleanup_close_ int fd = memfd_create("csv", MFD_CLOEXEC);
	_cleanup_trace_ struct trace back = {0};
	_cleanup_free_ char *text = NULL;
	struct import_options o = {.format = "csv", .ops = IMPORT_OPS_ALL};
	struct outfile out;
	struct fault f = {0};
	char name[32];
	off_t size;

	check(fd >= 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	check(outfile_open(&out, name, &f) == 0);
	check(export_trace(t, "csv", &out, &f) == 0);
	check(outfile_commit(&out, &f) == 0);
	size = lseek(fd, 0, SEEK_END);
	text = malloc((size_t)size + 1);
	check(text && pread(fd, text, (size_t)size, 0) == size);
	check(import(text, (size_t)size, &o, 1000, &back) == 0);
	check(t->count == back.count);
	for (size_t i = 0; i < t->count; i++) {
		uint32_t a = t->file ? t->file[i] : 0, b = back.file ? back.file[i] : 0;

		check(t->req[i].offset_op == back.req[i].offset_op && t->req[i].length_op == back.req[i].length_op);
		check(!t->file_count || strcmp(t->files[a], back.files[b]) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_trace_ struct trace t = {0}, again = {0}, lenient = {0};
	struct import_options o = {.format = FORMAT};
	unsigned choice, more;
	int r;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	more = choice >> 2 & 3;
	o.ops = choice & 1 ? IMPORT_OPS_ALL : IMPORT_OPS_DEFAULT;
	o.path = choice & 2 ? "*1*" : NULL;
#ifdef CHOOSE
	CHOOSE
#endif
	r = import(data, size, &o, 4096, &t);
	check_ranges(&t);
	/* one of the dear ones, or all */
	if (more == 1 || more == 3)
		check(import(data, size, &o, IMPORT_BATCH_MIN, &again) == r && trace_equal(&t, &again));
	if (more >= 2 && r == 0)
		check_round_trip(&t);
	if (more == 1 || more == 2)
		return 0;
	o.lenient = true;
	import(data, size, &o, 4096, &lenient);
	check_ranges(&lenient);
	check(lenient.count >= t.count);
	return 0;
}
