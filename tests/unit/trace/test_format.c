/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/format.h"

#define _cleanup_trace_ _cleanup_(trace_fini)
#define _cleanup_reader_ _cleanup_(trace_reader_freep)

static int load_bytes(const char *data, size_t n, unsigned shift, struct trace *t, struct fault *f)
{
	_cleanup_reader_ struct trace_reader *r = NULL;
	_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);

	assert_return_code(fd, errno);
	assert_int_equal(write(fd, data, n), n);
	assert_return_code(lseek(fd, 0, SEEK_SET), errno);
	r = trace_reader_new(fd, shift);
	assert_non_null(r);
	return trace_reader_rest(r, t, f);
}

/* The text loads, under pages, as these "offset length" pairs in bytes. */
static void loads_as(const char *text, size_t count, const uint64_t (*want)[2])
{
	_cleanup_trace_ struct trace t = {0};
	struct fault f = {0};

	if (load_bytes(text, strlen(text), PAGE_SHIFT, &t, &f) != 0)
		fail_msg("'%s' was refused: line %d: %s", text, (int)f.line, f.text);
	assert_int_equal(t.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(req_offset(t.req[i]) == want[i][0]);
		assert_true(req_length(t.req[i]) == want[i][1]);
		assert_int_equal(req_op(t.req[i]), OP_READ);
	}
}

static void refused_bytes(const char *data, size_t n, uint64_t line, const char *words)
{
	_cleanup_trace_ struct trace t = {0};
	struct fault f = {0};

	if (load_bytes(data, n, PAGE_SHIFT, &t, &f) != -EINVAL)
		fail_msg("'%s' was taken", data);
	if (f.line != line || !strstr(f.text, words))
		fail_msg("'%s': want line %d and '%s', got line %d: %s", data, (int)line, words, (int)f.line, f.text);
	for (const char *c = f.text; *c; c++)
		assert_in_range(*c, 0x20, 0x7e);
	assert_true(strlen(f.text) < 200);
}

static void refused(const char *text, uint64_t line, const char *words)
{
	refused_bytes(text, strlen(text), line, words);
}

static void lines_are_offset_and_length(void **state _unused_)
{
	static const uint64_t want[][2] = {{0, 4096}, {409600, 450560}, {1024, 512}, {28672, 8192}};

	loads_as("0\n100 110\n1k 512b\n  7p\t2p  \n", 4, want);
	loads_as("0\r\n100\t110\r\n\r\n1K  512B\r\n007 02\r\n", 4, want);
	loads_as("# c\n\n \t \n0 # the first\n   # c\n100 110 #x\n1k 512b\n7 2", 4, want);
	loads_as("\xef\xbb\xbf" "0\n100 110\n1k 512b\n7 2\n", 4, want);
	loads_as("", 0, NULL);
	loads_as("\n", 0, NULL);
	loads_as("#", 0, NULL);
	loads_as("\xef\xbb\xbf", 0, NULL);
	loads_as("#columnar\n#filesystem ext4\n# columns op\n", 0, NULL);
}

static void numbers_of_any_number_of_digits_are_taken(void **state _unused_)
{
	/* what stands behind the number: as the last of the file, or not */
	static const char *const behind[] = {"", "\n", " 7\n", "\t7\r\n", "b 7b", " 7\n1 1\n"};
	static const char digits[] = "907856341290785634";

	for (size_t n = 1; n < sizeof(digits); n++) {
		for (size_t i = 0; i < ARRAY_SIZE(behind); i++) {
			_cleanup_trace_ struct trace t = {0};
			char number[sizeof(digits)], text[64];
			struct fault f = {0};

			snprintf(number, sizeof(number), "%.*s", (int)n, digits + sizeof(digits) - 1 - n);
			snprintf(text, sizeof(text), "0 0\n%s%s", number, behind[i]);
			assert_int_equal(load_bytes(text, strlen(text), 0, &t, &f), 0);
			assert_int_equal(t.count, i == 5 ? 3 : 2);
			assert_int_equal(req_offset(t.req[1]), strtoull(number, NULL, 10));
			assert_int_equal(req_length(t.req[1]), i < 2 ? PAGE_BYTES : 7);
		}
	}
}

