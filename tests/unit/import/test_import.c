/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all importers have in common: recognition, lines, files, portions. And what is exported. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "helper.h"
#include "import/export.h"

static void formats_are_recognised_by_content(void **state _unused_)
{
	static const struct {
		const char *text, *format;
	} one[] = {
	    {"fio version 3 iolog\n1 /v add\n", "fio"},
	    {"  8,16   2       41     0.000731904  3310  Q  RA 204800 + 64 [demo]\n", "blkparse"},
	    {"openat(AT_FDCWD, \"/d\", O_RDONLY) = 3\nbrk(NULL)  = 0x55d0\n", "strace"},
	    {"# tracer: nop\n  dd-1 [0] ..... 13.4: mm_filemap_fault: dev=8:1 ino=1 ofs=0\n", "ftrace"},
	    {"0,40960,8192,W,0.004120\n1, 512,4096,r,0.004377,note\n", "spc"},
	    {"Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n1,h,0,Read,0,1,2\n", "msr"},
	    {"7,W,73728,16384,1577809999000123\n", "alibaba"},
	    {"1538323299,8192,16,1,1290\n", "tencent"},
	    {"Timestamp,Response,IOType,LUN,Offset,Size\n1455600000.01,0.0004,R,3,786432,4096\n", "systor"},
	    {"12.500000 0 409600 16 1\n", "disksim"},
	    {"880012 411 demo 90112 8 W 6 0 0f0f\n", "fiu"},
	    {"offset,length\n1,2\n", "csv"},
	    {"0 1\n100 8\n", NULL},
	    {"hello\nworld\n", NULL},
	    {"", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		const char *got = import_recognise(one[i].text, strlen(one[i].text), true);

		if (!one[i].format)
			assert_null(got);
		else
			assert_string_equal(got ? got : "none", one[i].format);
	}
}

static void a_damaged_line_does_not_hide_the_format(void **state _unused_)
{
	static const char text[] = "0,1,1,R,0\n0,2,1,R,0\n0,3,1,R,0\n0,4,1,R,0\n0,5,1,R,0\n0,x,1,R,0\n";

	REFUSED(text, 6, "offset 'x'", .format = "auto");
	REFUSED("x\ny\n", 0, "not recognised", .format = "auto");
	REFUSED("\xff\xfe"
		"0\0,\0",
		0, "UTF-16", .format = "auto");
	REFUSED("\xff\xfe"
		"0\0,\0",
		0, "UTF-16", .format = "spc");
}

static void the_line_that_a_beginning_cuts_does_not_count(void **state _unused_)
{
	static const char text[] = "0,1,1,R,0\n0,2,1,R";

	assert_string_equal(import_recognise(text, strlen(text), false), "spc");
}

static void marks_and_carriage_returns_are_passed_over(void **state _unused_)
{
	EXPECT("\xef\xbb\xbf"
	       "0,1,1,R,0\r\n\r\n0,2,1,R,0\r\n",
	       "R 512 1 @0 #0\nR 1024 1 @0 #0\n", .format = "spc");
	REFUSED("0,1,1,R,0\n0,2\0,1,R,0\n", 2, "'2\\x00'", .format = "spc");
}

/* A comment of any length is no problem; a line is, above FEED_MAX. */
static void long_lines_cost_no_more_than_a_window(void **state _unused_)
{
	const size_t n = 5u << 20;
	char *text = malloc(n + 100);
	int at;

	assert_non_null(text);
	at = sprintf(text, "0,1,1,R,0\n#");
	memset(text + at, 'x', n);
	sprintf(text + (size_t)at + n, "\n0,2,1,R,0\n");
	expect_import(text, strlen(text), &(struct import_options){.format = "spc"}, "R 512 1 @0 #0\nR 1024 1 @0 #0\n");
	text[at - 1] = '1';
	expect_refused(text, strlen(text), &(struct import_options){.format = "spc"}, 2, "longer than");
	expect_import(text, strlen(text), &(struct import_options){.format = "spc", .lenient = true},
		      "R 512 1 @0 #0\nR 1024 1 @0 #0\n");
	assert_int_equal(summary.odd[0].line, 2);
	free(text);
}

static struct import *open_text(const char *text, const struct import_options *o)
{
	struct import *imp;
	struct input *in;
	struct fault fault = {0};

	assert_int_equal(input_of_memory(&in, text, strlen(text), &fault), 0);
	assert_int_equal(import_open_input(&imp, in, o, &fault), 0);
	return imp;
}

static void portions_are_never_larger_than_asked_for(void **state _unused_)
{
	struct import *imp = open_text("  8,0 0 1 0.0 7 Q FWS 8 + 8 [a]\n  8,0 0 1 0.1 7 Q FWS 16 + 8 [a]\n"
				       "  8,0 0 1 0.2 7 Q R 24 + 8 [a]\n",
				       &(struct import_options){.format = "blkparse", .ops = IMPORT_OPS_ALL});
	struct trace t = {0};
	struct fault fault = {0};

	assert_int_equal(import_read(imp, &t, 3, &fault), 2);
	assert_int_equal(import_read(imp, &t, 2, &fault), 2);
	assert_int_equal(import_read(imp, &t, 2, &fault), 1);
	assert_int_equal(import_read(imp, &t, 2, &fault), 0);
	assert_int_equal(import_read(imp, &t, 2, &fault), 0);
	assert_int_equal(t.count, 5);
	import_free(imp);
	trace_fini(&t);
}

static void files_of_two_imports_are_told_apart_by_name(void **state _unused_)
{
	static const char *const log[] = {"1,8,1,R,0\n2,9,1,R,0\n", "2,10,1,R,0\n3,11,1,R,0\n"};
	static const uint32_t want[] = {0, 1, 1, 2};
	struct trace t = {0};
	struct fault fault = {0};

	for (size_t i = 0; i < ARRAY_SIZE(log); i++) {
		struct import *imp = open_text(log[i], &(struct import_options){.format = "spc"});

		assert_int_equal(import_rest(imp, &t, &fault), 0);
		import_free(imp);
	}
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(t.file[i], want[i]);
	assert_int_equal(t.file_count, 3);
	assert_string_equal(t.files[2], "3");
	trace_fini(&t);
	/* behind requests of a file without a name, a name is another file */
	trace_init(&t);
	assert_int_equal(trace_push(&t, req_make(0, 1, OP_READ)), 0);
	{
		struct import *imp = open_text(log[0], &(struct import_options){.format = "spc"});

		assert_int_equal(import_rest(imp, &t, &fault), 0);
		import_free(imp);
	}
	assert_int_equal(t.file[0], 0);
	assert_int_equal(t.file[1], 1);
	assert_int_equal(t.file[2], 2);
	trace_fini(&t);
}

static void a_failed_import_stays_failed(void **state _unused_)
{
	struct import *imp = open_text("0,1,1,R,0\nx\n0,2,1,R,0\n", &(struct import_options){.format = "spc"});
	struct trace t = {0};
	struct fault fault = {0};

	assert_int_equal(import_rest(imp, &t, &fault), -EINVAL);
	assert_int_equal(t.count, 1);
	assert_int_equal(import_read(imp, &t, 2, &fault), -EINVAL);
	assert_int_equal(t.count, 1);
	import_free(imp);
	trace_fini(&t);
}

static void make_trace(struct trace *t)
{
	trace_init(t);
	assert_int_equal(trace_push(t, req_make(4096, 512, OP_READ)), 0);
	assert_int_equal(trace_push(t, req_make(0, 1024, OP_WRITE)), 0);
	assert_int_equal(trace_push(t, req_make(0, 0, OP_SYNC)), 0);
	assert_int_equal(trace_push(t, req_make(512, 1 << 30, OP_TRIM)), 0);
	assert_int_equal(trace_push(t, req_make(0, 0, OP_DATASYNC)), 0);
	assert_int_equal(trace_need_time(t), 0);
	t->time[0] = 0;
	t->time[1] = 1500;
	t->time[3] = 2000000000;
	t->time[4] = 2000000000;
	assert_int_equal(trace_need_file(t), 0);
	t->file[1] = 1;
	assert_int_equal(trace_name_file(t, 0, "/a", 2), 0);
}

static int export(const struct trace *t, const char *format, char *buf, size_t cap, struct fault *fault)
{
	_cleanup_close_ int fd = memfd_create("export", MFD_CLOEXEC);
	struct outfile o;
	char name[32];
	ssize_t n;
	int r;

	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(outfile_open(&o, name, fault), 0);
	r = export_trace(t, format, &o, fault);
	assert_int_equal(outfile_commit(&o, &(struct fault){0}), 0);
	n = pread(fd, buf, cap - 1, 0);
	assert_true(n >= 0);
	buf[n] = '\0';
	return r;
}

static void exports_have_the_words_of_the_other_tool(void **state _unused_)
{
	static const struct {
		const char *format, *want;
	} one[] = {
	    {"fio", "fio version 3 iolog\n1 /a add\n1 /a open\n1 iotrace.1 add\n1 iotrace.1 open\n1 /a read 4096 512\n"
		    "2 iotrace.1 write 0 1024\n2 /a sync 0 0\n2000001 /a trim 512 1073741824\n2000001 /a datasync 0 0\n"
		    "2000001 /a close\n2000001 iotrace.1 close\n"},
	    {"csv",
	     "time,op,offset,length,file\n0.000000000,read,4096,512,/a\n0.000001500,write,0,1024,1\n,sync,0,0,/a\n"
	     "2.000000000,trim,512,1073741824,/a\n2.000000000,datasync,0,0,/a\n"},
	    {"blkparse", "259,0    0        1     0.000000000     0  Q   R 8 + 1 [iotrace]\n"
			 "259,1    0        2     0.000001500     0  Q   W 0 + 2 [iotrace]\n"
			 "259,0    0        3     0.000001500     0  Q  FN [iotrace]\n"
			 "259,0    0        4     2.000000000     0  Q   D 1 + 2097152 [iotrace]\n"
			 "259,0    0        5     2.000000000     0  Q  FN [iotrace]\n"},
	};
	struct trace t;
	char got[4096];

	make_trace(&t);
	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		struct fault fault = {0};

		assert_int_equal(export(&t, one[i].format, got, sizeof(got), &fault), 0);
		assert_string_equal(got, one[i].want);
	}
	trace_fini(&t);
}

