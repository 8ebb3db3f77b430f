/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/smallfile.h"

static char path[] = "/tmp/smallfile-test.XXXXXX";

static int set_up(void **state _unused_)
{
	_cleanup_close_ int fd = mkstemp(path);

	return fd < 0 ? -1 : 0;
}

static int tear_down(void **state _unused_)
{
	return unlink(path);
}

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void reads_what_fits(void **state _unused_)
{
	char text[5] = "old";

	put("abcdefg");
	assert_int_equal(smallfile_read(path, text, sizeof(text)), 4);
	assert_string_equal(text, "abcd");
	put("");
	assert_int_equal(smallfile_read(path, text, sizeof(text)), 0);
	assert_string_equal(text, "");
}

static void a_file_that_is_not_there_is_an_empty_text(void **state _unused_)
{
	char text[5] = "old";

	assert_int_equal(smallfile_read("/nowhere/at/all", text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	assert_true(smallfile_number("/nowhere/at/all", "") == SMALLFILE_NONE);
}

static void finds_the_number_behind_a_word_that_begins_a_line(void **state _unused_)
{
	put("oom_max 1\nmax_of_all 5\nmax 22\nMemFree:\t  333 kB\nlast 4");
	assert_int_equal(smallfile_number(path, "max"), 22);
	assert_int_equal(smallfile_number(path, "MemFree"), 333);
	assert_int_equal(smallfile_number(path, "last"), 4);
	assert_true(smallfile_number(path, "Free") == SMALLFILE_NONE);
}

static void without_a_word_the_file_begins_with_it(void **state _unused_)
{
	put("18446744073709551614\n");
	assert_true(smallfile_number(path, "") == UINT64_MAX - 1);
	put("max\n");
	assert_true(smallfile_number(path, "") == SMALLFILE_NONE);
	put("99999999999999999999\n");
	assert_true(smallfile_number(path, "") == SMALLFILE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_fits),
		cmocka_unit_test(a_file_that_is_not_there_is_an_empty_text),
		cmocka_unit_test(finds_the_number_behind_a_word_that_begins_a_line),
		cmocka_unit_test(without_a_word_the_file_begins_with_it),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
