/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helper.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"

static char told[8192];
struct import_summary summary;

static char *describe(const struct trace *t)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	assert_non_null(f);
	for (size_t i = 0; i < t->count; i++) {
		uint32_t file = t->file ? t->file[i] : 0;

		fprintf(f, "%c %" PRIu64 " %" PRIu64, op_letter(req_op(t->req[i])), req_offset(t->req[i]),
			req_length(t->req[i]));
		if (t->time && t->time[i] != TIME_NONE)
			fprintf(f, " @%" PRId64, t->time[i]);
		if (file < t->file_count && t->files[file])
			fprintf(f, " #%s", t->files[file]);
		fputc('\n', f);
	}
	fclose(f);
	return buf;
}

static void keep_remarks(struct import *imp)
{
	char line[400];

	import_get_summary(imp, &summary);
	told[0] = '\0';
	for (size_t i = 0; import_remark(imp, i, line, sizeof(line)); i++) {
		strncat(told, line, sizeof(told) - strlen(told) - 1);
		strncat(told, "\n", sizeof(told) - strlen(told) - 1);
	}
}

const char *remarks(void)
{
	return told;
}

static int run(const char *text, size_t n, const struct import_options *o, struct trace *t, struct fault *fault)
{
	_cleanup_(import_freep) struct import *imp = NULL;
	struct import_options options = *o;
	struct input *in;
	int r = input_of_memory(&in, text, n, fault);

	if (!options.ops)
		options.ops = IMPORT_OPS_ALL;
	if (!r)
		r = import_open_input(&imp, in, &options, fault);
	if (!r)
		r = import_rest(imp, t, fault);
	if (imp)
		keep_remarks(imp);
	return r;
}

void expect_import(const char *text, size_t n, const struct import_options *o, const char *want)
{
	struct fault fault = {0};
	struct trace t;
	char *got;

	trace_init(&t);
	if (run(text, n, o, &t, &fault))
		fail_msg("%s: line %" PRIu64 ": %s", o->format, fault.line, fault.text);
	got = describe(&t);
	assert_string_equal(got, want);
	free(got);
	trace_fini(&t);
}

void expect_refused(const char *text, size_t n, const struct import_options *o, unsigned long line, const char *part)
{
	struct fault fault = {0};
	struct trace t;

	trace_init(&t);
	assert_int_equal(run(text, n, o, &t, &fault), -EINVAL);
	if (fault.line != line || !strstr(fault.text, part))
		fail_msg("%s: line %" PRIu64 ": %s\n  is not line %lu: ...%s", o->format, fault.line, fault.text, line,
			 part);
	trace_fini(&t);
}
