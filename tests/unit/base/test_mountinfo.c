/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/mountinfo.h"

static bool parse(char *line, size_t cap, const char *text, struct mountinfo *m)
{
	snprintf(line, cap, "%s", text);
	return mountinfo_parse(line, m);
}

static void takes_a_line_apart(void **state _unused_)
{
	struct mountinfo m;
	char line[256];

	assert_true(parse(line, sizeof(line),
			  "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue\n", &m));
	assert_string_equal(m.id, "36");
	assert_string_equal(m.root, "/mnt1");
	assert_string_equal(m.point, "/mnt2");
	assert_string_equal(m.type, "ext3");
	assert_string_equal(m.source, "/dev/root");
	assert_string_equal(m.options, "rw,errors=continue");
}

static void names_keep_their_blanks_and_backslashes(void **state _unused_)
{
	struct mountinfo m;
	char line[256];

	assert_true(parse(line, sizeof(line), "1 0 0:5 / /a\\040b\\134c\\011 rw - fuse x\\040y rw", &m));
	assert_string_equal(m.point, "/a b\\c\t");
	assert_string_equal(m.source, "x y");
	/* no escapes of three octal digits of a byte */
	assert_true(parse(line, sizeof(line), "1 0 0:5 / /\\08\\4001 rw - fuse s rw", &m));
	assert_string_equal(m.point, "/\\08\\4001");
}

static void a_file_system_may_have_no_source(void **state _unused_)
{
	struct mountinfo m;
	char line[256];

	assert_true(parse(line, sizeof(line), "1 0 0:5 / /x rw - tmpfs  rw,size=1k\n", &m));
	assert_string_equal(m.type, "tmpfs");
	assert_string_equal(m.source, "");
	assert_string_equal(m.options, "rw,size=1k");
}

static void what_is_no_such_line_is_refused(void **state _unused_)
{
	static const char *const bad[] = {"", "\n", " - ", "1 0 0:5 / - ext4 /dev/sda rw", "1 0 0:5 / /x rw - ext4 /dev/sda",
					  "1 0 0:5 / /x rw ext4 /dev/sda rw"};
	struct mountinfo m;
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(parse(line, sizeof(line), bad[i], &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_a_line_apart),
		cmocka_unit_test(names_keep_their_blanks_and_backslashes),
		cmocka_unit_test(a_file_system_may_have_no_source),
		cmocka_unit_test(what_is_no_such_line_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
