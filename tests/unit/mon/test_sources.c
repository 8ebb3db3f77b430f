/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources and what is read from them. */
#include <errno.h>

#include "tree.h"

static void each_file_is_read_when_it_is_asked_for(void **state)
{
	struct tree *t = *state;
	static const char *const specs[] = {"nr_dirty:raw", "node:1:nr_dirty:raw", "meminfo:Active(anon)", "pressure:io:some:avg10",
					    "disk:sda:read_bytes:raw", "pid:77:majflt:raw", "pid:77:read_bytes:raw",
					    "vmstat:pgfault:raw"};
	static const char *const values[] = {"5", "3", "162444", "1.25", "1536", "2", "4096", "100"};

	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		add(t, specs[i]);
	/* a process has two files, the two fields of vmstat one */
	assert_int_equal(t->columns.sources.count, 7);
	read_as(t, 0);
	read_as(t, 1);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		if (strcmp(shown(t, i), values[i]) != 0)
			fail_msg("%s shows %s", specs[i], shown(t, i));
}

static void classes_and_units_are_those_of_the_file(void **state)
{
	struct tree *t = *state;
	static const struct {
		const char *spec, *unit;
		enum field_class class;
	} cases[] = {
		{"node:0:nr_dirty", "pages", FIELD_GAUGE}, {"meminfo:MemTotal", "KiB", FIELD_GAUGE},
		{"meminfo:HugePages_Total", "huge pages", FIELD_GAUGE}, {"pressure:io:some:avg10", "percent", FIELD_GAUGE},
		{"pressure:io:some:total", "us", FIELD_COUNTER}, {"disk:sda:reads", "requests", FIELD_COUNTER},
		{"disk:sda:in_flight", "requests", FIELD_GAUGE}, {"disk:sda:write_bytes", "bytes", FIELD_COUNTER},
		{"pid:77:rss", "pages", FIELD_GAUGE}, {"pid:77:utime", "ms", FIELD_COUNTER},
		{"pid:77:rchar", "bytes", FIELD_COUNTER}, {"replay:requests", "requests", FIELD_COUNTER},
		{"cgroup:a/b:c:nr_active_file", "pages", FIELD_GAUGE}, {"cgroup:a/b:c:pgscan", "pages", FIELD_COUNTER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct column *c;

		add(t, cases[i].spec);
		c = &t->columns.column[i];
		assert_string_equal(c->title, cases[i].spec);
		if (strcmp(c->unit, cases[i].unit) != 0 || c->class != cases[i].class)
			fail_msg("%s: %s, %s", cases[i].spec, c->unit, field_class_name(c->class));
	}
}

static void globs_match_names_and_instances(void **state)
{
	struct tree *t = *state;
	static const char *const titles[] = {"node:0:nr_dirty", "node:0:nr_free_pages", "node:1:nr_dirty", "node:1:nr_free_pages",
					     "disk:sda:reads", "disk:sda1:reads", "sum(disk:*:reads)", "cgroup:a/b:c:nr_file_pages"};

	add(t, "node:*:*");
	add(t, "disk:sd*:reads");
	add(t, "sum(disk:*:reads):raw");
	add(t, "cgroup:a/*:nr_file_pages");
	assert_int_equal(t->columns.count, ARRAY_SIZE(titles));
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		assert_string_equal(t->columns.column[i].name, titles[i]);
	read_as(t, 0);
	read_as(t, 1);
	assert_string_equal(shown(t, 6), "111");
}

/* Pages of 4096 bytes, as on most machines, or larger. */
static void a_cgroup_has_the_names_and_units_of_vmstat(void **state)
{
	struct tree *t = *state;
	static const char *const specs[] = {"nr_anon_pages", "nr_file_pages", "nr_dirty", "nr_kernel_stack", "pgscan:raw",
					    "workingset_refault_file:raw", "cgroup:/:nr_file_pages"};
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t values[] = {8192 / page, 40960 / page, 12288 / page, 16, 6, 9, 40960 / page};
	char mount[160];

	open_columns(t, "cgroup:/a/b:c/");
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		add(t, specs[i]);
	snprintf(mount, sizeof(mount), "cgroup:%s/cg/a/b:c:nr_dirty", t->dir);
	add(t, mount);
	read_as(t, 0);
	read_as(t, 1);
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		assert_int_equal(strtoull(shown(t, i), NULL, 10), values[i]);
	assert_int_equal(strtoull(shown(t, 7), NULL, 10), values[2]);
	/* one group, however it is named */
	assert_int_equal(t->columns.sources.count, 2);
}

static void of_cgroup_v1_the_hierarchical_values_count(void **state)
{
	struct tree *t = *state;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	put(t, "cg/memory.stat", "cache 4096\nrss 4096\npgpgin 1\nhierarchical_memory_limit 1048576\ntotal_cache 81920\n"
				 "total_rss 40960\ntotal_pgpgin 12\ntotal_active_file 8192\n");
	open_columns(t, "cgroup:/");
	add(t, "*:raw");
	assert_int_equal(t->columns.count, 5);
	assert_string_equal(t->columns.column[0].name, "hierarchical_memory_limit");
	assert_string_equal(t->columns.column[1].name, "nr_file_pages");
	assert_string_equal(t->columns.column[2].name, "nr_anon_pages");
	assert_string_equal(t->columns.column[3].name, "charges");
	assert_string_equal(t->columns.column[4].name, "nr_active_file");
	read_as(t, 0);
	read_as(t, 1);
	assert_int_equal(strtoull(shown(t, 1), NULL, 10), 81920 / page);
	assert_string_equal(shown(t, 3), "12");
}

static void what_ends_shows_nothing_and_the_others_go_on(void **state)
{
	struct tree *t = *state;

	add(t, "pid:77:majflt");
	add(t, "pgfault");
	add(t, "disk:sda:reads:raw");
	read_as(t, 0);
	/* an empty file is how a test can have it; the kernel says ESRCH or ENODEV */
	put(t, "proc/77/stat", "");
	put(t, "sys/class/block/sda/stat", "");
	put(t, "proc/vmstat", "pgfault 150\n");
	read_as(t, 1);
	assert_string_equal(shown(t, 0), "-");
	assert_string_equal(shown(t, 1), "50");
	assert_string_equal(shown(t, 2), "-");
}

static void the_file_of_the_system_must_stay_readable(void **state)
{
	struct tree *t = *state;
	const char *bad = NULL;

	add(t, "pgfault");
	put(t, "proc/vmstat", "");
	assert_int_equal(sources_read(&t->columns.sources, &bad), -ENODATA);
	assert_non_null(strstr(bad, "proc/vmstat"));
}

/* The name in the last line of /proc/vmstat. NULL: one read has it all. */
static const char *last_name(struct vmstat *v)
{
	struct vmstat_line line = {0};
	struct fault fault;

	if (vmstat_open(v, NULL, &fault) < 0 || v->reads < 2)
		return NULL;
	while (vmstat_next(v->buf, v->used, line.next, &line))
		;
	v->buf[line.start + line.name_length] = '\0';
	return line.name;
}

static void read_alone(struct columns *c, const char *name)
{
	struct fault fault;
	const char *bad;

	assert_int_equal(columns_init(c, &(struct sources_params){0}, &fault), 0);
	assert_int_equal(columns_add(c, name, COLUMN_RAW, &fault), 0);
	assert_int_equal(sources_read(&c->sources, &bad), 0);
	assert_int_equal(c->sources.source[0].absent, 0);
}

static void a_reading_goes_as_far_as_the_names_do(void **state _unused_)
{
	_cleanup_(columns_fini) struct columns first = {0}, behind = {0};
	_cleanup_(vmstat_close) struct vmstat v = {.fd = -1};
	const char *last = last_name(&v), *bad;
	struct source *source;

	if (!last) {
		print_message("one read has all of /proc/vmstat\n");
		skip();
	}
	read_alone(&first, "nr_free_pages");
	assert_int_equal(first.sources.source[0].file.reads, 1);
	assert_true(first.sources.source[0].want[0].value > 0);
	read_alone(&behind, last);
	source = &behind.sources.source[0];
	assert_true(source->file.reads > 1);
	/* as if its line had moved there since */
	source->want[0].hint = 0;
	assert_int_equal(sources_read(&behind.sources, &bad), 0);
	assert_true(source->file.reads > 1);
	assert_int_equal(source->absent, 0);
}

static void a_counter_in_a_formula_is_its_difference_and_a_gauge_its_value(void **state)
{
	struct tree *t = *state;

	add(t, "x=nr_dirty/pgfault");
	add(t, "y= pgfault");
	add(t, "z=pgfault:raw+nr_dirty:delta+100*pgfault:rate*seconds");
	add(t, "s=sum(nr_*)+meminfo:HugePages_Total");
	add(t, "undefined=1/pgpgin");
	add(t, "q=\"meminfo:Active(anon)\"-162440");
	read_as(t, 0);
	put(t, "proc/vmstat", "nr_dirty 9\npgfault 120\npgpgin 8\nnr_odd 7\n");
	read_as(t, 1);
	assert_string_equal(shown(t, 0), "0.4500");
	assert_string_equal(shown(t, 1), "20.00");
	assert_string_equal(shown(t, 2), "2124");
	assert_string_equal(shown(t, 3), "19.00");
	assert_string_equal(shown(t, 4), "-");
	assert_string_equal(shown(t, 5), "4.000");
	assert_int_equal(t->columns.column[0].class, FIELD_DERIVED);
	assert_int_equal(columns_cell_as(&t->columns, 0, COLUMN_RAW, NULL, &t->sample[1]).kind, CELL_NONE);
	assert_int_equal(columns_cell_as(&t->columns, 0, COLUMN_DELTA, &t->sample[0], &t->sample[1]).kind, CELL_NONE);
}

static void shares_beyond_all_are_undefined(void **state)
{
	struct tree *t = *state;
	static const char *const after[][2] = {
		/* 30 reclaimed of 40 scanned */
		{"pgscan_anon 20\npgscan_file 40\npgsteal_anon 10\npgsteal_file 20\n", "75.00"},
		{"pgscan_anon 10\npgscan_file 20\npgsteal_anon 10\npgsteal_file 41\n", "-"},
		{"pgscan_anon 10\npgscan_file 10\npgsteal_anon 0\npgsteal_file 0\n", "-"},
	};

	put(t, "proc/vmstat", "pgscan_anon 10\npgscan_file 10\npgsteal_anon 0\npgsteal_file 0\n");
	add(t, "reclaim_efficiency");
	assert_string_equal(t->columns.column[0].unit, "percent");
	read_as(t, 0);
	for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
		put(t, "proc/vmstat", after[i][0]);
		read_as(t, 1);
		assert_string_equal(shown(t, 0), after[i][1]);
	}
}

