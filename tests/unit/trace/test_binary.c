/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"
#include "trace/binary.h"
#include "trace/format.h"

#define _cleanup_trace_ _cleanup_(trace_fini)
#define _cleanup_reader_ _cleanup_(trace_reader_freep)
#define _cleanup_writer_ _cleanup_(binary_writer_freep)

enum { OP = 1, TIME = 2, FILES = 4, STEP = 8 };

/* Random requests with some of the columns; the first quarter has nothing but offset and length. */
static void make(struct trace *t, size_t n, unsigned columns, uint64_t seed)
{
	struct rng rng;

	rng_init(&rng, seed);
	*t = (struct trace){0};
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = rng_below(&rng, REQ_MAX), length = rng_below(&rng, MIN(REQ_MAX - offset, REQ_SYNC_LENGTH_MAX));
		bool late = i >= n / 4;

		assert_int_equal(trace_push(t, req_make(offset, length, columns & OP && late ? i % OP_COUNT : OP_READ)), 0);
		if (columns & TIME && late) {
			assert_int_equal(trace_need_time(t), 0);
			t->time[i] = i % 5 != 4 ? (int64_t)rng_below(&rng, INT64_MAX) : TIME_NONE;
		}
		if (columns & FILES && late) {
			assert_int_equal(trace_need_file(t), 0);
			t->file[i] = (uint32_t)rng_below(&rng, TRACE_FILE_MAX + 1);
		}
		if (columns & STEP && late) {
			assert_int_equal(trace_need_step(t), 0);
			t->step[i] = rng_next(&rng);
		}
	}
	if (columns & FILES) {
		assert_int_equal(trace_name_file(t, 3, "/srv/a b#c", 10), 0);
		assert_int_equal(trace_name_file(t, TRACE_FILE_MAX, "x", 1), 0);
	}
}

static char path[64];

static int setup(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_binary.XXXXXX");
	return mkdtemp(path) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(path);
}

static char *file_name(char *buf)
{
	sprintf(buf, "%s/trace.bin", path);
	return buf;
}

/* Write t in parts of at most part requests; the file is open for both and has no name any more. */
static int write_parts(const struct trace *t, size_t part)
{
	_cleanup_writer_ struct binary_writer *w = NULL;
	struct outfile o;
	struct fault f;
	char name[96];
	int fd;

	assert_int_equal(outfile_open(&o, file_name(name), &f), 0);
	assert_int_equal(binary_writer_new(&w, &o, "a comment", &f), 0);
	for (size_t i = 0; i < t->count; i += part) {
		struct trace piece = *t;

		piece.count = MIN(part, t->count - i);
		piece.req += i;
		piece.time += piece.time ? i : 0;
		piece.file += piece.file ? i : 0;
		piece.step += piece.step ? i : 0;
		assert_int_equal(binary_writer_put(w, &piece, &f), 0);
	}
	assert_int_equal(binary_writer_end(w, t, &f), 0);
	assert_int_equal(outfile_commit(&o, &f), 0);
	fd = open(name, O_RDWR | O_CLOEXEC);
	assert_return_code(fd, errno);
	assert_int_equal(unlink(name), 0);
	return fd;
}

static int load(int fd, struct trace *t, struct fault *f)
{
	_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, PAGE_SHIFT);

	assert_return_code(lseek(fd, 0, SEEK_SET), errno);
	return trace_reader_rest(r, t, f);
}

static void what_was_saved_is_loaded_equal(void **state)
{
	static const size_t counts[] = {0, 1, 7, BINARY_BLOCK, BINARY_BLOCK + 1, 3 * BINARY_BLOCK - 5};
	static const size_t parts[] = {1 << 20, 1000, BINARY_BLOCK};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		for (unsigned columns = 0; columns < 16; columns += counts[i] > 7 ? 5 : 1) {
			_cleanup_trace_ struct trace t, back = {0};
			_cleanup_close_ int fd = -1;
			struct fault f;

			make(&t, counts[i], columns, i * 16 + columns);
			fd = write_parts(&t, parts[columns % ARRAY_SIZE(parts)]);
			assert_int_equal(load(fd, &back, &f), 0);
			assert_true(trace_equal(&t, &back));
			assert_int_equal(back.time != NULL, columns & TIME && counts[i] > 0);
		}
}

