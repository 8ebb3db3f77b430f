/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "helper.h"

#define V2 "fio version 2 iolog\n"
#define V3 "fio version 3 iolog\n"

static void version_2_has_requests_in_bytes_and_waits_in_ms_since_the_start(void **state _unused_)
{
	EXPECT(V2
	       "/v add\n/v open\n/v read 0 4096\n/v wait 1000 0\n/v read 12288 8192\n/v wait 1500 7\n/v wait 1200 0\n"
	       "/v trim 0 2147483648\n/v close\n",
	       "R 0 4096 #/v\nR 12288 8192 @1000000000 #/v\nT 0 2147483648 @1500000000 #/v\n", .format = "fio");
	EXPECT(V2 "/v add\n/v open\n/v wait 1000 0\n/v read 12288 8192\n/v wait 1500 7\n/v read 0 512\n",
	       "R 12288 8192 @0 #/v\nR 0 512 @500000000 #/v\n", .format = "fio");
}

static void version_3_has_times_in_us_before_each_line(void **state _unused_)
{
	EXPECT(V3 "25 /v add\n147 /v open\n151 /v read 61440 4096\n190 /v write 491520 4096\n184 /v read 4096 512\n"
		  "4000001 /v trim 0 1048576\n4000200 /v sync 0 0\n4000201 /v datasync 7 8\n4000300 /v close\n",
	       "R 61440 4096 @0 #/v\nW 491520 4096 @39000 #/v\nR 4096 512 @33000 #/v\nT 0 1048576 @3999850000 #/v\n"
	       "S 0 0 @4000049000 #/v\nD 7 8 @4000050000 #/v\n",
	       .format = "fio");
	assert_int_equal(summary.backwards, 1);
	assert_int_equal(summary.span, 4000050000);
}

static void a_time_before_the_first_becomes_0(void **state _unused_)
{
	EXPECT(V3 "1 /v add\n500 /v read 0 1\n400 /v read 1 1\n", "R 0 1 @0 #/v\nR 1 1 @0 #/v\n", .format = "fio");
	assert_non_null(strstr(remarks(), "1 lies before the first and became 0"));
	assert_int_equal(summary.span, 100000);
}

static void names_may_hold_blanks(void **state _unused_)
{
	EXPECT(V3
	       "1 /srv/odd read 7 8 name add\n1 /srv/odd read 7 8 name open\n2 /srv/odd read 7 8 name read 4096 512\n",
	       "R 4096 512 @0 #/srv/odd read 7 8 name\n", .format = "fio");
}

static void several_files_have_a_column(void **state _unused_)
{
	static const char log[] =
	    V2 "/b add\n/c add\n/b open\n/c open\n/b read 0 4096\n/c read 0 8192\n/b read 4096 4096\n";

	EXPECT(log, "R 0 4096 #/b\nR 0 8192 #/c\nR 4096 4096 #/b\n", .format = "fio");
	assert_int_equal(summary.files, 2);
	assert_non_null(strstr(remarks(), "2 files or devices"));
	EXPECT(log, "R 0 8192 #/c\n", .format = "fio", .path = "*c");
	assert_non_null(strstr(remarks(), "2 requests of other files or devices are left out"));
	EXPECT(log, "", .format = "fio", .path = "/d");
	assert_non_null(strstr(remarks(), "left out: '/b', '/c'"));
}

static void ops_that_are_not_wanted_are_counted(void **state _unused_)
{
	EXPECT(V2 "/v add\n/v read 0 1\n/v sync 0 0\n/v trim 5 6\n/v trim 5 6\n", "R 0 1 #/v\n", .format = "fio",
	       .ops = IMPORT_OPS_DEFAULT);
	assert_non_null(strstr(remarks(), "left out: 2 trim, 1 sync"));
}

