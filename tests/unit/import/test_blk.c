/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blkparse text and binary blktrace. */
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "helper.h"

static void the_letters_of_rwbs_say_what_moves(void **state _unused_)
{
	static const struct {
		const char *letters, *want;
	} one[] = {
	    {"R", "R 4096 512"},
	    {"RA", "R 4096 512"},
	    {"RSM", "R 4096 512"},
	    {"RAM", "R 4096 512"},
	    {"W", "W 4096 512"},
	    {"WS", "W 4096 512"},
	    {"WFS", "W 4096 512"},
	    {"WM", "W 4096 512"},
	    {"WB", "W 4096 512"},
	    {"WSU", "W 4096 512"},
	    {"D", "T 4096 512"},
	    {"DS", "T 4096 512"},
	    {"DE", "T 4096 512"},
	    {"ZA", "W 4096 512"},
	    {"ZR", ""},
	    {"N", ""},
	    {"FWS", "S 0 0\nW 4096 512"},
	    {"FWFSM", "S 0 0\nW 4096 512"},
	    {"FN", "S 0 0"},
	    {"FFS", "S 0 0"},
	    {"F", "S 0 0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		char text[200], want[100] = "";
		int n = snprintf(text, sizeof(text), "  8,16   2       41     0.000731904  3310  Q %3s 8 + 1 [demo]\n",
				 one[i].letters);

		for (const char *at = one[i].want; *at; at += strcspn(at, "\n"), at += *at == '\n')
			snprintf(want + strlen(want), sizeof(want) - strlen(want), "%.*s @0 #8,16\n",
				 (int)strcspn(at, "\n"), at);
		expect_import(text, (size_t)n, &(struct import_options){.format = "blkparse"}, want);
	}
	REFUSED("  8,16   2       41     0.000731904  3310  Q RX 8 + 1 [demo]\n", 1, "RWBS 'RX'", .format = "blkparse");
	REFUSED("  8,16   2       41     0.000731904  3310  Q SR 8 + 1 [demo]\n", 1, "RWBS 'SR'", .format = "blkparse");
}

static void one_event_of_a_request_is_chosen(void **state _unused_)
{
	static const char log[] = "  8,0    0        1     0.000000000   700  Q   R 8 + 8 [a]\n"
				  "  8,0    0        2     0.000000500   700  M   R 16 + 8 [a]\n"
				  "  8,0    0        3     0.000001000   700  D   R 8 + 16 [a]\n"
				  "259,12   0        4     0.000002000     0  C   R 8 + 16 [0]\n"
				  "  8,0    0        5     0.000002000     0  C  FN 0 [0]\n";

	EXPECT(log, "R 4096 4096 @0 #8,0\n", .format = "blkparse");
	EXPECT(log, "R 4096 8192 @0 #8,0\n", .format = "blkparse", .event = "D");
	EXPECT(log, "R 4096 8192 @0 #259,12\nS 0 0 @0 #8,0\n", .format = "blkparse", .event = "C");
	REFUSED(log, 0, "--event", .format = "blkparse", .event = "get");
}

static void events_that_are_there_in_place_of_the_chosen_one_are_told(void **state _unused_)
{
	static const char log[] = "  8,0    0        1     0.000000000   700  D   R 8 + 8 [a]\n"
				  "  8,0    0        2     0.000002000     0  C   R 8 + 8 [0]\n"
				  "  8,0    0        3     0.000003000   700  D   W 16 + 8 [a]\n";

	EXPECT(log, "", .format = "blkparse");
	assert_non_null(strstr(remarks(), "2 requests are there as they were issued"));
	assert_non_null(strstr(remarks(), "1 request is there as it was completed"));
	EXPECT(log, "R 4096 4096 @0 #8,0\n", .format = "blkparse", .event = "C");
	assert_null(strstr(remarks(), "are there as"));
}

static void an_empty_event_has_no_place(void **state _unused_)
{
	EXPECT("  8,0    0        1     0.000000000   700  Q FWS 18446744073709551615 + 0 [jbd2]\n"
	       "  8,0    0        2     0.000001000   700  Q   R 8 + 0 [a]\n"
	       "  8,0    0        3     0.000002000   700  Q   R 8 + 8 [a]\n",
	       "S 0 0 @0 #8,0\nR 4096 4096 @2000 #8,0\n", .format = "blkparse");
	assert_non_null(strstr(remarks(), "1 event without data is no request"));
	REFUSED("  8,0    0        1     0.000000000   700  Q   R 18446744073709551615 + 1 [a]\n", 1, "2^63",
		.format = "blkparse");
}

static void events_that_blktrace_lost_are_told(void **state _unused_)
{
	EXPECT("  8,0    0        1     0.000000000   700  Q   R 8 + 8 [a]\nCPU0 (sda):\nSkips: 31 forward (42 -   0.5%)\n",
	       "R 4096 4096 @0 #8,0\n", .format = "blkparse");
	assert_non_null(strstr(remarks(), "31 events are missing"));
}

static void what_else_blkparse_prints_is_no_error(void **state _unused_)
{
	EXPECT("Input file vdc.blktrace.0 added\n"
	       "253,16   0        3     0.000000000   700  Q   R 8 + 8 [fio + 3 [x] 9]\n"
	       "253,16   0        0     0.000000000     0  m   N cfq700S / alloced + 8\n"
	       "253,16   0        6     0.000002000   701  Q   R 36 (12 00 00 00 24 00 ..) [Q R 5 + 6]\n"
	       "253,16   0        7     0.000003000   701  Q   N (12 00 00 00 24 00 ..) [0]\n"
	       "253,16   0        8     0.000003000   701  P   N [a b]\n"
	       "253,16   0       13 100000.000000000 1234567  Q   R 68719476736 + 1 (    1234) [(null)]\n"
	       "253,16   0       27     0.000024000    88  Q FWS [jbd2/vdb1-8]\n"
	       "CPU0 (vdc):\n Reads Queued:           3,        8KiB\n\nThroughput (R/W): 0KiB/s / 0KiB/s\n"
	       "Events (vdc): 13 entries\nSkips: 0 forward (0 -   0.0%)\n",
	       "R 4096 4096 @0 #253,16\nR 35184372088832 512 @100000000000000 #253,16\nS 0 0 @24000 #253,16\n",
	       .format = "blkparse");
	assert_non_null(strstr(remarks(), "SCSI command of a program is no request"));
	assert_null(strstr(remarks(), "missing"));
	REFUSED("71000000000001 510 backupd 2048 8 W 6 0 0001\n", 1, "MAJOR,MINOR", .format = "blkparse");
	REFUSED("253,16   0        3     0.000000000   700  Q   R 8 * 8 [x]\n", 1, "SECTOR + SECTORS",
		.format = "blkparse");
}

struct record {
	uint64_t time, sector;
	uint32_t bytes;
	uint64_t action;
	uint16_t pdu;
	bool big_endian;
	unsigned version;
};

static char log_[8192];
static size_t log_size;

static void put(uint64_t v, size_t size, bool big_endian)
{
	for (size_t i = 0; i < size; i++)
		log_[log_size + i] = (char)(v >> 8 * (big_endian ? size - 1 - i : i));
	log_size += size;
}

static void put_record(struct record r)
{
	bool e = r.big_endian;

	put(0x65617400 | r.version, 4, e);
	put(1, 4, e);
	put(r.time, 8, e);
	put(r.sector, 8, e);
	put(r.bytes, 4, e);
	if (r.version == 8)
		put(7, 4, e);
	put(r.action, r.version == 8 ? 8 : 4, e);
	if (r.version == 7)
		put(7, 4, e);
	put(8 << 20 | 16, 4, e);
	put(0, 4, e);
	put(0, 2, e);
	put(r.pdu, 2, e);
	if (r.version == 8) {
		put(0, 8, e);
		put(0, 4, e);
	}
	memset(log_ + log_size, 'x', r.pdu);
	log_size += r.pdu;
}

enum { READ = 1 << 16, WRITE = 2 << 16, FLUSH = 4 << 16, PC = 1 << 25, NOTIFY = 1 << 26, DISCARD = 1 << 29 };

static void records_of_both_versions_and_byte_orders_are_read(void **state _unused_)
{
	for (unsigned i = 0; i < 4; i++) {
		bool e = i & 1;
		unsigned v = i & 2 ? 7 : 8;

		log_size = 0;
		put_record((struct record){100, 8, 4096, 1 | READ, 0, e, v});
		put_record((struct record){0, 0, 0, 1 | (uint64_t)NOTIFY, 13, e, v});
		put_record((struct record){200, 16, 512, 0x101 | WRITE, 8, e, v});
		put_record((struct record){250, 16, 512, 7 | WRITE, 0, e, v});
		put_record((struct record){300, 24, 1024, 1 | WRITE | FLUSH, 0, e, v});
		put_record((struct record){400, 32, 1 << 20, 1 | WRITE | DISCARD, 0, e, v});
		put_record((struct record){500, 0, 0, 1 | FLUSH, 0, e, v});
		put_record((struct record){600, 0, 36, 1 | READ | (uint64_t)PC, 0, e, v});
		expect_import(log_, log_size, &(struct import_options){.format = "blktrace"},
			      "R 4096 4096 @0 #8,16\nW 8192 512 @100 #8,16\nS 0 0 @200 #8,16\nW 12288 1024 @200 #8,16\n"
			      "T 16384 1048576 @300 #8,16\nS 0 0 @400 #8,16\n");
		expect_import(log_, log_size, &(struct import_options){.format = "blktrace", .event = "D"},
			      "W 8192 512 @0 #8,16\n");
		expect_import(log_, log_size, &(struct import_options){.format = "auto", .ops = 1 << OP_READ},
			      "R 4096 4096 @0 #8,16\n");
		assert_string_equal(summary.format, "blktrace");
	}
}

static void zones_are_appended_to_or_are_no_requests(void **state _unused_)
{
	log_size = 0;
	put_record((struct record){1, 8, 512, 1 | WRITE | UINT64_C(1) << 32, 0, false, 8});
	put_record((struct record){2, 8, 512, 1 | WRITE | UINT64_C(1) << 33, 0, false, 8});
	expect_import(log_, log_size, &(struct import_options){.format = "blktrace"}, "W 4096 512 @0 #8,16\n");
	assert_non_null(strstr(remarks(), "1 command to a zone is no request"));
}

static void an_empty_record_has_no_place_and_other_events_are_told(void **state _unused_)
{
	log_size = 0;
	put_record((struct record){1, UINT64_MAX, 0, 7 | WRITE | FLUSH, 0, false, 7});
	put_record((struct record){2, 8, 512, 7 | READ, 0, false, 7});
	expect_import(log_, log_size, &(struct import_options){.format = "blktrace", .event = "D"},
		      "S 0 0 @0 #8,16\nR 4096 512 @1 #8,16\n");
	expect_import(log_, log_size, &(struct import_options){.format = "blktrace"}, "");
	assert_non_null(strstr(remarks(), "2 requests are there as they were issued"));
}

static void damage_is_refused_or_passed_over(void **state _unused_)
{
	log_size = 0;
	put_record((struct record){1, 8, 512, 1 | READ, 0, false, 7});
	put(0x6b6e756a, 4, false);
	put_record((struct record){2, 16, 512, 1 | READ, 3, false, 7});
	expect_refused(log_, log_size, &(struct import_options){.format = "blktrace"}, 0, "byte 48: no record");
	expect_import(log_, log_size, &(struct import_options){.format = "blktrace", .lenient = true},
		      "R 4096 512 @0 #8,16\nR 8192 512 @1 #8,16\n");
	assert_int_equal(summary.bad, 1);
	expect_refused(log_, 48 + 20, &(struct import_options){.format = "blktrace"}, 0, "no record");
	log_size = 0;
	put_record((struct record){1, 8, 512, 1 | READ, 0, false, 7});
	put_record((struct record){2, 16, 512, 1 | READ, 3, false, 7});
	expect_refused(log_, log_size - 1, &(struct import_options){.format = "blktrace"}, 0, "cut off");
	expect_refused(log_, 50, &(struct import_options){.format = "blktrace"}, 0, "cut off");
	log_[0] = 6;
	expect_refused(log_, log_size, &(struct import_options){.format = "blktrace"}, 0, "version 6");
	expect_refused("", 0, &(struct import_options){.format = "blktrace"}, 1, "no record of blktrace");
	expect_refused("hello world, this is text\n", 26, &(struct import_options){.format = "blktrace"}, 0,
		       "no record");
}

static void write_file(const char *name)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(log_, 1, log_size, f), log_size);
	fclose(f);
}

