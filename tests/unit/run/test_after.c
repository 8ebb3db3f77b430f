/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays on memory, and what is done after each loop. Faults are those that the kernel counts for the jobs. */
#include "stage.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/residency.h"
#include "io/target.h"

#define MANY 512
#define LOOPS 5

/* ThreadSanitizer does not follow a process with threads that forks. */
#if defined(__SANITIZE_THREAD__)
#define FORKS false
#else
#define FORKS true
#endif

/* Of the jobs themselves, and of a sanitizer's own memory; fewer than four loops of two jobs make. */
#define MORE_FAULTS 3000

/* n writes of a page each, in order. */
static struct trace writes(size_t n)
{
	struct trace t = pages(n);

	for (size_t i = 0; i < n; i++)
		t.req[i] = req_make(req_offset(t.req[i]), PAGE_BYTES, OP_WRITE);
	return t;
}

static const struct io_hint small_pages = {.advice = ADVISE_NOHUGEPAGE, .length = HINT_TO_END};

/* Two jobs that each touch all of their own anonymous memory, in pages of the smallest size. */
static struct play_params touching(unsigned after_count, enum play_after first, enum play_after second)
{
	struct play_params p = params_of("mmap");

	p.target = "anon:512p";
	p.write = true;
	p.hints = &small_pages;
	p.hint_count = 1;
	p.jobs = 2;
	p.split = SPLIT_COPY;
	p.loops = LOOPS;
	p.after[0] = first;
	p.after[1] = second;
	p.after_count = after_count;
	return p;
}

/* So many faults, and a few more of the jobs themselves. */
static void expect_faults(const struct play_result *r, uint64_t want)
{
	if (sysconf(_SC_PAGESIZE) != PAGE_BYTES)
		skip_because("pages are not of 4096 bytes here");
	assert_in_range(r->minor_faults, want, want + MORE_FAULTS);
}

static void each_job_has_memory_of_its_own_for_all_its_loops(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = writes(MANY);
	struct play_params p = touching(0, AFTER_BARRIER, AFTER_BARRIER);
	struct play_result r = play_once(&p, &t);

	assert_int_equal(r.requests, 2 * LOOPS * MANY);
	assert_int_equal(r.loops, LOOPS);
	expect_faults(&r, 2 * MANY);
}

static void memory_that_was_given_back_is_faulted_in_by_each_loop(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = writes(MANY);
	const struct play_params shapes[] = {
		touching(1, AFTER_DONTNEED, AFTER_BARRIER),
		touching(2, AFTER_BARRIER, AFTER_DONTNEED),
		touching(2, AFTER_DONTNEED, AFTER_BARRIER),
	};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct play_params p = shapes[i];

		for (int latency = 0; latency < 2; latency++) {
			struct play_result r;

			p.latency = latency;
			r = play_once(&p, &t);
			assert_int_equal(r.op[OP_WRITE].requests, 2 * LOOPS * MANY);
			assert_int_equal(r.op[OP_WRITE].bytes, r.bytes);
			expect_faults(&r, 2 * LOOPS * MANY);
		}
	}
}

static void reads_of_memory_that_is_given_back_are_faults_too(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(MANY);
	struct play_params p = touching(1, AFTER_DONTNEED, AFTER_BARRIER);
	struct play_result r = play_once(&p, &t);

	assert_int_equal(r.op[OP_READ].requests, 2 * LOOPS * MANY);
	expect_faults(&r, 2 * LOOPS * MANY);
}

/* A child that has the pages in common makes the next write to each a fault, in whatever thread. */
static void after_a_fork_each_page_is_a_fault_again(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = writes(MANY);
	struct play_params p = touching(2, AFTER_BARRIER, AFTER_FORK);
	struct play_result r;

	if (!FORKS)
		skip_because("ThreadSanitizer does not follow a fork of threads");
	r = play_once(&p, &t);
	assert_int_equal(r.loops, LOOPS);
	expect_faults(&r, 2 * LOOPS * MANY);
}

static void a_mapping_of_a_file_loses_its_page_tables_and_keeps_its_cache(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("mmap");
	struct play_result once, again;

	p.cache = CACHE_KEEP;
	p.loops = LOOPS;
	(void)play_once(&p, &t); /* all is cached now */
	once = play_once(&p, &t);
	p.after[p.after_count++] = AFTER_DONTNEED;
	again = play_once(&p, &t);
	assert_int_equal(again.major_faults, 0);
	/* One fault maps up to 16 pages around (fault_around_bytes). */
	assert_true(again.minor_faults >= once.minor_faults + (LOOPS - 1) * (PAGES / 16));
}

static void cold_and_paged_out_memory_plays_on(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = writes(MANY);
	struct play_params p = touching(2, AFTER_COLD, AFTER_PAGEOUT);
	struct play_result r = play_once(&p, &t);

	assert_int_equal(r.loops, LOOPS);
	assert_int_equal(r.errors, 0);
}

static void a_memfd_is_one_file_for_all_engines_and_jobs(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace out = writes(PAGES), in = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.target = "memfd:64p";
		p.write = true;
		p.jobs = 2;
		p.loops = 3;
		p.depth = deep(e);
		p.after[p.after_count++] = AFTER_BARRIER;
		r = play_once(&p, &out);
		CHECK(e, r, bytes, 3 * SIZE);
		CHECK(e, r, op[OP_WRITE].requests, 3 * PAGES);
		CHECK(e, r, errors, 0);
		r = play_once(&p, &in);
		CHECK(e, r, bytes, 3 * SIZE);
	}
}

