/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/rewrite.h"
#include "mon/source.h"

static const char *rewritten(size_t (*rewrite)(const char *, size_t, char *), const char *text)
{
	static char lines[SOURCE_LINES + 1];

	lines[rewrite(text, strlen(text), lines)] = '\0';
	return lines;
}

static void sectors_of_a_disk_become_bytes(void **state _unused_)
{
	assert_string_equal(rewritten(rewrite_disk, "   19113     1432  2626706    27416    99574    73686  3724538   116511"
						    "        2   100860   224356      229        7   798296      569    43681    79859\n"),
			    "reads 19113\nreads_merged 1432\nread_bytes 1344873472\nread_ms 27416\nwrites 99574\n"
			    "writes_merged 73686\nwrite_bytes 1906963456\nwrite_ms 116511\nin_flight 2\nbusy_ms 100860\n"
			    "queued_ms 224356\ndiscards 229\ndiscards_merged 7\ndiscard_bytes 408727552\ndiscard_ms 569\n"
			    "flushes 43681\nflush_ms 79859\n");
}

static void fields_that_a_kernel_lacks_have_no_line(void **state _unused_)
{
	assert_string_equal(rewritten(rewrite_disk, "1 2 3"), "reads 1\nreads_merged 2\nread_bytes 1536\n");
	assert_string_equal(rewritten(rewrite_disk, "1 x 3 18446744073709551616 5"), "reads 1\nread_bytes 1536\nwrites 5\n");
	assert_string_equal(rewritten(rewrite_disk, "1 2 18446744073709551615 4"), "reads 1\nreads_merged 2\nread_ms 4\n");
	assert_string_equal(rewritten(rewrite_disk, ""), "");
	assert_string_equal(rewritten(rewrite_pressure, ""), "");
	assert_string_equal(rewritten(rewrite_process, ""), "");
	assert_string_equal(rewritten(rewrite_process, "1 no parenthesis"), "");
}

static void averages_of_pressure_are_in_hundredths(void **state _unused_)
{
	assert_string_equal(rewritten(rewrite_pressure, "some avg10=0.12 avg60=2.00 avg300=100.00 total=724018457\n"
							"full avg10=0.00 avg60=0.07 avg300=1.5 total=x\n"),
			    "some:avg10 12\nsome:avg60 200\nsome:avg300 10000\nsome:total 724018457\nfull:avg10 0\nfull:avg60 7\n");
	assert_string_equal(rewritten(rewrite_pressure, "avg10=0.12 some avg= avg10=1.234 total=5 other=3\n"
							"most avg10=1.00 total=7\n"), "some:total 5\n");
}

/* proc(5) counts from 1: 10 minflt, 14 utime, 20 threads, 23 vsize, 24 rss. */
static void a_process_is_read_behind_its_name(void **state _unused_)
{
	const char *text = "4698 (a (b) 7 8 9) R 4 5 6 7 8 9 101 11 12 13 14 15 16 17 18 19 20 21 22 3133440 408 25 26 27"
			   " 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43\n";
	const long tick = 1000 / sysconf(_SC_CLK_TCK);
	char expected[512];

	snprintf(expected, sizeof(expected),
		 "minflt 101\ncminflt 11\nmajflt 12\ncmajflt 13\nutime %ld\nstime %ld\ncutime %ld\ncstime %ld\n"
		 "threads 20\nvsize 3133440\nrss 408\niowait %ld\n",
		 14 * tick, 15 * tick, 16 * tick, 17 * tick, 42 * tick);
	assert_string_equal(rewritten(rewrite_process, text), expected);
}

static void a_text_of_any_length_fits(void **state _unused_)
{
	char lines[SOURCE_LINES];
	static char text[100000];

	for (size_t i = 0; i + 20 < sizeof(text); i += 20)
		memcpy(text + i, "some avg10=1.00 \n   ", 20);
	assert_in_range(rewrite_pressure(text, sizeof(text), lines), 1, SOURCE_LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sectors_of_a_disk_become_bytes),
		cmocka_unit_test(fields_that_a_kernel_lacks_have_no_line),
		cmocka_unit_test(averages_of_pressure_are_in_hundredths),
		cmocka_unit_test(a_process_is_read_behind_its_name),
		cmocka_unit_test(a_text_of_any_length_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
