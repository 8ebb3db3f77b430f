/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"
#include "trace/format.h"

#define _cleanup_trace_ _cleanup_(trace_fini)
#define _cleanup_reader_ _cleanup_(trace_reader_freep)

static const unsigned shifts[] = {0, 10, 12, 20, 30, 40};

/* An outfile on a memory file, which is returned. */
static int open_memory(struct outfile *o)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	struct fault f;
	char name[32];

	assert_return_code(fd, errno);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(outfile_open(o, name, &f), 0);
	return fd;
}

static void commit(struct outfile *o)
{
	struct fault f;

	assert_int_equal(outfile_commit(o, &f), 0);
}

static void text_is(int fd, const char *want)
{
	char buf[1024];
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	close(fd);
	assert_return_code(n, errno);
	buf[n] = '\0';
	assert_string_equal(buf, want);
}

static void load(int fd, unsigned shift, struct trace *t)
{
	_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, shift);
	struct fault f = {0};

	assert_return_code(lseek(fd, 0, SEEK_SET), errno);
	if (trace_reader_rest(r, t, &f))
		fail_msg("line %d: %s", (int)f.line, f.text);
}

static void push(struct trace *t, uint64_t offset, uint64_t length, enum op op)
{
	assert_int_equal(trace_push(t, req_make(offset, length, op)), 0);
}

static void plain_traces_have_no_directive(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct outfile o;
	int fd = open_memory(&o);

	push(&t, 0, 450560, OP_READ);
	push(&t, 409600, 4096, OP_READ);
	push(&t, 512, 4096, OP_READ);
	push(&t, 4096, 1023, OP_READ);
	push(&t, 0, 0, OP_READ);
	trace_write(&t, &o, "iotrace --load a\nb", PAGE_SHIFT);
	commit(&o);
	text_is(fd, "# iotrace --load a b\n0p\t110p\n100p\t1p\n512b\t1p\n1p\t1023b\n0p\t0p\n");
}

static void only_needed_columns_are_written(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct outfile o;
	int fd = open_memory(&o);

	push(&t, 0, 4096, OP_READ);
	push(&t, 8192, 4096, OP_WRITE);
	assert_int_equal(trace_need_time(&t) | trace_need_step(&t), 0);
	t.time[0] = 1500000000;
	assert_int_equal(trace_name_file(&t, 2, "/a b", 4), 0);
	trace_write(&t, &o, NULL, 10);
	commit(&o);
	text_is(fd, "#file 2 /a b\n#columns offset length op time\n0k\t4k\tR\t1.5\n8k\t4k\tW\t-\n");
}

static void a_break_up_file_always_has_three_numbers(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct outfile o;
	int fd = open_memory(&o);

	push(&t, 0, 4096, OP_READ);
	trace_write_steps(&t, &o, NULL, PAGE_SHIFT);
	push(&t, 4096, 4096, OP_TRIM);
	assert_int_equal(trace_need_step(&t), 0);
	t.step[1] = 3;
	trace_write_steps(&t, &o, NULL, PAGE_SHIFT);
	commit(&o);
	text_is(fd, "#columns step offset length\n0\t0p\t1p\n"
		    "#columns step offset length op\n0\t0p\t1p\tR\n3\t1p\t1p\tT\n");
}

static void parts_get_new_columns_when_they_need_them(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0}, back = {0}, whole = {0};
	struct trace_writer w;
	struct outfile o;
	int fd = open_memory(&o);

	trace_writer_init(&w, &o, "c", PAGE_SHIFT);
	for (uint64_t i = 0; i < 6; i++) {
		trace_clear(&t);
		push(&t, i << PAGE_SHIFT, 4096, i == 2 ? OP_WRITE : OP_READ);
		if (i >= 4) {
			assert_int_equal(trace_need_step(&t), 0);
			t.step[0] = i;
		}
		if (i == 3)
			assert_int_equal(trace_name_file(&t, 1, "x", 1), 0);
		trace_writer_put(&w, &t);
		assert_int_equal(trace_copy(&whole, &t, 0), 0);
	}
	assert_int_equal(trace_name_file(&whole, 1, "x", 1), 0);
	commit(&o);
	load(fd, 0, &back);
	assert_true(trace_equal(&whole, &back));
	text_is(fd, "# c\n0p\t1p\n1p\t1p\n#columns offset length op\n2p\t1p\tW\n#file 1 x\n3p\t1p\tR\n"
		    "#columns offset length op step\n4p\t1p\tR\t4\n5p\t1p\tR\t5\n");
}

/* Sizes of all magnitudes, round and not. */
static uint64_t any_size(struct rng *r, uint64_t max)
{
	uint64_t v = rng_next(r) >> rng_below(r, 64);

	v &= ~UINT64_C(0) << (rng_below(r, 2) ? rng_below(r, 45) : 0);
	return v > max ? max : v;
}