/* But for what the headers of export.h say is lost, what goes out comes in again. */
static void exports_are_imported_equal(void **state _unused_)
{
	static const char *const format[] = {"fio", "csv", "blkparse"};
	static const char *const want[] = {
	    "R 4096 512 @0 #/a\nW 0 1024 @1000 #iotrace.1\nS 0 0 @1000 #/a\nT 512 1073741824 @2000000000 #/a\n"
	    "D 0 0 @2000000000 #/a\n",
	    "R 4096 512 @0 #/a\nW 0 1024 @1500 #1\nS 0 0 #/a\nT 512 1073741824 @2000000000 #/a\nD 0 0 @2000000000 "
	    "#/a\n",
	    "R 4096 512 @0 #259,0\nW 0 1024 @1500 #259,1\nS 0 0 @1500 #259,0\nT 512 1073741824 @2000000000 #259,0\n"
	    "S 0 0 @2000000000 #259,0\n",
	};
	struct trace t;
	char text[4096];

	make_trace(&t);
	for (size_t i = 0; i < ARRAY_SIZE(format); i++) {
		struct fault fault = {0};

		assert_int_equal(export(&t, format[i], text, sizeof(text), &fault), 0);
		expect_import(text, strlen(text), &(struct import_options){.format = "auto"}, want[i]);
		assert_string_equal(summary.format, format[i]);
	}
	trace_fini(&t);
}