static void files_of_cpus_are_merged_by_time(void **state _unused_)
{
	static const char want[][32] = {"4096 @0", "8192 @1", "12288 @2", "16384 @3"};
	char dir[] = "/tmp/blktrace.XXXXXX", base[64], name[96];
	struct import *imp;
	struct trace t = {0};
	struct fault fault = {0};

	assert_non_null(mkdtemp(dir));
	snprintf(base, sizeof(base), "%s/sda", dir);
	/* CPU 2 was off; one file is of the other byte order */
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		if (cpu == 2)
			continue;
		log_size = 0;
		if (cpu == 0)
			put_record((struct record){11, 16, 512, 1 | READ, 0, false, 7});
		if (cpu == 1) {
			put_record((struct record){10, 8, 512, 1 | READ, 0, true, 7});
			put_record((struct record){13, 32, 512, 1 | READ, 0, true, 7});
		}
		if (cpu == 3)
			put_record((struct record){12, 24, 512, 1 | READ, 2, false, 8});
		snprintf(name, sizeof(name), "%s.blktrace.%u", base, cpu);
		write_file(name);
	}
	assert_int_equal(import_open(&imp, base, &(struct import_options){.format = "auto"}, &fault), 0);
	assert_int_equal(import_rest(imp, &t, &fault), 0);
	assert_int_equal(t.count, 4);
	for (size_t i = 0; i < t.count; i++) {
		char got[32];

		snprintf(got, sizeof(got), "%ju @%jd", (uintmax_t)req_offset(t.req[i]), (intmax_t)t.time[i]);
		assert_string_equal(got, want[i]);
	}
	import_free(imp);
	trace_fini(&t);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		snprintf(name, sizeof(name), "%s.blktrace.%u", base, cpu);
		unlink(name);
	}
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_letters_of_rwbs_say_what_moves),
	    cmocka_unit_test(one_event_of_a_request_is_chosen),
	    cmocka_unit_test(events_that_are_there_in_place_of_the_chosen_one_are_told),
	    cmocka_unit_test(an_empty_event_has_no_place),
	    cmocka_unit_test(events_that_blktrace_lost_are_told),
	    cmocka_unit_test(what_else_blkparse_prints_is_no_error),
	    cmocka_unit_test(records_of_both_versions_and_byte_orders_are_read),
	    cmocka_unit_test(zones_are_appended_to_or_are_no_requests),
	    cmocka_unit_test(an_empty_record_has_no_place_and_other_events_are_told),
	    cmocka_unit_test(damage_is_refused_or_passed_over),
	    cmocka_unit_test(files_of_cpus_are_merged_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