static void no_other_byte_is_taken_for_a_digit(void **state _unused_)
{
	for (size_t at = 2; at < 10; at++) {
		for (int c = 0; c < 256; c++) {
			_cleanup_trace_ struct trace t = {0};
			char text[] = "1\n1234567890 7\n";
			struct fault f = {0};

			if ((c >= '0' && c <= '9') || c == ' ' || c == '\t' || c == '\n' || (at == 2 && c == '#'))
				continue;
			text[at] = (char)c;
			if (load_bytes(text, strlen("1\n1234567890 7\n"), 0, &t, &f) != -EINVAL || f.line != 2)
				fail_msg("byte 0x%02x was taken in place %zu", (unsigned)c, at - 2);
		}
	}
}

static void a_missing_length_is_one_page_whatever_the_unit(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct fault f;

	assert_int_equal(load_bytes("8\n9 3\n", 6, 0, &t, &f), 0);
	assert_true(req_offset(t.req[0]) == 8 && req_length(t.req[0]) == 4096);
	assert_true(req_offset(t.req[1]) == 9 && req_length(t.req[1]) == 3);
}

static void bad_lines_are_named_with_token_and_reason(void **state _unused_)
{
	refused("1\n2\n0x1000\n", 3, "offset '0x1000': hex");
	refused("1\n2\n1 0x8\n", 3, "length '0x8': hex");
	refused("1_000\n", 1, "'1_000': a separator");
	refused("-5\n", 1, "offset '-5': a sign");
	refused("10 -3\n", 1, "length '-3': a sign");
	refused("# x\n\nabc", 3, "offset 'abc'");
	refused("1e+06\n", 1, "'1e+06': an exponent");
	refused("1.5m 16\n", 1, "'1.5m': a fraction");
	refused("12q\n", 1, "'12q': unknown unit");
	refused("5,6\n", 1, "'5,6'");
	refused("1 2 three\n", 1, "'three' is one field too many (the columns are: offset length)");
	refused("1 2 3\n", 1, "'3' is one field too many");
	refused("1 2#\n", 1, "length '2#'");
	refused("1\r2\n", 1, "offset '1\\x0d2'");
	refused("1 2\r\r\n", 1, "length '2\\x0d'");
	refused("\xff\xfd\n", 1, "offset '\\xff\\xfd'");
	refused("1 \xef\xbb\xbf" "2\n", 1, "length '\\xef");
}

static void what_passes_63_bits_is_refused(void **state _unused_)
{
	static const uint64_t want[][2] = {
		{UINT64_C(9223372036854767616), 4096},
		{UINT64_C(9223372036854775807), 0},
		{UINT64_C(9223372036854775806), 1},
		{0, UINT64_C(9223372036854775807)},
	};

	loads_as("2251799813685246 1\n9223372036854775807b 0\n9223372036854775806b 1b\n0 9223372036854775807b\n", 4,
		 want);
	refused("18446744073709551616b\n", 1, "63 bits");
	refused("1\n18446744073709551615b 16b\n", 2, "63 bits");
	refused("2251799813685248\n", 1, "offset '2251799813685248': does not fit into 63 bits");
	refused("8589934592g\n", 1, "63 bits");
	refused("1 99999999999g\n", 1, "length '99999999999g'");
	refused("9223372036854775807b 1b\n", 1, "offset + length");
	refused("9223372036854771712b\n", 1, "offset + length");
	refused("#columns offset length op\n0b 4611686018427387904b S\n", 2, "62 bits");
}

