/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What plays write, and that --verify finds what is not where it belongs. */
#include "stage.h"

#include <endian.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/payload.h"

static char content[SIZE];

static void read_content(void)
{
	_cleanup_close_ int fd = open("f", O_RDONLY);

	assert_int_equal(pread(fd, content, SIZE, 0), SIZE);
}

static void write_content(uint64_t offset, const void *data, size_t n)
{
	_cleanup_close_ int fd = open("f", O_WRONLY);

	assert_int_equal(pwrite(fd, data, n, (off_t)offset), n);
}

/* Every byte of "f" is 0xee. */
static int marked_file(void **state)
{
	full_file(state);
	memset(content, 0xee, SIZE);
	write_content(0, content, SIZE);
	return 0;
}

static uint8_t byte_of_offset(uint64_t at)
{
	return (uint8_t)((at & ~UINT64_C(7)) >> 8 * (at & 7));
}

static bool writes(const struct engine *e)
{
	/* The null engine writes nothing, which is its purpose. */
	return e->flags & ENGINE_WRITE && strcmp(e->name, "null") != 0;
}

static struct play_params writing(const struct engine *e, enum play_data data)
{
	struct play_params p = params_of(e->name);

	p.write = true;
	p.data = data;
	p.depth = deep(e);
	p.touch = e->flags & ENGINE_TOUCH ? TOUCH_COPY : TOUCH_PAGE;
	return p;
}

/* Odd places, odd lengths, more than a buffer, and one across the end. */
static struct trace odd_writes(void)
{
	struct trace t = one_request(3, 5, OP_WRITE);

	assert_int_equal(trace_push(&t, req_make(PAGE_BYTES - 1, 2, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(3 * PAGE_BYTES + 7, 9 * PAGE_BYTES + 3, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(SIZE - 100, PAGE_BYTES, OP_WRITE)), 0);
	return t;
}

static bool is_written(const struct trace *t, uint64_t at)
{
	for (size_t i = 0; i < t->count; i++)
		if (at - req_offset(t->req[i]) < req_length(t->req[i]))
			return true;
	return false;
}

static void offset_data_lands_where_it_says(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = odd_writes();
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p;
		struct play_result r;
		struct stat st;

		if (!writes(e))
			continue;
		marked_file(NULL);
		p = writing(e, DATA_OFFSET);
		r = play_once(&p, &t);
		CHECK(e, r, requests, 4);
		CHECK(e, r, op[OP_WRITE].requests, 4);
		CHECK(e, r, op[OP_WRITE].bytes, 5 + 2 + 9 * PAGE_BYTES + 3 + 100);
		CHECK(e, r, bytes, r.op[OP_WRITE].bytes);
		CHECK(e, r, op[OP_READ].requests + r.op[OP_READ].bytes, 0);
		CHECK(e, r, past_end_bytes, PAGE_BYTES - 100);
		CHECK(e, r, errors + r.short_reads, 0);
		assert_int_equal(stat("f", &st), 0);
		assert_int_equal(st.st_size, SIZE);
		read_content();
		for (uint64_t at = 0; at < SIZE; at++)
			if ((uint8_t)content[at] != (is_written(&t, at) ? byte_of_offset(at) : 0xee))
				fail_msg("%s: byte %ju is %02x", e->name, (uintmax_t)at, (uint8_t)content[at]);
	}
}

static void zeros_are_zeros_also_after_a_read(void **state _unused_)
{
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(trace_fini) struct trace t = pages(PAGES);
		struct play_params p;

		if (!writes(e))
			continue;
		marked_file(NULL);
		for (size_t n = 1; n < PAGES; n += 2)
			t.req[n] = req_make(n * PAGE_BYTES, PAGE_BYTES, OP_WRITE);
		p = writing(e, DATA_ZERO);
		play_once(&p, &t);
		read_content();
		for (uint64_t at = 0; at < SIZE; at++)
			if ((uint8_t)content[at] != (at / PAGE_BYTES % 2 ? 0 : 0xee))
				fail_msg("%s: byte %ju is %02x", e->name, (uintmax_t)at, (uint8_t)content[at]);
	}
}