static void what_is_loaded_is_mapped_and_can_be_changed(void **state)
{
	_cleanup_trace_ struct trace t, back = {0}, again = {0};
	_cleanup_close_ int fd = -1;
	struct fault f;

	(void)state;
	make(&t, 1000, TIME, 1);
	fd = write_parts(&t, 1000);
	assert_int_equal(load(fd, &back, &f), 0);
	assert_non_null(back.map);
	assert_true((char *)back.req > (char *)back.map && (char *)back.req < (char *)back.map + back.map_size);

	trace_swap(&back, 0, 999);
	trace_swap(&t, 0, 999);
	assert_true(trace_equal(&t, &back));
	assert_int_equal(trace_copy(&back, &back, 5), 0);
	assert_int_equal(trace_copy(&t, &t, 5), 0);
	assert_null(back.map);
	assert_int_equal(trace_need_step(&back), 0);
	assert_true(trace_equal(&t, &back));

	assert_int_equal(load(fd, &again, &f), 0);
	assert_int_equal(again.count, 1000);
	trace_swap(&t, 0, 999);
	t.count = 1000;
	assert_true(trace_equal(&t, &again));
}

static void a_second_trace_is_appended(void **state)
{
	_cleanup_trace_ struct trace t, back = {0}, twice = {0};
	_cleanup_close_ int fd = -1;
	struct fault f;

	(void)state;
	make(&t, BINARY_BLOCK + 10, OP | FILES, 2);
	fd = write_parts(&t, 999);
	assert_int_equal(load(fd, &back, &f), 0);
	assert_int_equal(load(fd, &back, &f), 0);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < t.count; i++)
			assert_int_equal(trace_copy(&twice, &t, i), 0);
	assert_int_equal(trace_name_file(&twice, 3, "/srv/a b#c", 10), 0);
	assert_int_equal(trace_name_file(&twice, TRACE_FILE_MAX, "x", 1), 0);
	assert_true(trace_equal(&twice, &back));
}

static void a_pipe_gives_the_same(void **state)
{
	_cleanup_trace_ struct trace t, back = {0};
	_cleanup_close_ int fd = -1;
	char buf[20000];
	struct fault f;
	int ends[2];
	ssize_t n;

	(void)state;
	make(&t, 300, OP | TIME, 3);
	fd = write_parts(&t, 300);
	n = pread(fd, buf, sizeof(buf), 0);
	assert_in_range(n, 128, sizeof(buf) - 1);
	assert_return_code(pipe(ends), errno);
	assert_int_equal(write(ends[1], buf, (size_t)n), n);
	close(ends[1]);

	_cleanup_reader_ struct trace_reader *r = trace_reader_new(ends[0], 0);

	assert_int_equal(trace_reader_read(r, &back, 100, &f), 100);
	assert_int_equal(trace_reader_rest(r, &back, &f), 0);
	assert_true(trace_equal(&t, &back));
	close(ends[0]);
}

/* Change one byte, load, and change it back. */
static void refused(int fd, off_t at, const char *word)
{
	_cleanup_trace_ struct trace back = {0};
	struct fault f = {0};
	unsigned char c, flipped;

	assert_int_equal(pread(fd, &c, 1, at), 1);
	flipped = c ^ 0x80;
	assert_int_equal(pwrite(fd, &flipped, 1, at), 1);
	assert_int_equal(load(fd, &back, &f), -EINVAL);
	if (!strstr(f.text, word))
		fail_msg("byte %d: '%s' without '%s'", (int)at, f.text, word);
	assert_int_equal(f.line, 0);
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
}

static void damage_is_refused_and_told(void **state)
{
	_cleanup_trace_ struct trace t;
	_cleanup_close_ int fd = -1;
	struct stat st;
	struct fault f;

	(void)state;
	make(&t, BINARY_BLOCK + 2, TIME | FILES, 4);
	fd = write_parts(&t, 1 << 20);
	assert_return_code(fstat(fd, &st), errno);
	for (off_t i = 16; i < (off_t)sizeof(struct binary_header); i++)
		refused(fd, i, "header");
	refused(fd, 8, "header");
	refused(fd, 12, "version");
	refused(fd, 4096, "requests 1 to 65536");
	refused(fd, 4096 + 65537 * 16 + 3, "requests 65537 to 65538");
	refused(fd, 4096 + 65536 * 16 + 4096 + 8, "requests 1 to 65536");
	for (off_t i = 1; i < 40; i++)
		refused(fd, st.st_size - i, "behind the requests");
	refused(fd, sizeof(struct binary_header), "between its parts");
	refused(fd, 4095, "between its parts");
	refused(fd, 4096 + 65538 * 16, "between its parts");
	refused(fd, 4096 + 65536 * 16 + 4095, "between its parts");

	_cleanup_trace_ struct trace back = {0};

	assert_return_code(ftruncate(fd, st.st_size + 1), errno);
	assert_int_equal(load(fd, &back, &f), -EINVAL);
	assert_string_equal(f.text, "has 1 bytes behind its end");
	assert_return_code(ftruncate(fd, st.st_size), errno);
	assert_int_equal(load(fd, &back, &f), 0);
	assert_true(trace_equal(&t, &back));
}