static void columns_say_what_a_line_holds(void **state _unused_)
{
	static const char text[] = "1 2\n"
				   "#columns op offset length\n"
				   "w 1 2\nT 3\n"
				   "#file 7 /srv/a b # c\n"
				   "#columns time step file offset op \r\n"
				   "1.5 4 7 5 S\n- 0 0 6 d\n"
				   "#columns offset\n"
				   "9\n";
	_cleanup_trace_ struct trace t = {0};
	struct fault f = {0};

	if (load_bytes(text, strlen(text), 0, &t, &f))
		fail_msg("line %d: %s", (int)f.line, f.text);
	assert_int_equal(t.count, 6);
	assert_int_equal(req_op(t.req[0]), OP_READ);
	assert_int_equal(req_op(t.req[1]), OP_WRITE);
	assert_true(req_offset(t.req[1]) == 1 && req_length(t.req[1]) == 2);
	assert_int_equal(req_op(t.req[2]), OP_TRIM);
	assert_true(req_offset(t.req[2]) == 3 && req_length(t.req[2]) == 4096);
	assert_int_equal(req_op(t.req[3]), OP_SYNC);
	assert_true(t.time[2] == TIME_NONE && t.time[3] == 1500000000 && t.time[4] == TIME_NONE);
	assert_true(t.step[2] == 0 && t.step[3] == 4 && t.step[4] == 0);
	assert_true(t.file[2] == 0 && t.file[3] == 7 && t.file[4] == 0);
	assert_int_equal(req_op(t.req[4]), OP_DATASYNC);
	assert_true(req_offset(t.req[5]) == 9 && t.time[5] == TIME_NONE && t.file[5] == 0 && t.step[5] == 0);
	assert_int_equal(t.file_count, 8);
	assert_string_equal(t.files[7], "/srv/a b # c");
}

static void senseless_directives_are_refused(void **state _unused_)
{
	refused("1\n#columns length op\n", 2, "#columns without offset");
	refused("#columns\n", 1, "#columns without offset");
	refused("#columns offset size\n", 1, "#columns 'size': not one of");
	refused("#columns offset Length\n", 1, "'Length'");
	refused("#columns offset length offset\n", 1, "'offset': named twice");
	refused("#file\n", 1, "#file without a number");
	refused("#file x y\n", 1, "#file 'x'");
	refused("#file 65536 y\n", 1, "'65536': over 65535");
	refused("#file 3  \n", 1, "#file '3': without a name");
	refused("#file 3 a\n#file 3 b\n", 2, "#file 'b': that number has another name");
	refused("#columns offset op\n1\n", 2, "'op' is missing (the columns are: offset op)");
	refused("#columns offset length op\n1 R\n", 2, "length 'R'");
	refused("#columns offset length op\n1 2\n", 2, "'op' is missing");
	refused("#columns offset op\n1 RW\n", 2, "op 'RW'");
	refused("#columns offset op\n1 X\n", 2, "op 'X'");
	refused("#columns offset file\n1 65536\n", 2, "file '65536'");
	refused("#columns offset step\n1 4k\n", 2, "step '4k'");
	refused("#columns offset time\n1 -1\n", 2, "time '-1'");
	refused("#columns offset time\n1 0.0000000001\n", 2, "more decimals");
	refused("#columns offset time length\n1 2 3 4\n", 2, "'4' is one field too many (the columns are: offset time length)");
}

static void other_formats_are_recognised(void **state _unused_)
{
	refused_bytes("\xff\xfe" "1\0\n\0", 6, 1, "UTF-16");
	refused_bytes("1\0 \0002\0\n\0", 8, 1, "UTF-16");
	refused_bytes("\0001\0 \0002\0\n", 8, 1, "UTF-16");
	refused_bytes("0 1\n1\0002 3\n4\n", 12, 2, "NUL");
	refused("fio version 2 iolog\n/f add\n", 1, "fio");
	refused("  8,0    3        1     0.000000000   697  G   W 223490 + 8 [kjournald]\n", 1, "blkparse");
	refused("pread64(3, \"\"..., 4096, 8192) = 4096\n", 1, "strace");
	refused("12:00:01.5 openat(AT_FDCWD, \"f\", O_RDONLY) = -1 ENOENT (No such file)\n", 1, "strace");
	refused("# tracer: nop\n fio-1 [0] d..1 1.2: block_rq_issue: 8,0 R 4096\n", 2, "ftrace");
	refused("128166372003061629,hm,0,Read,383496192,32768,413\n", 1, "comma separated");
}