static void random_data_has_no_two_equal_blocks_and_follows_its_seed(void **state _unused_)
{
	static char before[SIZE];
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(trace_fini) struct trace t = pages(PAGES);
		struct play_params p;

		if (!writes(e))
			continue;
		for (size_t n = 0; n < PAGES; n++)
			t.req[n] = req_make(n * PAGE_BYTES, PAGE_BYTES, OP_WRITE);
		p = writing(e, DATA_RANDOM);
		p.depth = 1;
		p.seed = 5;
		play_once(&p, &t);
		read_content();
		for (size_t a = 0; a < PAGES; a++)
			for (size_t b = 0; b < a; b++)
				assert_memory_not_equal(content + a * PAGE_BYTES, content + b * PAGE_BYTES, PAGE_BYTES);
		memcpy(before, content, SIZE);
		play_once(&p, &t);
		read_content();
		assert_memory_equal(content, before, SIZE);
		p.seed = 6;
		play_once(&p, &t);
		read_content();
		assert_memory_not_equal(content, before, SIZE);
	}
}

static void nothing_is_written_without_leave(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = odd_writes();
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		expect_refusal(&p, &t, -EINVAL, "4 writes");
	}
	read_content();
	for (uint64_t at = 0; at < SIZE; at++)
		assert_int_equal((uint8_t)content[at], 0xee);
}

static void trims_make_holes_and_syncs_move_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one_request(PAGE_BYTES, 2 * PAGE_BYTES, OP_TRIM);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(0, 0, OP_SYNC)), 0);
	assert_int_equal(trace_push(&t, req_make(SIZE, 77, OP_DATASYNC)), 0);
	assert_int_equal(trace_push(&t, req_make(3 * PAGE_BYTES, PAGE_BYTES, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p;
		struct play_result r;

		if (!writes(e) || !(e->flags & ENGINE_TRIM))
			continue;
		marked_file(NULL);
		p = writing(e, DATA_ZERO);
		p.depth = 1;
		p.latency = true;
		{
			_cleanup_(play_closep) struct play *play = opened(&p, &t);

			r = play_again(play);
			CHECK(e, r, op[OP_TRIM].latency->count, 1);
			CHECK(e, r, op[OP_SYNC].latency->count, 1);
			CHECK(e, r, op[OP_DATASYNC].latency->count, 1);
			CHECK(e, r, op[OP_READ].latency->count, 1);
			assert_null(r.op[OP_WRITE].latency);
		}
		CHECK(e, r, requests, 4);
		CHECK(e, r, seeks, 1); /* the read follows the trim; syncs have no place */
		CHECK(e, r, bytes, PAGE_BYTES);
		CHECK(e, r, op[OP_TRIM].bytes, 2 * PAGE_BYTES);
		CHECK(e, r, op[OP_SYNC].requests, 1);
		CHECK(e, r, op[OP_DATASYNC].requests, 1);
		CHECK(e, r, op[OP_READ].requests, 1);
		CHECK(e, r, errors + r.past_end_requests + r.short_reads, 0);
		read_content();
		for (uint64_t at = 0; at < SIZE; at++)
			assert_int_equal((uint8_t)content[at], at / PAGE_BYTES == 1 || at / PAGE_BYTES == 2 ? 0 : 0xee);
	}
}

static void fsync_every_adds_syncs_that_are_no_requests(void **state _unused_)
{
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(trace_fini) struct trace t = pages(11);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_params p;
		struct play_result r;

		if (!writes(e))
			continue;
		for (size_t n = 0; n < 11; n++)
			t.req[n] = req_make(n * PAGE_BYTES, PAGE_BYTES, OP_WRITE);
		p = writing(e, DATA_ZERO);
		p.fsync_every = 3;
		p.latency = true;
		play = opened(&p, &t);
		r = play_again(play);
		CHECK(e, r, requests, 11);
		CHECK(e, r, added_syncs, 3);
		CHECK(e, r, op[OP_SYNC].requests, 0);
		CHECK(e, r, op[OP_SYNC].latency->count, 3);
		CHECK(e, r, op[OP_WRITE].latency->count, 11);
		CHECK(e, r, seeks, 1);
	}
}

static struct trace reads_of(uint64_t offset, uint64_t length)
{
	struct trace t = one_request(offset, length, OP_READ);

	assert_int_equal(trace_push(&t, req_make(0, SIZE, OP_READ)), 0);
	return t;
}

