/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procdir.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "mon/vmstat.h"

static struct vmstat_want wanted(const char *name)
{
	return (struct vmstat_want){.name = name, .name_length = strlen(name)};
}

static struct vmstat_want look(const char *text, const char *name)
{
	struct vmstat_want w = wanted(name);

	size_t absent = vmstat_lookup(text, strlen(text), &w, 1);

	assert_int_equal(absent, w.found ? 0 : 1);
	return w;
}

static void names_match_whole(void **state _unused_)
{
	const char *text = "nr_dirty_threshold 90\nxnr_dirty 1\nnr_dirty 5\nnr_dirtied 7\n";

	assert_int_equal(look(text, "nr_dirty").value, 5);
	assert_int_equal(look(text, "nr_dirtied").value, 7);
	assert_false(look(text, "nr_dirt").found);
	assert_false(look(text, "dirty").found);
	assert_int_equal(look(text, "nr_dirt").value, 0);
}

static void lines_of_another_form_are_passed_over(void **state _unused_)
{
	const char *text = "nr_free_pages 1000\nnoval\nno number here\n"
			   "pgmajfault x12\npgmajfault 12x\nneg -1\n 77\n\n"
			   "over 18446744073709551616\nbig 18446744073709551615\n"
			   "spaced \t 6 \r\nzeros 000010\nlast 5";
	static const struct {
		const char *name;
		uint64_t value;
	} good[] = {
		{"nr_free_pages", 1000}, {"big", UINT64_MAX}, {"spaced", 6}, {"zeros", 10}, {"last", 5},
	};
	struct vmstat_line line = {0};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(vmstat_next(text, strlen(text), line.next, &line), 1);
		assert_int_equal(line.name_length, strlen(good[i].name));
		assert_memory_equal(line.name, good[i].name, line.name_length);
		assert_true(line.value == good[i].value);
		assert_true(look(text, good[i].name).found);
		assert_true(look(text, good[i].name).value == good[i].value);
	}
	assert_int_equal(vmstat_next(text, strlen(text), line.next, &line), 0);
	assert_false(look(text, "noval").found);
	assert_false(look(text, "no").found);
	assert_false(look(text, "pgmajfault").found);
	assert_false(look(text, "neg").found);
	assert_false(look(text, "over").found);
}

static void a_name_at_the_very_end_without_number_is_not_read_past(void **state _unused_)
{
	assert_false(look("a 1\nlast", "last").found);
	assert_false(look("a 1\nlast ", "last").found);
	assert_false(look("last", "last_longer").found);
}

static void of_two_lines_with_one_name_the_first_counts(void **state _unused_)
{
	const char *text = "pgfree 1\nnuma 7\npgfree 2\n";

	assert_int_equal(look(text, "pgfree").value, 1);
	assert_int_equal(look("pgfree x\npgfree 3\n", "pgfree").value, 3);
}

static void hints_follow_lines_that_move(void **state _unused_)
{
	static const char *const texts[] = {
		"a 9\nb 9\nc 9\n", "a 10\nb 9\nc 9\n", "a 10\nb 100\nc 9\n", "c 9\nb 100\na 10\n", "b 1\nc 2\n", "a 5\nb 6\nc 7\n",
	};
	static const int64_t values[][3] = {{9, 9, 9}, {10, 9, 9}, {10, 100, 9}, {10, 100, 9}, {-1, 1, 2}, {5, 6, 7}};
	struct vmstat_want w[] = {wanted("a"), wanted("b"), wanted("c")};

	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		size_t absent = vmstat_lookup(texts[t], strlen(texts[t]), w, 3);

		assert_int_equal(absent, values[t][0] < 0 ? 1 : 0);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(w[i].found, values[t][i] >= 0);
			assert_int_equal(w[i].value, MAX(values[t][i], 0));
		}
	}
}

