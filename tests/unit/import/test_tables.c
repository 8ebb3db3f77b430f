/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published traces and csv: columns, units, and which code is a read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "helper.h"

static void spc_has_blocks_bytes_and_seconds(void **state _unused_)
{
	EXPECT("0,40960,8192,W,0.004120\n1, 512,4096,r,0.004377,note, more\n0,0,0,R,1\n",
	       "W 20971520 8192 @0 #0\nR 262144 4096 @257000 #1\nR 0 0 @995880000 #0\n", .format = "spc");
	REFUSED("0,1000,4096,R,0.1\n2,77000,4096,W,3 120009\n", 2, "time '3 120009'", .format = "spc");
	REFUSED("0,1000,4096,R,0.1\n0,1008,4096,X,0.2\n", 2, "operation 'X'", .format = "spc");
	REFUSED("0,1000,4096,R,0.1\n0,1008,4096,T,0.2\n", 2, "operation 'T'", .format = "spc");
	REFUSED("0,1000,4096,R,0.1\n0,1008,4096\n", 2, "3 fields", .format = "spc");
	REFUSED("0,1000,4096,R,0.1\n0,-8,4096,R,0.2\n", 2, "sign", .format = "spc");
	REFUSED("0,36028797018963968,4096,R,0.2\n", 1, "2^63", .format = "spc");
	REFUSED("3,R,8388608,4096,1577900000000046\n", 1, "offset 'R'", .format = "spc");
	REFUSED("", 1, "empty", .format = "spc");
	REFUSED("# nothing\n\n", 1, "ASU,LBA", .format = "spc");
}

static void msr_has_ticks_of_100_ns_that_no_double_holds(void **state _unused_)
{
	EXPECT("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\r\n"
	       "128200000003061629,a-rather-long-host-name,0,Read,7077888,4096,26000\r\n"
	       "128200000003061630,a-rather-long-host-name,0,write,7081984,8192,113\r\n"
	       "128199999999999999,a-rather-long-host-name,1,READ,1099511627776,512,",
	       "R 7077888 4096 @0 #a-rather-long-host-name_0\nW 7081984 8192 @100 #a-rather-long-host-name_0\n"
	       "R 1099511627776 512 @0 #a-rather-long-host-name_1\n",
	       .format = "msr");
	assert_int_equal(summary.backwards, 1);
	REFUSED("3,R,8388608,4096,1577900000000046\n", 1, "5 fields", .format = "msr");
	REFUSED("1,h,0,R,8388608,4096,1\n", 1, "neither Read nor Write", .format = "msr");
	REFUSED("0,h,0,Read,8388608,4096,1\n18446744073709551615,h,0,Read,8388608,4096,1\n", 2, "too far",
		.format = "msr");
	/* a header is the first line only */
	REFUSED("1,h,0,Read,8,4096,1\nTimestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", 2, "'Offset'",
		.format = "msr");
}

static void alibaba_has_bytes_and_microseconds(void **state _unused_)
{
	EXPECT("7,W,73728,16384,1577809999000123\n8,R,0,512,1577809999000223\n",
	       "W 73728 16384 @0 #7\nR 0 512 @100000 #8\n", .format = "alibaba");
}

static void tencent_has_sectors_whole_seconds_and_0_for_a_read(void **state _unused_)
{
	EXPECT("1538323299,8192,16,1,1290\n1538323300,1,2,0,1290\n",
	       "W 4194304 8192 @0 #1290\nR 512 1024 @1000000000 #1290\n", .format = "tencent");
	REFUSED("1538323299,8192,16,2,1290\n", 1, "neither 0 nor 1", .format = "tencent");
}

static void systor_has_rows_that_are_no_requests(void **state _unused_)
{
	EXPECT("Timestamp,Response,IOType,LUN,Offset,Size\n1455600000.013245000,0.000412,R,3,786432,4096\n"
	       "1455600000.013246000,,,3,5,6\n1455600001.013245,,W,3,0,512\n",
	       "R 786432 4096 @0 #3\nW 0 512 @1000000000 #3\n", .format = "systor");
	assert_non_null(strstr(remarks(), "1 row without a direction is no request"));
}

static void disksim_has_milliseconds_and_a_bit_for_reads(void **state _unused_)
{
	EXPECT("12.500000 0 409600 16 1\n13.500001   1\t5 6 0\n14 1 1 1 b\n",
	       "R 209715200 8192 @0 #0\nW 2560 3072 @1000001 #1\nR 512 512 @1500000 #1\n", .format = "disksim");
	REFUSED("12.5 0 1 1 r\n", 1, "hex", .format = "disksim");
}