static void numbers_have_64_bits(void **state _unused_)
{
	EXPECT(V3 "1 /v add\n9999999999999 /v read 5497558138880 4294967296\n", "R 5497558138880 4294967296 @0 #/v\n",
	       .format = "fio");
	REFUSED(V3 "1 /v read 9223372036854775807 1\n", 2, "pass 2^63", .format = "fio");
	REFUSED(V3 "1 /v read 18446744073709551616 1\n", 2, "offset '18446744073709551616'", .format = "fio");
	REFUSED(V3 "9223372036854776 /v read 0 1\n", 2, "time", .format = "fio");
	REFUSED(V2 "/v read -4096 1\n", 2, "a sign is not allowed", .format = "fio");
}

static void what_is_not_quite_right_is_told(void **state _unused_)
{
	EXPECT(V3 "7 /v read 3000 4096\n", "R 3000 4096 @0 #/v\n", .format = "fio");
	assert_non_null(strstr(remarks(), "without add and open"));
	EXPECT(V3 "1 /v add\n3 /v wait 1000 0\n4 /v read 0 1\n", "R 0 1 @0 #/v\n", .format = "fio");
	assert_non_null(strstr(remarks(), "1 wait line is ignored"));
	EXPECT(V2 "/v add\n/v read 0 4096", "R 0 4096 #/v\n", .format = "fio");
	assert_non_null(strstr(remarks(), "no newline"));
	EXPECT(V3 "1 /v add\n9 /v read 0 1\n" V3 "1 /v add\n2 /v read 5 1\n", "R 0 1 @0 #/v\nR 5 1 @0 #/v\n",
	       .format = "fio");
	assert_non_null(strstr(remarks(), "appended"));
}

static void what_is_wrong_is_refused_with_its_line(void **state _unused_)
{
	REFUSED(V2 "/v add\n/v read 40", 3, "'/v read 40'", .format = "fio");
	REFUSED(V3 "1 /v add\n5 /v frobnicate 0 4096\n", 3, "frobnicate", .format = "fio");
	REFUSED(V3 "/v add\n", 2, "NAME ACTION", .format = "fio");
	REFUSED(V3 "x /v add\n", 2, "time 'x'", .format = "fio");
	REFUSED(V2 "/v read 0x10 1\n", 2, "hex", .format = "fio");
	REFUSED(V2 "add\n", 2, "NAME ACTION", .format = "fio");
	REFUSED("fio version 4 iolog\n", 1, "versions 2 and 3", .format = "fio");
	REFUSED("fio version 3 iolog.\n", 1, "versions 2 and 3", .format = "fio");
	REFUSED("0, 4096, 8192\n", 1, "expected 'fio version 2 iolog'", .format = "fio");
	REFUSED("0, 4096, 8192\n", 1, "expected 'fio version 2 iolog'", .format = "fio", .lenient = true);
	REFUSED("", 1, "empty", .format = "fio");
}

static void a_header_alone_is_an_empty_trace(void **state _unused_)
{
	EXPECT(V3, "", .format = "fio");
}

static void lenient_counts_and_keeps_the_first_five(void **state _unused_)
{
	EXPECT(V2 "/v add\na\nb\n/v read 0 1\nc\nd\ne\nf\n/v read 1 1\n", "R 0 1 #/v\nR 1 1 #/v\n", .format = "fio",
	       .lenient = true);
	assert_int_equal(summary.bad, 6);
	assert_int_equal(summary.odd[4].line, 8);
	assert_non_null(strstr(remarks(), "6 lines are left out"));
	assert_non_null(strstr(remarks(), "line 3: line 'a'"));
	assert_null(strstr(remarks(), "line 9:"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(version_2_has_requests_in_bytes_and_waits_in_ms_since_the_start),
	    cmocka_unit_test(version_3_has_times_in_us_before_each_line),
	    cmocka_unit_test(a_time_before_the_first_becomes_0),
	    cmocka_unit_test(names_may_hold_blanks),
	    cmocka_unit_test(several_files_have_a_column),
	    cmocka_unit_test(ops_that_are_not_wanted_are_counted),
	    cmocka_unit_test(numbers_have_64_bits),
	    cmocka_unit_test(what_is_not_quite_right_is_told),
	    cmocka_unit_test(what_is_wrong_is_refused_with_its_line),
	    cmocka_unit_test(a_header_alone_is_an_empty_trace),
	    cmocka_unit_test(lenient_counts_and_keeps_the_first_five),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
