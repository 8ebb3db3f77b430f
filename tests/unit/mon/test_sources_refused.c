/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of sources and fields that are not there, or may not be read. */
#include <errno.h>

#include "tree.h"

static void what_is_not_there_is_refused_with_what_is_near(void **state)
{
	struct tree *t = *state;
	char path[96];

	refuse(t, "node:7:nr_dirty", -EINVAL, "no node '7'; nearest: 0, 1");
	refuse(t, "node:x:nr_dirty", -EINVAL, "no node 'x'");
	refuse(t, "node:../node/node0:nr_dirty", -EINVAL, "no node");
	refuse(t, "node:0:nr_drity", -EINVAL, "node0/vmstat: no field 'nr_drity'; nearest: nr_dirty");
	refuse(t, "node:0:", -EINVAL, "no field ''");
	refuse(t, "node:0", -EINVAL, "node:NAME:FIELD");
	refuse(t, "disk:sdb:reads", -EINVAL, "no disk 'sdb'; nearest: sda");
	refuse(t, "disk:x*:reads", -EINVAL, "no disk 'x*'");
	refuse(t, "disk:../block/sda:reads", -EINVAL, "no disk");
	refuse(t, "pressure:disk:some:total", -EINVAL, "no pressure file 'disk'");
	refuse(t, "pid:78:majflt", -EINVAL, "no process '78'");
	refuse(t, "pid:*:majflt", -EINVAL, "one process");
	refuse(t, "pid:self:majflt", -EINVAL, "no process 'self'");
	refuse(t, "pid:77:nothing", -EINVAL, "no field 'nothing'");
	refuse(t, "cgroup:nope:nr_dirty", -EINVAL, "no memory cgroup 'nope' below ");
	refuse(t, "pressure:oi:some:avg10", -EINVAL, "no pressure file 'oi'; nearest: io");
	refuse(t, "meminfo:Dirt", -EINVAL, "meminfo: no field 'Dirt'");
	refuse(t, "sum(pressure:io:*)", -EINVAL, "adds percent and us");
	refuse(t, "foo:bar", -EINVAL, "none of the sources vmstat, node, ");
	refuse(t, "x=node:7:nr_dirty/2", -EINVAL, "x: no node '7'");
	open_columns(t, NULL);
	snprintf(path, sizeof(path), "%s/meminfo", t->proc);
	assert_int_equal(unlink(path), 0);
	refuse(t, "meminfo:Dirty", -ENOENT, "/meminfo: No such file");
}

static void the_history_of_vmstat_is_not_told_of_others(void **state)
{
	struct tree *t = *state;
	struct fault fault;

	assert_int_equal(columns_add(&t->columns, "pgscan_file", COLUMN_AUTO, &fault), -EINVAL);
	assert_non_null(strstr(fault.text, "no field 'pgscan_file'; since Linux 5.8"));
	assert_int_equal(columns_add(&t->columns, "cgroup:/:pgscan_file", COLUMN_AUTO, &fault), -EINVAL);
	assert_non_null(strstr(fault.text, "/cg/memory.stat: no field 'pgscan_file'"));
	assert_null(strstr(fault.text, "since"));
}

static void without_a_controller_there_is_no_cgroup(void **state)
{
	struct tree *t = *state;

	put(t, "cg/cgroup.controllers", "cpu io\n");
	refuse(t, "cgroup:/:nr_dirty", -EINVAL, "memory controller");
}

static void a_file_that_may_not_be_read_is_named(void **state)
{
	struct tree *t = *state;
	char path[96];

	if (geteuid() == 0) {
		print_message("root may read all files\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/77/io", t->proc);
	assert_int_equal(chmod(path, 0), 0);
	add(t, "pid:77:majflt");
	add(t, "pid:77:*");
	refuse(t, "pid:77:rchar", -EACCES, "/77/io: Permission denied");
	refuse(t, "pid:77:sys*", -EACCES, "/77/io: Permission denied");
	/* the names that it has are known without reading it */
	refuse(t, "pid:77:nosuchname", -EINVAL, "no field 'nosuchname'");
	refuse(t, "pid:77:rchat", -EINVAL, "no field 'rchat'; nearest: rchar");
	refuse(t, "pid:77:nosuch*", -EINVAL, "no field 'nosuch*'");
}

static void what_a_kernel_needs_for_pressure_is_told(void **state)
{
	struct tree *t = *state;
	char path[256];

	snprintf(path, sizeof(path), "%s/pressure/io", t->proc);
	assert_int_equal(unlink(path), 0);
	refuse(t, "pressure:io:some:total", -EINVAL, "CONFIG_PSI");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_not_there_is_refused_with_what_is_near),
		CASE(the_history_of_vmstat_is_not_told_of_others),
		CASE(without_a_controller_there_is_no_cgroup),
		CASE(a_file_that_may_not_be_read_is_named),
		CASE(what_a_kernel_needs_for_pressure_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
