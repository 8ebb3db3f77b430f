/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/near.h"

static void distance_counts_edits(void **state _unused_)
{
	assert_int_equal(near_distance("nr_dirty", "nr_dirty"), 0);
	assert_int_equal(near_distance("", "abc"), 3);
	assert_int_equal(near_distance("abc", ""), 3);
	assert_int_equal(near_distance("nr_drity", "nr_dirty"), 1);
	assert_int_equal(near_distance("nr_dirt", "nr_dirty"), 1);
	assert_int_equal(near_distance("nr_mirty", "nr_dirty"), 1);
	assert_int_equal(near_distance("kitten", "sitting"), 3);
}

static const char *near_to(const char *asked)
{
	static const char *const names[] = {"nr_dirty", "nr_dirty_threshold", "nr_dirtied", "pgscan_kswapd", "allocstall_dma",
					    "allocstall_normal", "allocstall_dma", "allocstall_movable", "pgfault"};
	static char text[NEAR_TEXT];
	struct near near = {.asked = asked};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		near_consider(&near, names[i], strlen(names[i]));
	return near_text(&near, text);
}

static void the_nearest_names_come_first_and_once(void **state _unused_)
{
	assert_string_equal(near_to("nr_drity"), "; nearest: nr_dirty");
	assert_string_equal(near_to("pgfualt"), "; nearest: pgfault");
	assert_string_equal(near_to("PGFAULT"), "; nearest: pgfault");
	assert_string_equal(near_to("Nr_Drity"), "; nearest: nr_dirty");
	assert_string_equal(near_to("quite_other"), "");
	assert_string_equal(near_to("allocstall"), "; nearest: allocstall_dma, allocstall_normal, allocstall_movable");
	assert_string_equal(near_to("nr_dirt"), "; nearest: nr_dirty, nr_dirtied, nr_dirty_threshold");
}

static void a_name_of_any_length_and_bytes_is_answered(void **state _unused_)
{
	char longest[1000];

	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_string_equal(near_to(longest), "");
	assert_string_equal(near_to("\xff\x1b"), "");
	assert_string_equal(near_to(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distance_counts_edits),
		cmocka_unit_test(the_nearest_names_come_first_and_once),
		cmocka_unit_test(a_name_of_any_length_and_bytes_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