/* Counted by stdio and sscanf, which share nothing with the reader. */
static void the_kernels_file_is_read_to_its_end(void **state _unused_)
{
	struct vmstat v;
	struct fault fault;
	struct vmstat_line line = {0};
	FILE *f = fopen("/proc/vmstat", "re");
	char text[256], name[128];
	uint64_t value;

	if (!f) {
		print_message("no /proc/vmstat\n");
		skip();
	}
	assert_int_equal(vmstat_open(&v, NULL, &fault), 0);
	while (fgets(text, sizeof(text), f)) {
		if (sscanf(text, "%127[^ ] %" SCNu64, name, &value) != 2)
			continue;
		assert_int_equal(vmstat_next(v.buf, v.used, line.next, &line), 1);
		assert_int_equal(line.name_length, strlen(name));
		assert_memory_equal(line.name, name, line.name_length);
	}
	assert_int_equal(vmstat_next(v.buf, v.used, line.next, &line), 0);
	assert_true(v.reads >= 1);
	fclose(f);
	vmstat_close(&v);
}

static void a_file_larger_than_the_buffer_is_read_whole(void **state _unused_)
{
	struct procdir p;
	struct vmstat v;
	struct fault fault;
	struct vmstat_want w = wanted("last");
	FILE *f;

	procdir_make(&p, NULL);
	f = fopen(p.file, "we");
	assert_non_null(f);
	for (int i = 0; i < 20000; i++)
		fprintf(f, "name_%d %d\n", i, i);
	fprintf(f, "last 42\n");
	fclose(f);
	assert_int_equal(vmstat_open(&v, p.dir, &fault), 0);
	assert_true(v.used > (size_t)64 << 10);
	assert_true(v.reads > 1);
	assert_int_equal(vmstat_lookup(v.buf, v.used, &w, 1), 0);
	assert_int_equal(w.value, 42);
	vmstat_close(&v);
	procdir_remove(&p);
}

static void a_second_reading_shows_the_new_text_alone(void **state _unused_)
{
	struct procdir p;
	struct vmstat v;
	struct fault fault;

	procdir_make(&p, "a 1\nb 2\nlonger_name 3\n");
	assert_int_equal(vmstat_open(&v, p.dir, &fault), 0);
	procdir_put(&p, "a 7\n");
	assert_int_equal(vmstat_read(&v), 0);
	assert_int_equal(v.used, 4);
	assert_memory_equal(v.buf, "a 7\n", 4);
	procdir_put(&p, "");
	assert_int_equal(vmstat_read(&v), -ENODATA);
	vmstat_close(&v);
	procdir_remove(&p);
}

static void refuse(const char *dir, int error, const char *part)
{
	struct vmstat v;
	struct fault fault;

	assert_int_equal(vmstat_open(&v, dir, &fault), error);
	assert_non_null(strstr(fault.text, dir));
	assert_non_null(strstr(fault.text, part));
}

static void what_is_no_vmstat_file_is_refused_by_name(void **state _unused_)
{
	struct procdir p;

	refuse("/nonexistent", -ENOENT, "/vmstat: No such file");
	procdir_make(&p, "");
	refuse(p.dir, -ENODATA, "name number");
	procdir_put(&p, "some words\n 5\nname\n");
	refuse(p.dir, -ENODATA, "name number");
	unlink(p.file);
	assert_int_equal(mkdir(p.file, 0700), 0);
	refuse(p.dir, -EISDIR, "Is a directory");
	assert_int_equal(rmdir(p.file), 0);
	assert_int_equal(mkfifo(p.file, 0600), 0);
	refuse(p.dir, -ESPIPE, "vmstat");
	procdir_remove(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_match_whole),
		cmocka_unit_test(lines_of_another_form_are_passed_over),
		cmocka_unit_test(a_name_at_the_very_end_without_number_is_not_read_past),
		cmocka_unit_test(of_two_lines_with_one_name_the_first_counts),
		cmocka_unit_test(hints_follow_lines_that_move),
		cmocka_unit_test(the_kernels_file_is_read_to_its_end),
		cmocka_unit_test(a_file_larger_than_the_buffer_is_read_whole),
		cmocka_unit_test(a_second_reading_shows_the_new_text_alone),
		cmocka_unit_test(what_is_no_vmstat_file_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