static void fill(struct trace *t, struct rng *r)
{
	uint64_t n = rng_below(r, 3000), columns = rng_below(r, 16);

	if (columns & 2)
		assert_int_equal(trace_need_time(t), 0);
	if (columns & 4)
		assert_int_equal(trace_need_file(t), 0);
	if (columns & 8)
		assert_int_equal(trace_need_step(t), 0);
	for (uint64_t i = 0; i < n; i++) {
		enum op op = columns & 1 ? (enum op)rng_below(r, OP_COUNT) : OP_READ;
		uint64_t offset = any_size(r, REQ_MAX);
		uint64_t length = any_size(r, REQ_MAX - offset);

		push(t, offset, op >= OP_SYNC ? MIN(length, REQ_SYNC_LENGTH_MAX) : length, op);
		if (t->time && rng_below(r, 4))
			t->time[i] = (int64_t)any_size(r, INT64_MAX);
		if (t->file)
			t->file[i] = (uint32_t)rng_below(r, 3) * (TRACE_FILE_MAX / 2);
		if (t->step)
			t->step[i] = any_size(r, UINT64_MAX);
	}
	if (rng_below(r, 2))
		assert_int_equal(trace_name_file(t, (uint32_t)rng_below(r, 9), "a \xff#\x01 b", 7), 0);
}

static void what_is_saved_loads_equal_under_every_unit(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 20);
	for (int round = 0; round < 60; round++) {
		_cleanup_trace_ struct trace t = {0};
		struct outfile o;
		int fd = open_memory(&o);

		fill(&t, &r);
		(round % 5 ? trace_write : trace_write_steps)(&t, &o, "any", shifts[rng_below(&r, 6)]);
		commit(&o);
		for (size_t i = 0; i < ARRAY_SIZE(shifts); i++) {
			_cleanup_trace_ struct trace back = {0};

			load(fd, shifts[i], &back);
			assert_true(trace_equal(&t, &back));
		}
		close(fd);
	}
}

static int read_text(const char *text, struct trace *t, struct fault *f)
{
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);
	_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, PAGE_SHIFT);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_return_code(lseek(fd, 0, SEEK_SET), errno);
	return trace_reader_rest(r, t, f);
}

/*
 * A blank in front of a line leads it past the fast path: both ways must give the same. spaced begins with that blank.
 * Returns what both gave.
 */
static int both_ways(const char *spaced)
{
	_cleanup_trace_ struct trace fast = {0}, general = {0};
	struct fault f = {0}, g = {0};
	int a = read_text(spaced + 1, &fast, &f), b = read_text(spaced, &general, &g);

	if (a != b || strcmp(f.text, g.text) != 0 || !trace_equal(&fast, &general))
		fail_msg("'%s' is read in two ways: %s; %s", spaced + 1, f.text, g.text);
	return a;
}

static void fast_and_general_way_agree(void **state _unused_)
{
	static const char *const field[] = {
		"0", "7", "007", "123456789012345678", "000000000000000000000000001", "999999999999999999b",
		"9223372036854775807b", "9223372036854775808b", "2251799813685247", "2251799813685248", "8388607t",
		"8388608t", "1k", "1K", "1p", "1q", "k", "", "-1", "1.5", "0x1", "1e3", "12kk", "1 2", "#", "1#", "\x01",
	};
	static const char *const end[] = {"", " ", "\t", "\r", " \r", "\r\r", " # x", "#"};
	static const char *const between[] = {" ", "\t", "  \t", ",", ""};
	size_t taken = 0, refused = 0;

	for (size_t a = 0; a < ARRAY_SIZE(field); a++)
		for (size_t b = 0; b < ARRAY_SIZE(field); b++)
			for (size_t e = 0; e < ARRAY_SIZE(end); e++) {
				char text[128];

				snprintf(text, sizeof(text), " %s%s%s%s\n1 2\n", field[a],
					 between[(a + b + e) % ARRAY_SIZE(between)], field[b], end[e]);
				if (both_ways(text))
					refused++;
				else
					taken++;
			}
	assert_true(taken > 300 && refused > 300);
}

static void an_error_of_the_file_is_kept_for_commit(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct outfile o;
	struct fault f;

	for (uint64_t i = 0; i < 100000; i++)
		push(&t, i, 1, OP_READ);
	assert_int_equal(outfile_open(&o, "/dev/full", &f), 0);
	trace_write(&t, &o, NULL, 0);
	assert_int_equal(outfile_commit(&o, &f), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_traces_have_no_directive),
		cmocka_unit_test(only_needed_columns_are_written),
		cmocka_unit_test(a_break_up_file_always_has_three_numbers),
		cmocka_unit_test(parts_get_new_columns_when_they_need_them),
		cmocka_unit_test(what_is_saved_loads_equal_under_every_unit),
		cmocka_unit_test(fast_and_general_way_agree),
		cmocka_unit_test(an_error_of_the_file_is_kept_for_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