static void a_cut_off_file_is_refused_wherever_the_cut_is(void **state)
{
	static const off_t cuts[] = {8, 9, 127, 128, 4095, 4096, 5000, 8191, 12000};
	_cleanup_trace_ struct trace t;
	_cleanup_close_ int fd = -1;
	struct stat st;

	(void)state;
	make(&t, 200, TIME, 5);
	fd = write_parts(&t, 200);
	assert_return_code(fstat(fd, &st), errno);
	assert_return_code(ftruncate(fd, st.st_size - 1), errno);
	for (size_t i = ARRAY_SIZE(cuts); i > 0; i--) {
		_cleanup_trace_ struct trace back = {0};
		struct fault f = {0};

		assert_int_equal(load(fd, &back, &f), -EINVAL);
		assert_non_null(strstr(f.text, "is cut off"));
		assert_return_code(ftruncate(fd, cuts[i - 1]), errno);
	}
}

static void an_output_that_cannot_be_patched_is_refused(void **state)
{
	_cleanup_writer_ struct binary_writer *w = NULL;
	struct outfile o;
	struct fault f;

	(void)state;
	assert_int_equal(outfile_open(&o, "/dev/null", &f), 0);
	assert_int_equal(binary_writer_new(&w, &o, NULL, &f), -EINVAL);
	outfile_abort(&o);
}

/* The figures in iotrace.5, so that other programs can rely on them. */
static void the_sum_is_that_of_the_page(void **state)
{
	static const unsigned char text[] = "The quick brown fox jumps over the lazy dog";

	(void)state;
	assert_int_equal(binary_sum("", 0), UINT64_C(0xdaaa9ad1fca1a52e));
	assert_int_equal(binary_sum(text, 43), UINT64_C(0x271daedb44d3e890));
}

/* Files of each version of the format stay for ever. */
static void files_of_version_1_are_loaded(void **state)
{
	_cleanup_trace_ struct trace t = {0}, text = {0};
	_cleanup_close_ int plain = open("tests/data/trace/v1-plain.bin", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int all = open("tests/data/trace/v1-columns.bin", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int lines = open("tests/data/trace/v1-columns", O_RDONLY | O_CLOEXEC);
	struct fault f;

	(void)state;
	if (*(const unsigned char *)&(const uint16_t){1} != 1) {
		print_message("# the files have the other byte order\n");
		skip();
	}
	assert_int_equal(load(plain, &t, &f), 0);
	assert_int_equal(t.count, 11);
	for (size_t i = 0; i < 11; i++) {
		assert_int_equal(req_offset(t.req[i]), i * 100 * 4096);
		assert_int_equal(req_length(t.req[i]), 110 * 4096);
		assert_int_equal(req_op(t.req[i]), OP_READ);
	}
	trace_fini(&t);
	assert_int_equal(load(all, &t, &f), 0);
	assert_int_equal(load(lines, &text, &f), 0);
	assert_int_equal(t.count, 6);
	assert_true(trace_equal(&t, &text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_saved_is_loaded_equal),
		cmocka_unit_test(what_is_loaded_is_mapped_and_can_be_changed),
		cmocka_unit_test(a_second_trace_is_appended),
		cmocka_unit_test(a_pipe_gives_the_same),
		cmocka_unit_test(damage_is_refused_and_told),
		cmocka_unit_test(a_cut_off_file_is_refused_wherever_the_cut_is),
		cmocka_unit_test(an_output_that_cannot_be_patched_is_refused),
		cmocka_unit_test(the_sum_is_that_of_the_page),
		cmocka_unit_test(files_of_version_1_are_loaded),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