static void a_replay_is_counted_beside_the_fields(void **state)
{
	struct tree *t = *state;

	add(t, "replay:requests:raw");
	add(t, "replay:bytes");
	add(t, "read_amplification");
	read_as(t, 0);
	t->replay = (struct source_replay){.requests = 3, .bytes = 8192};
	put(t, "proc/vmstat", "pgpgin 24\n");
	read_as(t, 1);
	assert_string_equal(shown(t, 0), "3");
	assert_string_equal(shown(t, 1), "8192");
	assert_string_equal(shown(t, 2), "2.000");
	columns_fini(&t->columns);
	assert_int_equal(columns_init(&t->columns, &(struct sources_params){.proc = t->proc}, &(struct fault){0}), 0);
	refuse(t, "replay:bytes", -EINVAL, "no play");
	refuse(t, "read_amplification", -EINVAL, "read_amplification: replay: there is no play");
}

static void optional_columns_show_nothing_where_the_kernel_has_none(void **state)
{
	struct tree *t = *state;

	add(t, "?nr_dirty:raw");
	add(t, "?nr_nothing");
	add(t, "?node:7:nr_dirty");
	add(t, "?reclaim_efficiency");
	add(t, "?x=nr_nothing/2");
	read_as(t, 0);
	read_as(t, 1);
	assert_int_equal(t->columns.count, 5);
	assert_string_equal(t->columns.column[1].title, "nr_nothing");
	assert_int_equal(t->columns.column[2].mode, COLUMN_RAW); /* a gauge, as its name says */
	assert_string_equal(t->columns.column[4].title, "x");
	assert_string_equal(shown(t, 0), "5");
	for (size_t i = 1; i < 5; i++)
		assert_string_equal(shown(t, i), "-");
	refuse(t, "?x=nr_nothing+", -EINVAL, "character");
	refuse(t, "?", -EINVAL, "empty");
}