static void fiu_has_process_names_with_blanks(void **state _unused_)
{
	EXPECT("880012 411 demo 90112 8 W 6 0 0f0f\n880112 411 two words 5 90112 8 R 6 0 0f0f\n",
	       "W 46137344 4096 @0 #6 0\nR 46137344 4096 @100 #6 0\n", .format = "fiu");
	REFUSED("880012 411 90112 8 W 6 0 0f0f\n", 1, "fields are missing", .format = "fiu");
	REFUSED("880012 411 x 90112 8 1 6 0 0f0f\n", 1, "neither R nor W", .format = "fiu");
}

static void csv_has_the_columns_that_are_named(void **state _unused_)
{
	EXPECT("1500,r,3,8,x\n2500,FLUSH,0,0,y\n", "R 1536 32768 @0 #x\nS 0 0 @1000000000 #y\n", .format = "csv",
	       .csv_columns = "time:ms,op,offset:512,length:p,file");
	EXPECT("name;offs;rw\nx;7;1\n\"y;z\";8;0\n", "R 28672 4096\nW 32768 4096\n", .format = "csv",
	       .csv_columns = "-,offset:p,op:read1");
	EXPECT("1 2 3\n4\t5 6\n", "R 1 2\nR 4 5\n", .format = "csv", .csv_columns = "offset,length");
	REFUSED("1 2 3\n4\n", 2, "at least 2", .format = "csv", .csv_columns = "offset,length");
	REFUSED("1,2\n1,0x2\n", 2, "length '0x2': hex", .format = "csv", .csv_columns = "offset,length");
	REFUSED("1,8589934592\n", 1, "2^63", .format = "csv", .csv_columns = "length,offset:g");
}

static void csv_names_its_columns_in_the_first_line(void **state _unused_)
{
	EXPECT("Time:us,Op,whatever,Offset,Length,File\n5,read,?,4096,512,\"a \"\"b\"\", c\"\n,trim,?,0,1,d\n",
	       "R 4096 512 @0 #a \"b\", c\nT 0 1 #d\n", .format = "csv");
	EXPECT("timestamp,offset,-,size\n7,8,9,10\n", "R 8 4096\n", .format = "csv");
	assert_non_null(strstr(remarks(), "2 columns have other names"));
	REFUSED("time,op,start,length\n", 1, "--csv-columns", .format = "csv");
	REFUSED("offset,offset\n", 1, "twice", .format = "csv");
}

static void columns_are_checked_before_a_file_is_opened(void **state _unused_)
{
	static const char *const bad[] = {"offset,offset",
					  "length",
					  "",
					  "offset,speed",
					  "time:h,offset",
					  "offset:0",
					  "offset:q",
					  "op:read2,offset",
					  "offset,file:x",
					  "file,file,file,offset"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct import_options o = {.format = "csv", .csv_columns = bad[i]};
		struct fault fault = {0};

		if (import_check(&o, &fault) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_true(fault.text[0]);
	}
}

static void a_wrong_unit_is_smelt(void **state _unused_)
{
	EXPECT("0,1000000\n0,1000001\n0,1000002\n0,1000003\n0,1000004\n0,1000005\n0,1000006\n0,1000007\n0,1000008\n0,"
	       "2000000\n",
	       "R 0 4096 @0\nR 0 4096 @1000000000\nR 0 4096 @2000000000\nR 0 4096 @3000000000\nR 0 4096 @4000000000\n"
	       "R 0 4096 @5000000000\nR 0 4096 @6000000000\nR 0 4096 @7000000000\nR 0 4096 @8000000000\n"
	       "R 0 4096 @1000000000000000\n",
	       .format = "csv", .csv_columns = "offset,time");
	assert_non_null(strstr(remarks(), "11 days at 0 requests/s: is the unit of the times right?"));
	EXPECT("0,0\n0,1\n0,2\n", "R 0 4096 @0\nR 0 4096 @1000000000\nR 0 4096 @2000000000\n", .format = "csv",
	       .csv_columns = "offset,time");
	assert_string_equal(remarks(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spc_has_blocks_bytes_and_seconds),
	    cmocka_unit_test(msr_has_ticks_of_100_ns_that_no_double_holds),
	    cmocka_unit_test(alibaba_has_bytes_and_microseconds),
	    cmocka_unit_test(tencent_has_sectors_whole_seconds_and_0_for_a_read),
	    cmocka_unit_test(systor_has_rows_that_are_no_requests),
	    cmocka_unit_test(disksim_has_milliseconds_and_a_bit_for_reads),
	    cmocka_unit_test(fiu_has_process_names_with_blanks),
	    cmocka_unit_test(csv_has_the_columns_that_are_named),
	    cmocka_unit_test(csv_names_its_columns_in_the_first_line),
	    cmocka_unit_test(columns_are_checked_before_a_file_is_opened),
	    cmocka_unit_test(a_wrong_unit_is_smelt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