static void what_a_format_cannot_hold_is_refused(void **state _unused_)
{
	static const struct {
		uint64_t offset, length;
		const char *file, *format, *part;
		uint64_t request;
	} one[] = {
	    {0, UINT64_C(1) << 32, "/a", "fio", "it is of 4 GiB", 2},
	    {0, 1, "/a b", "fio", "blanks", 0},
	    {1, 512, "/a", "blkparse", "it is not of whole sectors", 2},
	    {0, 1, "/a", "xls", "no format", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		struct trace t = {0};
		struct fault fault = {0};
		char got[4096];

		assert_int_equal(trace_push(&t, req_make(0, 512, OP_READ)), 0);
		assert_int_equal(trace_push(&t, req_make(one[i].offset, one[i].length, OP_READ)), 0);
		assert_int_equal(trace_name_file(&t, 0, one[i].file, strlen(one[i].file)), 0);
		assert_int_equal(export(&t, one[i].format, got, sizeof(got), &fault), -EINVAL);
		if (!strstr(fault.text, one[i].part))
			fail_msg("'%s' is not in '%s'", one[i].part, fault.text);
		assert_int_equal(fault.request, one[i].request);
		trace_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formats_are_recognised_by_content),
	    cmocka_unit_test(a_damaged_line_does_not_hide_the_format),
	    cmocka_unit_test(the_line_that_a_beginning_cuts_does_not_count),
	    cmocka_unit_test(marks_and_carriage_returns_are_passed_over),
	    cmocka_unit_test(long_lines_cost_no_more_than_a_window),
	    cmocka_unit_test(portions_are_never_larger_than_asked_for),
	    cmocka_unit_test(files_of_two_imports_are_told_apart_by_name),
	    cmocka_unit_test(a_failed_import_stays_failed),
	    cmocka_unit_test(exports_have_the_words_of_the_other_tool),
	    cmocka_unit_test(exports_are_imported_equal),
	    cmocka_unit_test(what_a_format_cannot_hold_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
