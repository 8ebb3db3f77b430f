/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where memory cgroups are, from files as proc has them; the mounts are folders of the test. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cgroupfs.h"
#include "base/macro.h"

static char folder[] = "/tmp/test_cgroupfs.XXXXXX";

static int enter(void **state _unused_)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir("proc", 0755) == 0 && mkdir("proc/self", 0755) == 0 ? 0 : -1;
}

static int leave(void **state _unused_)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") || system(command);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A line of mountinfo for DIR below the folder of the test. */
static void add_mount(const char *root, const char *dir, const char *type, const char *options)
{
	FILE *f = fopen("proc/self/mountinfo", "a");

	assert_non_null(f);
	fprintf(f, "30 24 0:26 %s %s/%s rw,nosuid shared:9 master:2 - %s %s rw,%s\n", root, folder, dir, type, type, options);
	assert_int_equal(fclose(f), 0);
}

static void expect_folder(const char *got, const char *want)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, want);
	assert_string_equal(got, path);
}

static void finds_the_hierarchy_of_v1_that_has_memory(void **state _unused_)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	struct fault fault;

	add_mount("/", "cpu", "cgroup", "cpu,cpuacct");
	add_mount("/", "memory", "cgroup", "memory");
	put("proc/self/cgroup", "4:memory:/a/b\n1:cpu,cpuacct:/c\n0::/d\n");
	assert_int_equal(system("mkdir -p memory/a/b"), 0);
	assert_int_equal(cgroupfs_find(&c, "proc", &fault), 0);
	assert_false(c.v2);
	expect_folder(c.mount, "memory");
	expect_folder(c.own, "memory/a/b");
}

static void finds_v2_where_it_has_the_controller(void **state _unused_)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	struct fault fault;

	add_mount("/", "all", "cgroup2", "nsdelegate");
	put("proc/self/cgroup", "0::/user.slice/x.scope\n");
	assert_int_equal(system("mkdir -p all/user.slice/x.scope"), 0);
	put("all/cgroup.controllers", "cpuset cpu io memory pids\n");
	assert_int_equal(cgroupfs_find(&c, "proc", &fault), 0);
	assert_true(c.v2);
	expect_folder(c.own, "all/user.slice/x.scope");
}

static void passes_over_a_v2_without_the_controller(void **state _unused_)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	struct fault fault;

	add_mount("/", "unified", "cgroup2", "x");
	add_mount("/", "memory", "cgroup", "memory");
	put("proc/self/cgroup", "4:memory:/\n0::/\n");
	assert_int_equal(system("mkdir unified memory"), 0);
	put("unified/cgroup.controllers", "cpu memory_x\n");
	assert_int_equal(cgroupfs_find(&c, "proc", &fault), 0);
	assert_false(c.v2);
	expect_folder(c.own, "memory");
}

static void says_that_there_is_none(void **state _unused_)
{
	struct cgroupfs c;
	struct fault fault;

	assert_int_equal(cgroupfs_find(&c, "proc", &fault), -ENOENT);
	add_mount("/", "cpu", "cgroup", "cpu");
	put("proc/self/cgroup", "1:cpu:/\n");
	assert_int_equal(cgroupfs_find(&c, "proc", &fault), -ENOENT);
	assert_non_null(strstr(fault.text, "memory controller"));
	assert_null(c.mount);
}

/* Which files can be opened with so many descriptors more than there are: none, or only the first of two. */
static void too_many_open_files_are_no_missing_hierarchy(void **state _unused_)
{
	struct rlimit was, few;
	struct cgroupfs c;
	struct fault fault;

	add_mount("/", "memory", "cgroup", "memory");
	put("proc/self/cgroup", "4:memory:/\n");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	for (rlim_t more = 0; more < 2; more++) {
		int next = dup(0), r;

		assert_true(next >= 0);
		close(next);
		few = (struct rlimit){(rlim_t)next + more, was.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		r = cgroupfs_find(&c, "proc", &fault);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
		assert_int_equal(r, -EMFILE);
		assert_non_null(strstr(fault.text, more ? "proc/self/cgroup: Too many" : "proc/self/mountinfo: Too many"));
	}
}

static void a_mounted_part_is_the_part_below_its_root(void **state _unused_)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	struct fault fault;

	add_mount("/box/7", "mem\\040ory", "cgroup", "memory");
	put("proc/self/cgroup", "4:memory:/box/7/in\n");
	assert_int_equal(system("mkdir -p 'mem ory/in'"), 0);
	assert_int_equal(cgroupfs_find(&c, "proc", &fault), 0);
	expect_folder(c.mount, "mem ory");
	expect_folder(c.own, "mem ory/in");
}

static void a_place_outside_of_the_mount_is_taken_for_its_beginning(void **state _unused_)
{
	static const char *const paths[] = {"4:memory:/box/77/in\n", "4:memory:/elsewhere\n", "4:memory:/box/7/../8\n",
					    "4:memory:/box/7/gone\n"};

	add_mount("/box/7", "memory", "cgroup", "memory");
	assert_int_equal(system("mkdir -p memory/in memory/elsewhere 8"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_(cgroupfs_fini) struct cgroupfs c;
		struct fault fault;

		put("proc/self/cgroup", paths[i]);
		assert_int_equal(cgroupfs_find(&c, "proc", &fault), 0);
		expect_folder(c.own, "memory");
	}
}

static void a_group_is_named_by_its_folder_or_below_the_mount(void **state _unused_)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	_cleanup_free_ char *by_slash = NULL, *by_name = NULL, *by_path = NULL, *none = NULL, *path = NULL;
	struct fault fault;

	add_mount("/", "memory", "cgroup", "memory");
	put("proc/self/cgroup", "4:memory:/\n");
	assert_int_equal(system("mkdir -p memory/a/b"), 0);
	assert_int_equal(cgroupfs_find(&c, "proc", &fault), 0);
	by_slash = cgroupfs_group(&c, "/a/b", &fault);
	by_name = cgroupfs_group(&c, "a/b", &fault);
	assert_true(asprintf(&path, "%s/memory/a/b", folder) > 0);
	by_path = cgroupfs_group(&c, path, &fault);
	expect_folder(by_slash, "memory/a/b");
	expect_folder(by_name, "memory/a/b");
	expect_folder(by_path, "memory/a/b");
	none = cgroupfs_group(&c, "a/c", &fault);
	assert_null(none);
	assert_non_null(strstr(fault.text, "a/c"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(finds_the_hierarchy_of_v1_that_has_memory),
	    TEST(finds_v2_where_it_has_the_controller),
	    TEST(passes_over_a_v2_without_the_controller),
	    TEST(says_that_there_is_none),
	    TEST(too_many_open_files_are_no_missing_hierarchy),
	    TEST(a_mounted_part_is_the_part_below_its_root),
	    TEST(a_place_outside_of_the_mount_is_taken_for_its_beginning),
	    TEST(a_group_is_named_by_its_folder_or_below_the_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