static void a_memfd_is_empty_again_in_each_run_unless_it_is_kept(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = writes(PAGES);

	for (int keep = 0; keep < 2; keep++) {
		struct play_params p = params_of("pread");
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_info info;
		struct residency here;
		struct play_result r;
		struct fault fault;

		p.target = "memfd:64p";
		p.write = true;
		p.cache = keep ? CACHE_KEEP : CACHE_DROP_FIRST;
		play = opened(&p, &t);
		play_get_info(play, &info);
		assert_int_equal(info.target->kind, TARGET_MEMFD);
		assert_int_equal(play_run(play, false, &r, &fault), 0);
		assert_int_equal(play_prepare(play, &fault), 0);
		assert_int_equal(target_residency(info.target, &here), 0);
		assert_int_equal(here.cached, keep ? PAGES : 0);
	}
}

/* Each page of "f" is 0xee. */
static void fill_file(void)
{
	_cleanup_close_ int fd = open("f", O_WRONLY);
	char page[PAGE_BYTES];

	memset(page, 0xee, sizeof(page));
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(pwrite(fd, page, sizeof(page), (off_t)(i * sizeof(page))), sizeof(page));
}

/*
 * A touch writes the first byte of its data, a copy all of them, whether they are issued many at a time, as zeros are,
 * or one by one behind reads that fill the same buffer. Each write here begins with the second byte of a page.
 */
static void touches_of_a_mix_are_counted_by_op_and_write_what_they_should(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);

	for (size_t i = 0; i < PAGES; i++)
		if (i % 8 >= 5)
			t.req[i] = req_make(i * PAGE_BYTES + 1, PAGE_BYTES - 1, OP_WRITE);
	for (int shape = 0; shape < 8; shape++) {
		struct play_params p = params_of("mmap");
		_cleanup_(play_closep) struct play *play = NULL;
		_cleanup_close_ int fd = open("f", O_RDONLY);
		struct play_result r;
		unsigned char byte[3];

		fill_file();
		p.write = true;
		p.latency = shape % 2;
		p.data = shape / 2 % 2 ? DATA_OFFSET : DATA_ZERO;
		p.touch = shape / 4 ? TOUCH_COPY : TOUCH_PAGE;
		play = opened(&p, &t);
		r = play_again(play);
		assert_int_equal(r.requests, PAGES);
		assert_int_equal(r.op[OP_READ].requests, PAGES / 8 * 5);
		assert_int_equal(r.op[OP_WRITE].requests, PAGES / 8 * 3);
		assert_int_equal(r.op[OP_WRITE].bytes, PAGES / 8 * 3 * (PAGE_BYTES - 1));
		assert_int_equal(r.bytes, r.op[OP_READ].bytes + r.op[OP_WRITE].bytes);
		if (p.latency)
			assert_int_equal(r.op[OP_WRITE].latency->count, PAGES / 8 * 3);
		for (size_t i = 0; i < PAGES; i++) {
			unsigned char written = p.data == DATA_OFFSET ? (unsigned char)(i * PAGE_BYTES >> 8) : 0;

			assert_int_equal(pread(fd, byte, sizeof(byte), (off_t)(i * PAGE_BYTES)), sizeof(byte));
			assert_int_equal(byte[0], 0xee);
			assert_int_equal(byte[1], i % 8 >= 5 ? written : 0xee);
			if (p.data == DATA_ZERO)
				assert_int_equal(byte[2], i % 8 >= 5 && p.touch == TOUCH_COPY ? 0 : 0xee);
		}
	}
}

static void what_memory_cannot_do_is_refused_in_words(void **state _unused_)
{
	static const struct play_map onto_memory = {.file = "0", .target = "anon:1p"};
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");

	p.target = "anon:1p";
	expect_refusal(&p, &t, -EINVAL, "engine pread needs");
	p = params_of("pread");
	p.map = &onto_memory;
	p.map_count = 1;
	expect_refusal(&p, &t, -EINVAL, "engine pread needs");
	p = params_of("pread");
	p.target = "memfd:1p";
	p.direct = true;
	expect_refusal(&p, &t, -EINVAL, "no direct I/O");
	p = params_of("pread");
	p.after[p.after_count++] = AFTER_DONTNEED;
	expect_refusal(&p, &t, -EINVAL, "has mapped nothing");
	p = params_of("mmap");
	p.target = "anon:0";
	expect_refusal(&p, &t, -EINVAL, "no size");
	p.target = "memfd:1x";
	expect_refusal(&p, &t, -EINVAL, "unknown unit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_job_has_memory_of_its_own_for_all_its_loops),
		cmocka_unit_test(memory_that_was_given_back_is_faulted_in_by_each_loop),
		cmocka_unit_test(reads_of_memory_that_is_given_back_are_faults_too),
		cmocka_unit_test(after_a_fork_each_page_is_a_fault_again),
		cmocka_unit_test_setup(a_mapping_of_a_file_loses_its_page_tables_and_keeps_its_cache, full_file),
		cmocka_unit_test(cold_and_paged_out_memory_plays_on),
		cmocka_unit_test(a_memfd_is_one_file_for_all_engines_and_jobs),
		cmocka_unit_test(a_memfd_is_empty_again_in_each_run_unless_it_is_kept),
		cmocka_unit_test_setup(touches_of_a_mix_are_counted_by_op_and_write_what_they_should, full_file),
		cmocka_unit_test(what_memory_cannot_do_is_refused_in_words),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
