/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/input.h"

#define TEXT_BYTES 300000

static char text[TEXT_BYTES];
static char packed[2 * TEXT_BYTES], unpacked[3 * TEXT_BYTES];

/* Lines of numbers: packs well, but not to nothing. */
static int make_text(void **state _unused_)
{
	size_t at = 0;

	for (unsigned i = 0; at < sizeof(text); i++) {
		char line[32];
		int n = snprintf(line, sizeof(line), "%u %u\n", i * 2654435761u, i);

		memcpy(text + at, line, MIN((size_t)n, sizeof(text) - at));
		at += MIN((size_t)n, sizeof(text) - at);
	}
	return 0;
}

static size_t pack(int (*filter)(struct archive *), const void *data, size_t n, char *out, size_t cap)
{
	struct archive *a = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t used = 0;

	assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
	assert_int_equal(filter(a), ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(a, 1);
	assert_int_equal(archive_write_open_memory(a, out, cap, &used), ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, data, n), (la_ssize_t)n);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_entry_free(entry);
	archive_write_free(a);
	return used;
}

/* All of an input, by reads of step bytes. The length, or -errno. */
static ssize_t read_all(struct input *in, char *buf, size_t cap, size_t step, struct fault *fault)
{
	size_t at = 0;

	for (;;) {
		ssize_t r;

		assert_true(at < cap);
		r = input_read(in, buf + at, MIN(step, cap - at), fault);
		if (r <= 0)
			return r < 0 ? r : (ssize_t)at;
		at += (size_t)r;
	}
}

static ssize_t unpack(const void *data, size_t n, struct fault *fault)
{
	_cleanup_(input_freep) struct input *in = NULL;
	int r = input_of_memory(&in, data, n, fault);

	return r ? r : read_all(in, unpacked, sizeof(unpacked), 10007, fault);
}

static const struct {
	const char *name;
	int (*filter)(struct archive *);
} kind[] = {
	{"gzip", archive_write_add_filter_gzip},
	{"zstd", archive_write_add_filter_zstd},
	{"xz", archive_write_add_filter_xz},
	{"lz4", archive_write_add_filter_lz4},
};

static void every_packing_is_told_by_its_bytes_and_unpacked(void **state _unused_)
{
	for (size_t k = 0; k < ARRAY_SIZE(kind); k++) {
		_cleanup_(input_freep) struct input *in = NULL;
		struct fault fault = {0};
		size_t n = pack(kind[k].filter, text, sizeof(text), packed, sizeof(packed));

		assert_int_equal(input_of_memory(&in, packed, n, &fault), 0);
		assert_string_equal(input_packing(in), kind[k].name);
		assert_int_equal(read_all(in, unpacked, sizeof(unpacked), 4096, &fault), sizeof(text));
		assert_memory_equal(unpacked, text, sizeof(text));
		assert_int_equal(input_read(in, unpacked, 1, &fault), 0);
	}
}

static void packings_behind_one_another_are_one_text(void **state _unused_)
{
	for (size_t k = 0; k < ARRAY_SIZE(kind); k++) {
		struct fault fault = {0};
		size_t n = pack(kind[k].filter, text, 100000, packed, sizeof(packed));

		n += pack(kind[k].filter, text + 100000, 50000, packed + n, sizeof(packed) - n);
		assert_int_equal(unpack(packed, n, &fault), 150000);
		assert_memory_equal(unpacked, text, 150000);
	}
}

static void a_cut_anywhere_is_an_error(void **state _unused_)
{
	for (size_t k = 0; k < ARRAY_SIZE(kind); k++) {
		size_t n = pack(kind[k].filter, text, 5000, packed, sizeof(packed));

		for (size_t cut = 6; cut < n; cut += cut < n - 20 ? 97 : 1) {
			struct fault fault = {0};

			if (unpack(packed, cut, &fault) != -EINVAL)
				fail_msg("%s cut to %zu of %zu bytes was taken", kind[k].name, cut, n);
			assert_non_null(strstr(fault.text, "cut off"));
		}
	}
}

static void a_damaged_byte_is_an_error(void **state _unused_)
{
	for (size_t k = 0; k < ARRAY_SIZE(kind); k++) {
		size_t n = pack(kind[k].filter, text, 50000, packed, sizeof(packed));

		/* libarchive, unlike zstd itself, writes zstd frames without a check sum */
		if (strcmp(kind[k].name, "zstd") == 0)
			continue;
		for (size_t at = n / 3; at < n - 20; at += n / 5) {
			struct fault fault = {0};

			packed[at] = (char)(packed[at] ^ 0x10);
			if (unpack(packed, n, &fault) != -EINVAL)
				fail_msg("%s with byte %zu of %zu changed was taken", kind[k].name, at, n);
			packed[at] = (char)(packed[at] ^ 0x10);
		}
	}
}

