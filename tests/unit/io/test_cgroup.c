/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory cgroups of v2 as files have them, for what this machine's own do not show; those it has are played in by
 * tests/cli/iotrace-cgroup.bats.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "io/cgroup.h"

static char base[] = "/tmp/test_cgroup.XXXXXX";

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect_text(const char *path, const char *want)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fgets(text, sizeof(text), f) || !*want);
	fclose(f);
	assert_string_equal(text, want);
}

/* /: user/app, in which the process is. Only what subtree_control says has the controller. */
static int enter(void **state _unused_)
{
	char line[256];

	strcpy(base + sizeof(base) - 7, "XXXXXX");
	if (!mkdtemp(base) || chdir(base) < 0 || system("mkdir -p proc/self cg/user/app") != 0)
		return -1;
	snprintf(line, sizeof(line), "30 24 0:26 / %s/cg rw - cgroup2 cgroup2 rw\n", base);
	put("proc/self/mountinfo", line);
	put("proc/self/cgroup", "0::/user/app\n");
	put("cg/cgroup.controllers", "cpu memory pids\n");
	put("cg/cgroup.subtree_control", "cpu memory\n");
	put("cg/user/cgroup.subtree_control", "cpu memory pids\n");
	put("cg/user/app/cgroup.subtree_control", "\n");
	put("cg/user/cgroup.procs", "");
	put("cg/user/app/cgroup.procs", "");
	return 0;
}

static int leave(void **state _unused_)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", base);
	return chdir("/") || system(command);
}

static void expect_place(const char *want)
{
	_cleanup_free_ char *place = NULL;
	struct fault fault;

	assert_int_equal(cgroup_place(&place, "proc", &fault), 0);
	assert_int_equal(strncmp(place, base, strlen(base)), 0);
	assert_string_equal(place + strlen(base), want);
}

static void a_group_is_made_where_the_controller_is_given_to_it(void **state _unused_)
{
	expect_place("/cg/user");
	put("cg/user/app/cgroup.subtree_control", "memory\n");
	expect_place("/cg/user/app");
	put("cg/user/app/cgroup.subtree_control", "cpu\n");
	put("cg/user/cgroup.subtree_control", "cpu\n");
	expect_place("/cg");
}

static void no_group_is_made_where_nobody_gives_it(void **state _unused_)
{
	char *place = NULL;
	struct fault fault;

	put("cg/user/cgroup.subtree_control", "cpu\n");
	put("cg/cgroup.subtree_control", "memory_of_mine\n");
	assert_int_equal(cgroup_place(&place, "proc", &fault), -ENOENT);
	assert_non_null(strstr(fault.text, "subtree_control"));
	assert_null(place);
}

static void a_name_that_is_taken_is_not_used(void **state _unused_)
{
	_cleanup_free_ char *first = cgroup_name("cg", "tool"), *second = NULL;

	assert_non_null(strstr(first, "cg/tool-"));
	assert_int_equal(mkdir(first, 0755), 0);
	second = cgroup_name("cg", "tool");
	assert_string_not_equal(first, second);
	assert_int_equal(strncmp(first, second, strlen(first)), 0);
}

/* A folder that is no cgroup has no file to take a limit. */
static void a_limit_that_is_refused_leaves_nothing_behind(void **state _unused_)
{
	struct cgroup g;
	struct fault fault;

	assert_int_equal(cgroup_make(&g, "cg/new", UINT64_C(64) << 20, &fault), -ENOENT);
	assert_non_null(strstr(fault.text, "refuses a limit of 67108864 bytes"));
	assert_null(g.folder);
	assert_int_equal(access("cg/new", F_OK), -1);
}

static void a_group_that_is_there_is_joined_and_left_and_stays(void **state _unused_)
{
	struct cgroup g;
	struct cgroup_usage u;
	struct fault fault;

	put("cg/user/memory.max", "67108864\n");
	put("cg/user/memory.current", "4096\n");
	put("cg/user/memory.events", "low 0\nhigh 1\nmax 7\noom 0\n");
	assert_int_equal(cgroup_open(&g, "proc", "/user", &fault), 0);
	assert_true(g.v2);
	assert_false(g.made);
	assert_int_equal(g.limit, 67108864);
	cgroup_usage(&g, &u);
	assert_int_equal(u.now, 4096);
	assert_int_equal(u.at_limit, 7);
	assert_true(u.peak == UINT64_MAX);
	assert_int_equal(cgroup_enter(&g, "proc", &fault), 0);
	expect_text("cg/user/cgroup.procs", "0");
	expect_text("cg/user/app/cgroup.procs", "");
	assert_int_equal(cgroup_leave(&g, &fault), 0);
	expect_text("cg/user/app/cgroup.procs", "0");
	assert_int_equal(cgroup_close(&g, &fault), 0);
	assert_int_equal(access("cg/user", F_OK), 0);
}

static void no_limit_is_not_a_number(void **state _unused_)
{
	struct cgroup g;
	struct fault fault;

	put("cg/user/memory.max", "max\n");
	assert_int_equal(cgroup_open(&g, "proc", "user", &fault), 0);
	assert_true(g.limit == UINT64_MAX);
	assert_int_equal(cgroup_close(&g, &fault), 0);
}

static void a_folder_that_is_no_cgroup_is_refused(void **state _unused_)
{
	struct cgroup g;
	struct fault fault;

	assert_int_equal(mkdir("cg/none", 0755), 0);
	assert_int_equal(cgroup_open(&g, "proc", "none", &fault), -ENOENT);
	assert_non_null(strstr(fault.text, "is not a cgroup"));
	assert_int_equal(cgroup_open(&g, "proc", "nosuch", &fault), -ENOENT);
	assert_null(g.folder);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_group_is_made_where_the_controller_is_given_to_it),
	    TEST(no_group_is_made_where_nobody_gives_it),
	    TEST(a_name_that_is_taken_is_not_used),
	    TEST(a_limit_that_is_refused_leaves_nothing_behind),
	    TEST(a_group_that_is_there_is_joined_and_left_and_stays),
	    TEST(no_limit_is_not_a_number),
	    TEST(a_folder_that_is_no_cgroup_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
