/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "helper.h"

static const char log_[] =
    "# tracer: nop\n#\n"
    "              dd-11719   [000] .....  1332.404909: mm_filemap_map_pages: dev=254:0 ino=51423 ofs=831488-897023\n"
    "              dd-11719   [000] .N...  1332.404910: mm_filemap_add_to_page_cache: dev 254:0 ino 1a pfn=0x120353 "
    "ofs=65536 order=2\n"
    "              dd-11719   [000] .....  1332.404911: sched_switch: prev_comm=dd ==> next_comm=x\n"
    "              dd-11719   [001] .....  1332.404912: mm_filemap_get_pages: dev=254:0 ino=1a ofs=0-16383\n"
    "              dd-11719   [001] .....  1332.404913: mm_filemap_delete_from_page_cache: dev 254:0 ino 1a pfn=0x1 "
    "ofs=0 order=0\n"
    "              dd-11719   [001] .....  1332.404914: mm_filemap_fault: dev=254:0 ino=1a ofs=8192\n";

#define LOG(want, ...) \
	expect_import(log_, sizeof(log_) - 1, &(struct import_options){.format = "ftrace", ##__VA_ARGS__}, want)

static void four_events_are_reads_of_pages(void **state _unused_)
{
	LOG("R 831488 65536 @0 #254:0/51423\nR 65536 16384 @1000 #254:0/1a\nR 0 16384 @3000 #254:0/1a\n"
	    "R 8192 4096 @5000 #254:0/1a\n");
	assert_non_null(strstr(remarks(), "mixture of accesses"));
}

static void events_inodes_and_names_choose(void **state _unused_)
{
	LOG("R 0 16384 @0 #254:0/1a\nR 8192 4096 @2000 #254:0/1a\n", .event = "get,fault");
	LOG("R 65536 16384 @0 #254:0/1a\n", .event = "add");
	LOG("R 831488 65536 @0 #254:0/51423\n", .by_inode = true, .inode = 0x51423);
	LOG("R 831488 65536 @0 #254:0/51423\n", .path = "254:0/5*");
	expect_refused(log_, sizeof(log_) - 1, &(struct import_options){.format = "ftrace", .event = "Q"}, 0,
		       "add,get,map");
}

static void a_path_on_this_machine_is_its_device_and_inode(void **state _unused_)
{
	char name[] = "/tmp/ftrace.XXXXXX", text[256], want[128];
	int fd = mkstemp(name), n;
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	n = snprintf(text, sizeof(text),
		     "x-1 [000] 1.5: mm_filemap_fault: dev=%u:%u ino=%jx ofs=4096\nx-1 [000] 1.6: mm_filemap_fault: "
		     "dev=%u:%u ino=%jx ofs=0\n",
		     major(st.st_dev), minor(st.st_dev), (uintmax_t)st.st_ino, major(st.st_dev), minor(st.st_dev) + 1,
		     (uintmax_t)st.st_ino);
	snprintf(want, sizeof(want), "R 4096 4096 @0 #%s\n", name);
	expect_import(text, (size_t)n, &(struct import_options){.format = "ftrace", .path = name}, want);
	close(fd);
	unlink(name);
}

static void perf_and_trace_cmd_differ_in_front_only(void **state _unused_)
{
	EXPECT("            dd 11719 [001]  1332.404912: filemap:mm_filemap_get_pages: dev=8:1 ino=1a ofs=0-4095\n"
	       "              dd-11719   [001]  1332.404913123: mm_filemap_fault:     dev=8:1 ino=1a ofs=0\n"
	       "              <...>-7 [001] 1333: mm_filemap_add_to_page_cache: dev 8:1 ino 1a page=00000000abc "
	       "pfn=123 ofs=4096\n",
	       "R 0 4096 @0 #8:1/1a\nR 0 4096 @1123 #8:1/1a\nR 4096 4096 @595088000 #8:1/1a\n", .format = "ftrace");
}

static void what_cannot_be_is_refused(void **state _unused_)
{
	REFUSED("x 1.1: mm_filemap_get_pages: dev=8:1 ino=1a ofs=4096-0\n", 1, "ends before it begins",
		.format = "ftrace");
	REFUSED("x 1.1: mm_filemap_get_pages: dev=8:1 ino=1a ofs=4096\n", 1, "FIRST-LAST", .format = "ftrace");
	REFUSED("x 1.1: mm_filemap_fault: dev=8:1 ino=1g ofs=4096\n", 1, "ino '1g'", .format = "ftrace");
	REFUSED("x 1.1: mm_filemap_fault: dev=8 ino=1a ofs=4096\n", 1, "MAJOR:MINOR", .format = "ftrace");
	REFUSED("x 1.1: mm_filemap_fault: dev=8:1 ino=1a\n", 1, "ofs", .format = "ftrace");
	REFUSED("x mm_filemap_fault: dev=8:1 ino=1a ofs=0\n", 1, "time", .format = "ftrace");
	REFUSED("x 1.1: mm_filemap_add_to_page_cache: dev 8:1 ino 1a ofs=0 order=63\n", 1, "order", .format = "ftrace");
	REFUSED("just a line\n", 1, "mm_filemap", .format = "ftrace");
}

static void what_the_kernel_lost_is_told(void **state _unused_)
{
	EXPECT("CPU:1 [LOST 123 EVENTS]\nx-1 [001] ..... 1.1: mm_filemap_fault: dev=8:1 ino=1a ofs=0\n"
	       "CPU:0 [7 EVENTS DROPPED]\n",
	       "R 0 4096 @0 #8:1/1a\n", .format = "ftrace");
	assert_non_null(strstr(remarks(), "2 gaps are in the log"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(four_events_are_reads_of_pages),
	    cmocka_unit_test(events_inodes_and_names_choose),
	    cmocka_unit_test(a_path_on_this_machine_is_its_device_and_inode),
	    cmocka_unit_test(perf_and_trace_cmd_differ_in_front_only),
	    cmocka_unit_test(what_the_kernel_lost_is_told),
	    cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