static void gzip_data_may_be_padded_with_zeros_only(void **state _unused_)
{
	struct fault fault = {0};
	size_t n = pack(archive_write_add_filter_gzip, text, 1000, packed, sizeof(packed));

	memset(packed + n, 0, 512);
	assert_int_equal(unpack(packed, n + 512, &fault), 1000);
	packed[n + 511] = 'x';
	assert_int_equal(unpack(packed, n + 512, &fault), -EINVAL);
}

static void an_empty_text_unpacks_to_nothing(void **state _unused_)
{
	static const unsigned char lz4[] = {0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0, 0, 0x05, 0x5d, 0xcc, 0x02};

	/* libarchive's lz4 writer dies of an empty text */
	for (size_t k = 0; k < ARRAY_SIZE(kind) - 1; k++) {
		struct fault fault = {0};
		size_t n = pack(kind[k].filter, "", 0, packed, sizeof(packed));

		assert_int_equal(unpack(packed, n, &fault), 0);
	}
	assert_int_equal(unpack(lz4, sizeof(lz4), &(struct fault){0}), 0);
}

static void what_only_begins_like_a_packing_is_plain(void **state _unused_)
{
	static const char *const plain[] = {"", "0", "\x1f", "\x1f\x8b", ("\xfd" "7zX"), "0 1\n2 3\n", "\x28\xb5\x2f"};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		struct fault fault = {0};
		size_t n = strlen(plain[i]);

		assert_int_equal(unpack(plain[i], n, &fault), (ssize_t)n);
		assert_memory_equal(unpacked, plain[i], n);
	}
}

/* Some bytes that unpack to a hundred thousand times as many: they stream. */
static void a_bomb_streams(void **state _unused_)
{
	static char zeros[1 << 20];
	_cleanup_(input_freep) struct input *in = NULL;
	struct fault fault = {0};
	size_t n = 0, total = 0;

	for (int i = 0; i < 64; i++)
		n += pack(archive_write_add_filter_zstd, zeros, sizeof(zeros), packed + n, sizeof(packed) - n);
	assert_true(n < 16384);
	assert_int_equal(input_of_memory(&in, packed, n, &fault), 0);
	for (ssize_t r; (r = input_read(in, unpacked, 100000, &fault)) > 0;)
		total += (size_t)r;
	assert_int_equal(total, 64 << 20);
}

struct drip {
	int fd;
	const char *data;
	size_t n;
};

static void *write_slowly(void *arg)
{
	const struct drip *d = arg;

	for (size_t i = 0; i < d->n; i++)
		if (write(d->fd, d->data + i, 1) != 1)
			break;
	close(d->fd);
	return NULL;
}

static void a_pipe_may_bring_single_bytes(void **state _unused_)
{
	for (size_t k = 0; k <= ARRAY_SIZE(kind); k++) {
		_cleanup_(input_freep) struct input *in = NULL;
		struct fault fault = {0};
		struct drip d = {.data = text, .n = 3000};
		pthread_t thread;
		int p[2];

		if (k < ARRAY_SIZE(kind)) {
			d.data = packed;
			d.n = pack(kind[k].filter, text, 3000, packed, sizeof(packed));
		}
		assert_int_equal(pipe(p), 0);
		d.fd = p[1];
		assert_int_equal(pthread_create(&thread, NULL, write_slowly, &d), 0);
		assert_int_equal(input_of_fd(&in, p[0], &fault), 0);
		assert_int_equal(read_all(in, unpacked, sizeof(unpacked), 4096, &fault), 3000);
		assert_memory_equal(unpacked, text, 3000);
		pthread_join(thread, NULL);
		close(p[0]);
	}
}

static void what_cannot_be_opened_is_said(void **state _unused_)
{
	struct input *in = NULL;
	struct fault fault = {0};

	assert_int_equal(input_open(&in, "/nonexistent/file", &fault), -ENOENT);
	assert_string_equal(fault.text, "No such file or directory");
	assert_int_equal(input_open(&in, "/", &fault), -EISDIR);
	assert_string_equal(fault.text, "is a directory");
	assert_null(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packing_is_told_by_its_bytes_and_unpacked),
		cmocka_unit_test(packings_behind_one_another_are_one_text),
		cmocka_unit_test(a_cut_anywhere_is_an_error),
		cmocka_unit_test(a_damaged_byte_is_an_error),
		cmocka_unit_test(gzip_data_may_be_padded_with_zeros_only),
		cmocka_unit_test(an_empty_text_unpacks_to_nothing),
		cmocka_unit_test(what_only_begins_like_a_packing_is_plain),
		cmocka_unit_test(a_bomb_streams),
		cmocka_unit_test(a_pipe_may_bring_single_bytes),
		cmocka_unit_test(what_cannot_be_opened_is_said),
	};

	return cmocka_run_group_tests(tests, make_text, NULL);
}
