/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page cache as a play wants it, looked at page by page by mincore(2). */
#include "stage.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/rng.h"
#include "run/cache_state.h"

#define FILE_PAGES 2048
#define FILE_SIZE (FILE_PAGES * PAGE_BYTES - 100)

static const atomic_bool never = false;

/* "f" with data in every block, on a disk. */
static int make(void **state _unused_)
{
	_cleanup_close_ int fd = open("f", O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0644);
	static char page[PAGE_BYTES];

	memset(page, 'x', sizeof(page));
	for (size_t i = 0; i < FILE_PAGES; i++)
		if (pwrite(fd, page, MIN(sizeof(page), FILE_SIZE - i * PAGE_BYTES), (off_t)(i * PAGE_BYTES)) < 0)
			return -1;
	return fsync(fd);
}

static void needs_a_cache_of_4096(void)
{
	struct statfs fs;

	if (sysconf(_SC_PAGESIZE) != (long)PAGE_BYTES)
		skip_because("pages here are larger");
	if (statfs(".", &fs) < 0 || fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC)
		skip_because("what this file system caches cannot be dropped, or is not this file's");
}

static void look(unsigned char *vec)
{
	_cleanup_close_ int fd = open("f", O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, FILE_PAGES * PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	assert_true(map != MAP_FAILED);
	assert_int_equal(mincore(map, FILE_PAGES * PAGE_BYTES, vec), 0);
	munmap(map, FILE_PAGES * PAGE_BYTES);
	for (size_t i = 0; i < FILE_PAGES; i++)
		vec[i] &= 1;
}

/* Which pages a trace asks for, and which the ranges have. */
static void mark(unsigned char *vec, uint64_t offset, uint64_t length, unsigned char what)
{
	uint64_t end = MIN(offset + length, (uint64_t)FILE_SIZE);

	if (length && offset < end)
		for (uint64_t page = offset / PAGE_BYTES; page <= (end - 1) / PAGE_BYTES; page++)
			vec[page] = what;
}

static struct trace scattered(struct rng *rng, size_t n)
{
	struct trace t;

	trace_init(&t);
	for (size_t i = 0; i < n; i++) {
		enum op op = (enum op)rng_below(rng, OP_COUNT);

		assert_int_equal(trace_push(&t, req_make(rng_below(rng, FILE_SIZE + 9 * PAGE_BYTES), rng_below(rng, 20000), op)), 0);
	}
	return t;
}

struct stand {
	struct play_params params;
	struct targets targets;
	struct cache_state state;
	struct play_cache_set done;
	uint64_t left;
};

static void stand_fini(struct stand *s)
{
	cache_state_fini(&s->state);
	targets_close(&s->targets);
}

static void set(struct stand *s, const struct trace *t)
{
	struct fault fault;

	s->left = UINT64_MAX;
	assert_int_equal(targets_open(&s->targets, &s->params, t, &fault), 0);
	if (cache_state_init(&s->state, &s->params, t, &s->targets, &fault) < 0 ||
	    cache_state_set(&s->state, &s->done, &s->left, &never, &fault) < 0)
		fail_msg("%s", fault.text);
}

static void expect_pages(const unsigned char *got, const unsigned char *want)
{
	for (size_t i = 0; i < FILE_PAGES; i++)
		if (got[i] != want[i])
			fail_msg("page %zu is %s", i, got[i] ? "cached" : "not cached");
}

static void cold_is_what_the_ranges_say_and_the_rest_is_what_the_trace_asks_for(void **state _unused_)
{
	struct rng rng;

	needs_a_cache_of_4096();
	rng_init(&rng, 7);
	for (int round = 0; round < 20; round++) {
		_cleanup_(trace_fini) struct trace t = scattered(&rng, 1 + (size_t)rng_below(&rng, 300));
		_cleanup_(stand_fini) struct stand s = {.params = params_of("pread")};
		static unsigned char got[FILE_PAGES], want[FILE_PAGES];
		struct span cold[3];
		uint64_t pages = 0;

		memset(want, 0, sizeof(want));
		for (size_t i = 0; i < t.count; i++)
			if (req_op(t.req[i]) == OP_READ || req_op(t.req[i]) == OP_WRITE)
				mark(want, req_offset(t.req[i]), req_length(t.req[i]), 1);
		for (size_t i = 0; i < ARRAY_SIZE(cold); i++) {
			cold[i] = (struct span){rng_below(&rng, FILE_SIZE), 1 + rng_below(&rng, 200 * PAGE_BYTES)};
			mark(want, cold[i].offset, cold[i].length, 0);
		}
		s.params.cache = CACHE_COLD;
		s.params.cold = cold;
		s.params.cold_count = ARRAY_SIZE(cold);
		set(&s, &t);
		look(got);
		expect_pages(got, want);
		for (size_t i = 0; i < FILE_PAGES; i++)
			pages += want[i];
		assert_int_equal(s.done.warm, pages);
		assert_int_equal(s.done.missing, 0);
		assert_int_equal(s.left, 0);
	}
}

static void warm_adds_what_the_trace_asks_for_and_drops_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace first = one_request(0, 64 * PAGE_BYTES, OP_READ);
	_cleanup_(trace_fini) struct trace second = one_request(100 * PAGE_BYTES + 1, PAGE_BYTES, OP_READ);
	_cleanup_(stand_fini) struct stand s = {.params = params_of("pread")}, t = {.params = params_of("pread")};
	static unsigned char got[FILE_PAGES], want[FILE_PAGES];

	needs_a_cache_of_4096();
	s.params.cache = CACHE_COLD;
	set(&s, &first);
	t.params.cache = CACHE_WARM;
	set(&t, &second);
	memset(want, 1, 64);
	memset(want + 100, 1, 2);
	look(got);
	expect_pages(got, want);
	assert_int_equal(t.done.times, 1);
	assert_int_equal(t.done.warm, 2);
	assert_int_equal(t.done.missing, 0);
	assert_true(t.left == UINT64_MAX);
}

static void dirty_pages_are_written_and_go(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	_cleanup_(stand_fini) struct stand s = {.params = params_of("pread")};
	_cleanup_close_ int fd = open("f", O_WRONLY | O_CLOEXEC);
	static unsigned char got[FILE_PAGES], want[FILE_PAGES];

	needs_a_cache_of_4096();
	assert_int_equal(pwrite(fd, "dirty", 5, 999 * PAGE_BYTES), 5);
	s.params.cache = CACHE_DROP;
	set(&s, &t);
	look(got);
	expect_pages(got, want);
	assert_int_equal(s.left, 0);
}

static void memory_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	static const char *const names[] = {"anon:1m", "memfd:1m"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct play_params p = params_of("mmap");

		p.target = names[i];
		p.cache = CACHE_WARM;
		expect_refusal(&p, &t, -EINVAL, "no page cache");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(cold_is_what_the_ranges_say_and_the_rest_is_what_the_trace_asks_for, make),
	    cmocka_unit_test_setup(warm_adds_what_the_trace_asks_for_and_drops_nothing, make),
	    cmocka_unit_test_setup(dirty_pages_are_written_and_go, make),
	    cmocka_unit_test_setup(memory_is_refused, make),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