static void the_fold_time_is_told_where_it_is_known(void **state)
{
	struct tree *t = *state;

	assert_int_equal(sources_fold_ns(&t->columns.sources), 0);
	put(t, "proc/sys/vm/stat_interval", "2\n");
	assert_int_equal(sources_fold_ns(&t->columns.sources), 2 * SEC);
	put(t, "proc/sys/vm/stat_interval", "x\n");
	assert_int_equal(sources_fold_ns(&t->columns.sources), 0);
}

static void fresh_writes_before_each_reading(void **state)
{
	struct tree *t = *state;
	struct sources_params p = {.proc = t->proc, .fresh = true};
	struct columns c = {0};
	struct fault fault;
	const char *bad;
	char path[112], text[4] = "";
	FILE *f;

	assert_int_equal(columns_init(&c, &p, &fault), -ENOENT);
	assert_non_null(strstr(fault.text, "--fresh: "));
	put(t, "proc/sys/vm/stat_refresh", "");
	assert_int_equal(columns_init(&c, &p, &fault), 0);
	assert_int_equal(sources_read(&c.sources, &bad), 0);
	snprintf(path, sizeof(path), "%s/sys/vm/stat_refresh", t->proc);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	assert_string_equal(text, "1\n");
	fclose(f);
	columns_fini(&c);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* What spec shows between two readings of the file. */
static const char *between(struct tree *t, const char *spec, const char *file, const char *first, const char *then)
{
	open_columns(t, NULL);
	put(t, file, first);
	add(t, spec);
	read_as(t, 0);
	put(t, file, then);
	read_as(t, 1);
	return shown(t, 0);
}

/* Milliseconds of a disk are 32 bits wide in the kernel, its other numbers and those of others are not. */
static void numbers_of_32_bits_go_on_behind_their_end(void **state)
{
	static const char disk[] = "sys/class/block/sda/stat";
	struct tree *t = *state;

	assert_string_equal(between(t, "disk:sda:read_ms:delta", disk, "1 2 3 4294967290", "1 2 3 10"), "16");
	assert_string_equal(between(t, "disk:sda:read_ms:delta", disk, "1 2 3 5000", "1 2 3 10"), "-4990");
	assert_string_equal(between(t, "sum(disk:sd*:read_ms):delta", disk, "1 2 3 4294967290", "1 2 3 10"), "16");
	assert_string_equal(between(t, "x=disk:sda:read_ms", disk, "1 2 3 4294967290", "1 2 3 10"), "16.00");
	assert_string_equal(between(t, "disk:sda:reads:delta", disk, "4294967290", "10"),
			    sizeof(long) == 4 ? "16" : "-4294967280");
}

static void a_disk_is_known_by_its_name_in_dev_too(void **state)
{
	struct tree *t = *state;

	put(t, "sys/class/block/cciss!c0d0/stat", "7 2 3 4 5 6 7 8 9 10 11\n");
	add(t, "disk:cciss/c0d0:reads:raw");
	add(t, "disk:/dev/cciss/c0d0:reads:raw");
	add(t, "disk:/dev/sda:reads:raw");
	read_as(t, 0);
	read_as(t, 1);
	assert_string_equal(shown(t, 0), "7");
	assert_string_equal(shown(t, 1), "7");
	assert_string_equal(shown(t, 2), "1");
}

/* As of a container in a container in a container. */
static void a_path_may_be_long_and_have_the_letters_of_globs(void **state)
{
	struct tree *t = *state;
	char file[400] = "cg", spec[600] = "cgroup:", part[96];

	for (int i = 0; i < 3; i++) {
		memset(part, 'a' + i, sizeof(part) - 1);
		part[0] = '/';
		part[sizeof(part) - 1] = '\0';
		strcat(file, part);
	}
	strcat(file, "/[x]");
	strcat(strcat(spec, t->dir), "/");
	strcat(strcat(spec, file), ":nr_anon_pages:raw");
	strcat(file, "/memory.stat");
	put(t, file, "anon 8192\nfile 40960\n");
	assert_true(strlen(spec) > 256);
	add(t, spec);
	read_as(t, 0);
	read_as(t, 1);
	assert_string_equal(shown(t, 0), "2");
}

/* A kernel adds up counts of its CPUs, and may find less than nothing for a moment. */
static void a_size_below_zero_differs_by_what_it_lacks(void **state)
{
	struct tree *t = *state;

	assert_string_equal(between(t, "cgroup:a/b:c:nr_anon_pages:delta", "cg/a/b:c/memory.stat", "anon 18446744073709547520\n",
				    "anon 4096\n"), "2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_file_is_read_when_it_is_asked_for),
		CASE(classes_and_units_are_those_of_the_file),
		CASE(globs_match_names_and_instances),
		CASE(a_cgroup_has_the_names_and_units_of_vmstat),
		CASE(of_cgroup_v1_the_hierarchical_values_count),
		CASE(what_ends_shows_nothing_and_the_others_go_on),
		CASE(the_file_of_the_system_must_stay_readable),
		cmocka_unit_test(a_reading_goes_as_far_as_the_names_do),
		CASE(a_counter_in_a_formula_is_its_difference_and_a_gauge_its_value),
		CASE(shares_beyond_all_are_undefined),
		CASE(a_replay_is_counted_beside_the_fields),
		CASE(optional_columns_show_nothing_where_the_kernel_has_none),
		CASE(the_fold_time_is_told_where_it_is_known),
		CASE(fresh_writes_before_each_reading),
		CASE(numbers_of_32_bits_go_on_behind_their_end),
		CASE(a_disk_is_known_by_its_name_in_dev_too),
		CASE(a_path_may_be_long_and_have_the_letters_of_globs),
		CASE(a_size_below_zero_differs_by_what_it_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
