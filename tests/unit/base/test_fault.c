/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/fault.h"

static void sets_text_and_line(void **state _unused_)
{
	struct fault f = {.line = 9, .text = "old"};

	assert_int_equal(fault_set(&f, -EINVAL, "no %s", "way"), -EINVAL);
	assert_string_equal(f.text, "no way");
	assert_int_equal(f.line, 0);
	assert_int_equal(fault_set_line(&f, -EIO, 7, "x"), -EIO);
	assert_int_equal(f.line, 7);
}

static void long_text_ends_in_dots(void **state _unused_)
{
	struct fault f;
	char text[1000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	fault_set(&f, -1, "%s", text);
	assert_int_equal(strlen(f.text), sizeof(f.text) - 1);
	assert_string_equal(f.text + sizeof(f.text) - 5, "a...");
}

static void control_characters_do_not_reach_the_terminal(void **state _unused_)
{
	struct fault f;

	fault_set(&f, -1, "a\x1b[31mb\n");
	assert_string_equal(f.text, "a?[31mb?");
}

static void quotes_foreign_text(void **state _unused_)
{
	char buf[32], small[16];

	assert_string_equal(fault_quote(buf, sizeof(buf), "a b", 3), "'a b'");
	assert_string_equal(fault_quote(buf, sizeof(buf), "1\x00\xff", 3), "'1\\x00\\xff'");
	assert_string_equal(fault_quote(small, sizeof(small), "0123456789abcdef", 16), "'0123456789...'");
	assert_string_equal(fault_quote(buf, sizeof(buf), "", 0), "''");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_text_and_line),
		cmocka_unit_test(long_text_ends_in_dots),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(quotes_foreign_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