static bool verifies(const struct engine *e)
{
	return e->flags & (ENGINE_BUFFER | ENGINE_TOUCH);
}

static void verify_finds_a_torn_block_and_says_where(void **state _unused_)
{
	const uint64_t torn = 9 * PAGE_BYTES + 512, value = htole64(UINT64_C(0x1234567890));
	_cleanup_(trace_fini) struct trace t = reads_of(torn + 3, PAGE_BYTES);
	const struct engine *e;

	for (uint64_t at = 0; at < SIZE; at++)
		content[at] = (char)byte_of_offset(at);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		if (!verifies(e))
			continue;
		write_content(0, content, SIZE);
		p.verify = true;
		p.depth = deep(e);
		p.touch = e->flags & ENGINE_TOUCH ? TOUCH_COPY : TOUCH_PAGE;
		r = play_once(&p, &t);
		CHECK(e, r, bad_words + r.bad_requests + r.errors, 0);
		/* The word at torn, and a whole block that went astray. */
		write_content(torn, &value, sizeof(value));
		write_content(20 * PAGE_BYTES, content + 30 * PAGE_BYTES, 512);
		r = play_once(&p, &t);
		CHECK(e, r, bad_words, 1 + 1 + 512 / 8);
		CHECK(e, r, bad_requests, 2);
		CHECK(e, r, first_bad_request, 1);
		CHECK(e, r, first_bad_offset, torn);
		CHECK(e, r, bytes, SIZE + PAGE_BYTES);
		/* Of the first request only bytes from the fourth on were read, and those before are taken as good. */
		CHECK(e, r, first_bad_value, (0x1234567890 & ~UINT64_C(0xffffff)) | (torn & 0xffffff));
		CHECK(e, r, errors, 0);
	}
}

static void a_word_that_is_cut_by_requests_is_compared_by_its_parts(void **state _unused_)
{
	char buf[40];
	struct rng rng;
	struct payload_bad bad;

	rng_init(&rng, 1);
	for (uint64_t offset = 1000; offset < 1016; offset++) {
		for (size_t n = 0; n <= sizeof(buf); n++) {
			payload_fill(buf, n, DATA_OFFSET, offset, &rng, false);
			for (size_t i = 0; i < n; i++)
				assert_int_equal((uint8_t)buf[i], byte_of_offset(offset + i));
			payload_check(buf, n, offset, &bad);
			assert_int_equal(bad.words, 0);
			for (size_t i = 0; i < n; i++) {
				buf[i] ^= 0x40;
				payload_check(buf, n, offset, &bad);
				buf[i] ^= 0x40;
				assert_int_equal(bad.words, 1);
				assert_int_equal(bad.offset, (offset + i) & ~UINT64_C(7));
				assert_true(bad.value == (bad.offset ^ UINT64_C(0x40) << 8 * ((offset + i) & 7)));
			}
		}
	}
}

static void what_makes_no_sense_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");

	p.fsync_every = 1;
	expect_refusal(&p, &t, -EINVAL, "leave to write");
	p = params_of("pread");
	p.dsync = true;
	expect_refusal(&p, &t, -EINVAL, "leave to write");
	p = params_of("pread");
	p.verify = p.write = true;
	expect_refusal(&p, &t, -EINVAL, "offsets");
	p = params_of("null");
	p.verify = true;
	expect_refusal(&p, &t, -EINVAL, "null");
	p = params_of("mmap");
	p.verify = true;
	expect_refusal(&p, &t, -EINVAL, "copies");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(offset_data_lands_where_it_says, marked_file),
		cmocka_unit_test_setup(zeros_are_zeros_also_after_a_read, marked_file),
		cmocka_unit_test_setup(random_data_has_no_two_equal_blocks_and_follows_its_seed, marked_file),
		cmocka_unit_test_setup(nothing_is_written_without_leave, marked_file),
		cmocka_unit_test_setup(trims_make_holes_and_syncs_move_nothing, marked_file),
		cmocka_unit_test_setup(fsync_every_adds_syncs_that_are_no_requests, marked_file),
		cmocka_unit_test_setup(verify_finds_a_torn_block_and_says_where, marked_file),
		cmocka_unit_test(a_word_that_is_cut_by_requests_is_compared_by_its_parts),
		cmocka_unit_test_setup(what_makes_no_sense_is_refused, marked_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