/* Lines 0 1 and 100 8, packed by gzip. */
static const char packed[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33\x50\x30\xe4\x32\x34\x30\x50\xb0\xe0"
			     "\x02\x00\x6a\xe3\xb4\xb5\x0a\x00\x00\x00";

static void packed_traces_are_unpacked(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct fault f = {0};

	assert_int_equal(load_bytes(packed, sizeof(packed) - 1, PAGE_SHIFT, &t, &f), 0);
	assert_int_equal(t.count, 2);
	assert_int_equal(req_offset(t.req[1]), 409600);
	assert_int_equal(load_bytes(packed, sizeof(packed) - 2, PAGE_SHIFT, &t, &f), -EINVAL);
	assert_non_null(strstr(f.text, "cut off"));
}

static void comments_may_be_longer_than_the_buffer(void **state _unused_)
{
	const size_t n = 2 * FORMAT_BUF + 10;
	_cleanup_free_ char *text = malloc(n + 32);
	static const uint64_t want[][2] = {{4096, 4096}, {28672, 8192}};

	assert_non_null(text);
	strcpy(text, "1\n #");
	memset(text + 4, 'x', n);
	strcpy(text + 4 + n, "\n7 2\n");
	loads_as(text, 2, want);
	strcpy(text + 4 + n, "");
	loads_as(text, 1, want);
	/* lines are still counted */
	strcpy(text + 4 + n, "\n7 2\nx\n");
	refused(text, 4, "offset 'x'");
}

static void longer_lines_are_refused_in_small_memory(void **state _unused_)
{
	const size_t n = 3000000;
	_cleanup_free_ char *text = malloc(n + 32);

	assert_non_null(text);
	memset(text, '1', n);
	strcpy(text + n, "\n");
	refused(text, 1, "a line of more than 4096 bytes");
	memset(text, ' ', n);
	refused(text, 1, "a line of more than 4096 bytes");
	memcpy(text, "1\n#columns offset ", 18);
	refused(text, 2, "a line of more than 4096 bytes");
	memset(text, '0', n);
	text[FORMAT_LINE_MAX + 1] = '\0';
	refused(text, 1, "a line of more than 4096 bytes");
	text[FORMAT_LINE_MAX] = '\0';
	loads_as(text, 1, (const uint64_t[][2]){{0, 4096}});
}

static void endless_nul_bytes_are_refused(void **state _unused_)
{
	_cleanup_close_ int fd = open("/dev/zero", O_RDONLY);
	_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, PAGE_SHIFT);
	_cleanup_trace_ struct trace t = {0};
	struct fault f;

	assert_int_equal(trace_reader_rest(r, &t, &f), -EINVAL);
	assert_non_null(strstr(f.text, "NUL"));
}

static void a_directory_says_so(void **state _unused_)
{
	_cleanup_close_ int fd = open("/", O_RDONLY | O_DIRECTORY);
	_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, PAGE_SHIFT);
	_cleanup_trace_ struct trace t = {0};
	struct fault f;

	assert_int_equal(trace_reader_rest(r, &t, &f), -EISDIR);
	assert_string_equal(f.text, "is a directory");
}

struct feed {
	int fd;
	const char *text;
	size_t n, piece;
};

static void *feed(void *arg)
{
	const struct feed *f = arg;

	for (size_t i = 0; i < f->n; i += f->piece)
		if (write(f->fd, f->text + i, MIN(f->piece, f->n - i)) < 0)
			break;
	close(f->fd);
	return NULL;
}

static void how_a_pipe_cuts_the_text_does_not_matter(void **state _unused_)
{
	static const char text[] = "\xef\xbb\xbf" "0 1\r\n# comment\n100 110\n#columns offset op\n7b W\n8b R";

	for (size_t piece = 1; piece < sizeof(text); piece++) {
		_cleanup_trace_ struct trace t = {0};
		_cleanup_reader_ struct trace_reader *r = NULL;
		struct feed f = {.text = text, .n = sizeof(text) - 1, .piece = piece};
		struct fault fault = {0};
		pthread_t thread;
		int fd[2];

		assert_return_code(pipe(fd), errno);
		f.fd = fd[1];
		assert_int_equal(pthread_create(&thread, NULL, feed, &f), 0);
		r = trace_reader_new(fd[0], PAGE_SHIFT);
		if (trace_reader_rest(r, &t, &fault))
			fail_msg("pieces of %zu: line %d: %s", piece, (int)fault.line, fault.text);
		assert_int_equal(pthread_join(thread, NULL), 0);
		close(fd[0]);
		assert_int_equal(t.count, 4);
		assert_true(req_offset(t.req[1]) == 409600 && req_length(t.req[1]) == 450560);
		assert_int_equal(req_op(t.req[2]), OP_WRITE);
		assert_true(req_offset(t.req[3]) == 8);
	}
}

static void a_trace_is_read_in_parts_of_any_size(void **state _unused_)
{
	static const char text[] = "1\n2\n # c\n 3\n4 4\n#columns offset op\n5 W\n6 R\n";

	for (size_t max = 1; max < 8; max++) {
		_cleanup_trace_ struct trace t = {0};
		_cleanup_close_ int fd = memfd_create("trace", MFD_CLOEXEC);
		_cleanup_reader_ struct trace_reader *r = trace_reader_new(fd, 0);
		struct fault f;
		ssize_t n;

		assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
		assert_return_code(lseek(fd, 0, SEEK_SET), errno);
		while ((n = trace_reader_read(r, &t, max, &f)) > 0)
			assert_int_equal(n, MIN(max, 6 - (t.count - (size_t)n)));
		assert_int_equal(n, 0);
		assert_int_equal(trace_reader_read(r, &t, max, &f), 0);
		assert_int_equal(t.count, 6);
		for (size_t i = 0; i < 6; i++)
			assert_true(req_offset(t.req[i]) == i + 1);
	}
}

static void a_second_trace_is_appended_with_defaults(void **state _unused_)
{
	_cleanup_trace_ struct trace t = {0};
	struct fault f;

	assert_int_equal(load_bytes("#columns offset time file step\n1 1 1 1\n", 39, 0, &t, &f), 0);
	assert_int_equal(load_bytes("2 3\n4 5\n", 8, 0, &t, &f), 0);
	assert_int_equal(t.count, 3);
	assert_true(req_offset(t.req[2]) == 4 && req_length(t.req[2]) == 5);
	for (size_t i = 1; i < 3; i++)
		assert_true(t.time[i] == TIME_NONE && t.file[i] == 0 && t.step[i] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_offset_and_length),
		cmocka_unit_test(numbers_of_any_number_of_digits_are_taken),
		cmocka_unit_test(no_other_byte_is_taken_for_a_digit),
		cmocka_unit_test(a_missing_length_is_one_page_whatever_the_unit),
		cmocka_unit_test(bad_lines_are_named_with_token_and_reason),
		cmocka_unit_test(what_passes_63_bits_is_refused),
		cmocka_unit_test(columns_say_what_a_line_holds),
		cmocka_unit_test(senseless_directives_are_refused),
		cmocka_unit_test(other_formats_are_recognised),
		cmocka_unit_test(packed_traces_are_unpacked),
		cmocka_unit_test(comments_may_be_longer_than_the_buffer),
		cmocka_unit_test(longer_lines_are_refused_in_small_memory),
		cmocka_unit_test(endless_nul_bytes_are_refused),
		cmocka_unit_test(a_directory_says_so),
		cmocka_unit_test(how_a_pipe_cuts_the_text_does_not_matter),
		cmocka_unit_test(a_trace_is_read_in_parts_of_any_size),
		cmocka_unit_test(a_second_trace_is_appended_with_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
