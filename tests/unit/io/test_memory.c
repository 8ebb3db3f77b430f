/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets that are memory, and the engine that maps anonymous memory. */
#include "child.h"

#include <inttypes.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/residency.h"
#include "io/target.h"

static size_t page;

static struct target opened(const char *name)
{
	struct target t;
	struct fault f = {0};

	if (target_open(&t, name, TARGET_MEMORY | TARGET_WRITE, &f) < 0)
		fail_msg("%s: %s", name, f.text);
	return t;
}

static void a_memfd_is_an_empty_file_of_its_size(void **state _unused_)
{
	_cleanup_(target_close) struct target t = opened("memfd:3k");
	struct stat st;
	char byte = 1;

	assert_int_equal(t.kind, TARGET_MEMFD);
	assert_int_equal(t.size, 3072);
	assert_true(target_has_cache(&t));
	assert_int_equal(fstat(t.fd, &st), 0);
	assert_int_equal(st.st_size, 3072);
	assert_int_equal(pread(t.fd, &byte, 1, 3071), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(target_resize(&t), 0);
	assert_int_equal(t.size, 3072);
}

static void a_dropped_memfd_gives_its_memory_back(void **state _unused_)
{
	_cleanup_(target_close) struct target t = opened("memfd:16p");
	struct residency r;
	uint64_t left;

	assert_int_equal(pwrite(t.fd, "abc", 3, 8192), 3);
	assert_int_equal(target_residency(&t, &r), 0);
	assert_int_equal(r.cached, page / PAGE_BYTES);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(target_residency(&t, &r), 0);
	assert_int_equal(r.cached, 0);
}

static void anonymous_memory_has_a_size_and_no_descriptor(void **state _unused_)
{
	_cleanup_(target_close) struct target t = opened("anon:5m");
	struct residency r;
	uint64_t left;

	assert_int_equal(t.kind, TARGET_ANON);
	assert_int_equal(t.fd, -1);
	assert_int_equal(t.size, 5 * MIB);
	assert_false(target_has_cache(&t));
	assert_int_equal(target_residency(&t, &r), -ENODEV);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(target_sync(&t), 0);
	assert_int_equal(target_resize(&t), 0);
	assert_int_equal(t.size, 5 * MIB);
}

static void without_the_flag_it_is_the_name_of_a_file(void **state _unused_)
{
	struct target t;
	struct fault f;

	assert_int_equal(target_open(&t, "anon:1m", 0, &f), -ENOENT);
	assert_int_equal(target_open(&t, "memfd:1m", 0, &f), -ENOENT);
	assert_int_equal(target_open(&t, "anon", TARGET_MEMORY, &f), -ENOENT);
}

static void sizes_are_those_of_the_unit_table(void **state _unused_)
{
	const struct {
		const char *name, *word;
	} wrong[] = {
		{"anon:", "is no size"},   {"memfd:", "is no size"},  {"anon:0", "no size"},    {"memfd:0k", "no size"},
		{"anon:1x", "unknown unit"}, {"anon:-1", "is no size"}, {"anon: 1", "is no size"}, {"memfd:1.5m", "is no size"},
		{"anon:99999999999999999999", "is no size"},
	};
	struct fault f;
	uint64_t bytes;

	assert_int_equal(target_memory_size("anon:3", 12, &bytes, &f), 0);
	assert_int_equal(bytes, 12288);
	assert_int_equal(target_memory_size("memfd:3k", 12, &bytes, &f), 0);
	assert_int_equal(bytes, 3072);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct target t;

		assert_int_equal(target_open(&t, wrong[i].name, TARGET_MEMORY, &f), -EINVAL);
		if (!strstr(f.text, wrong[i].word))
			fail_msg("%s: %s", wrong[i].name, f.text);
		assert_int_equal(t.fd, -1);
	}
}

static int limited(void *arg _unused_)
{
	const struct rlimit little = {64 * MIB, 64 * MIB};
	struct target t;
	struct fault f;

	REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
	REQUIRE(target_open(&t, "anon:65m", TARGET_MEMORY, &f) == -ENOMEM);
	REQUIRE_WORD(f.text, "limited to 67108864 (ulimit -v)");
	return 0;
}

static void memory_that_is_not_to_be_had_is_refused_with_its_reason(void **state _unused_)
{
	struct target t;
	struct fault f;

	assert_int_equal(target_open(&t, "anon:9223372036854775807b", TARGET_MEMORY, &f), -ENOMEM);
	assert_non_null(strstr(f.text, "vm.overcommit_memory"));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	(void)limited; /* they need address space */
#else
	assert_child(limited, NULL);
#endif
}

static int short_files(void *arg _unused_)
{
	const struct rlimit little = {MIB, MIB};
	struct target t;
	struct fault f;

	REQUIRE(setrlimit(RLIMIT_FSIZE, &little) == 0);
	REQUIRE(target_open(&t, "memfd:2m", TARGET_MEMORY, &f) == -EFBIG);
	REQUIRE_WORD(f.text, "limited to 1048576 (ulimit -f)");
	REQUIRE(target_open(&t, "memfd:1m", TARGET_MEMORY, &f) == 0);
	target_close(&t);
	return 0;
}

static void a_memfd_longer_than_files_may_be_is_refused_and_no_end(void **state _unused_)
{
	assert_child(short_files, NULL);
}

static struct rig mapped(struct engine_params p)
{
	struct rig r;

	p.fd = -1;
	p.depth = 1;
	p.write = true;
	if (rig_open(&r, engine_of_name("mmap"), p) < 0)
		fail_msg("%s", r.fault.text);
	return r;
}

/* One request; a write is of byte in all of the buffer. */
static int64_t issue(struct rig *r, enum io_op op, uint64_t offset, uint64_t length, char byte)
{
	struct io *io = &r->ios[0];

	io->op = op;
	io->offset = offset;
	io->length = length;
	if (op == IO_WRITE)
		memset(io->buf, byte, BUF_SIZE);
	assert_int_equal(r->engine->submit(r->state, io), 0);
	return io->res;
}

static char byte_at(struct rig *r, uint64_t offset)
{
	assert_int_equal(issue(r, IO_READ, offset, 1, 0), 1);
	return r->ios[0].buf[0];
}

static void anonymous_memory_holds_what_is_written_until_it_is_given_back(void **state _unused_)
{
	_cleanup_(rig_close) struct rig r = mapped((struct engine_params){.size = 8 * page, .touch = TOUCH_COPY});

	assert_int_equal(byte_at(&r, 5 * page), 0);
	assert_int_equal(issue(&r, IO_WRITE, page, 7 * page, 'a'), 7 * page);
	assert_int_equal(issue(&r, IO_WRITE, 7 * page, 2 * page, 'b'), page); /* cut at the end */
	assert_int_equal(issue(&r, IO_SYNC, 0, 0, 0), 0);
	assert_int_equal(issue(&r, IO_DATASYNC, 0, 0, 0), 0);
	assert_int_equal(byte_at(&r, page - 1), 0);
	assert_int_equal(byte_at(&r, 2 * page), 'a');
	assert_int_equal(byte_at(&r, 8 * page - 1), 'b');
	/* the whole pages of a trim */
	assert_int_equal(issue(&r, IO_TRIM, 2 * page + 1, 3 * page, 0), 3 * page);
	assert_int_equal(byte_at(&r, 3 * page - 1), 'a');
	assert_int_equal(byte_at(&r, 3 * page), 0);
	assert_int_equal(byte_at(&r, 5 * page - 1), 0);
	assert_int_equal(byte_at(&r, 5 * page), 'a');
	assert_int_equal(issue(&r, IO_TRIM, 5 * page + 1, 9, 0), 9);
	assert_int_equal(byte_at(&r, 5 * page + 1), 'a');
	assert_int_equal(r.engine->advise(r.state, &(const struct io_hint){.advice = ADVISE_DONTNEED, .length = HINT_TO_END}), 0);
	assert_int_equal(byte_at(&r, page), 0);
	assert_int_equal(byte_at(&r, 8 * page - 1), 0);
}

static void two_states_have_memory_of_their_own(void **state _unused_)
{
	_cleanup_(rig_close) struct rig a = mapped((struct engine_params){.size = page, .touch = TOUCH_COPY});
	_cleanup_(rig_close) struct rig b = mapped((struct engine_params){.size = page, .touch = TOUCH_COPY});

	assert_int_equal(issue(&a, IO_WRITE, 0, 1, 'a'), 1);
	assert_int_equal(byte_at(&b, 0), 0);
}

struct map {
	uintptr_t from, to;
	char mode[8];
};

static bool next_map(FILE *f, struct map *m)
{
	char line[512];

	return fgets(line, sizeof(line), f) && sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &m->from, &m->to, m->mode) == 3;
}

/* The mappings of just that length, each checked to be as io/area.h has it. */
static unsigned areas_of(size_t length)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	struct map before = {0}, m = {0};
	const size_t reach = page / 8 * page;
	unsigned n = 0;

	assert_non_null(f);
	for (; next_map(f, &m); before = m) {
		if (m.to - m.from != length || strcmp(m.mode, "rw-p") != 0)
			continue;
		n++;
		assert_int_equal(m.from % reach, 0);
		assert_int_equal(before.to, m.from);
		assert_string_equal(before.mode, "---p");
		before = m;
		assert_true(next_map(f, &m));
		assert_int_equal(m.from, before.to);
		assert_string_equal(m.mode, "---p");
		assert_true(m.to / reach > (before.to - 1) / reach); /* nothing else in its last page table */
	}
	return n;
}

static void each_state_has_a_mapping_and_page_tables_of_its_own(void **state _unused_)
{
	const size_t odd = 515 * page, even = 1024 * page;

	assert_int_equal(areas_of(odd) + areas_of(even), 0);
	{
		_cleanup_(rig_close) struct rig a = mapped((struct engine_params){.size = odd});
		_cleanup_(rig_close) struct rig b = mapped((struct engine_params){.size = odd});
		_cleanup_(rig_close) struct rig c = mapped((struct engine_params){.size = even});
		_cleanup_(rig_close) struct rig d = mapped((struct engine_params){.size = even});

		assert_int_equal(areas_of(odd), 2);
		assert_int_equal(areas_of(even), 2);
		assert_int_equal(issue(&a, IO_WRITE, 0, odd, 'a'), odd);
		assert_int_equal(issue(&b, IO_WRITE, 0, odd, 'b'), odd);
		assert_int_equal(issue(&c, IO_WRITE, 0, even, 'c'), even);
		assert_int_equal(issue(&d, IO_WRITE, 0, even, 'd'), even);
		assert_int_equal(areas_of(odd), 2);
		assert_int_equal(areas_of(even), 2);
	}
	assert_int_equal(areas_of(odd) + areas_of(even), 0);
}

static void many_writes_at_once_store_a_zero_in_each_page_and_stop_where_asked(void **state _unused_)
{
	_cleanup_close_ int fd = memfd_create("test", MFD_CLOEXEC);
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	const struct engine_params p = {.fd = fd, .size = 8 * page, .depth = 1, .write = true};
	const struct span spans[] = {{3, 5}, {page + 7, 3 * page}, {6 * page, page}, {8 * page, 1}};
	atomic_bool stop = false;
	char was[8 * 65536];

	assert_true(8 * page <= sizeof(was));
	memset(was, 'x', 8 * page);
	assert_int_equal(pwrite(fd, was, 8 * page, 0), 8 * page);
	assert_int_equal(rig_open(&r, engine_of_name("mmap"), p), 0);
	/* the last is past the end */
	assert_int_equal(r.engine->write_many(r.state, spans, 4, &stop), 3);
	assert_int_equal(pread(fd, was, 8 * page, 0), 8 * page);
	for (size_t i = 0; i < 8 * page; i++) {
		bool zero = i == 3 || i == page + 7 || i == 2 * page || i == 3 * page || i == 4 * page || i == 6 * page;

		assert_int_equal(was[i], zero ? 0 : 'x');
	}
	stop = true;
	assert_int_equal(r.engine->write_many(r.state, spans, 3, &stop), 0);
}

static int set_page(void **state _unused_)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_memfd_is_an_empty_file_of_its_size),
		cmocka_unit_test(a_dropped_memfd_gives_its_memory_back),
		cmocka_unit_test(anonymous_memory_has_a_size_and_no_descriptor),
		cmocka_unit_test(without_the_flag_it_is_the_name_of_a_file),
		cmocka_unit_test(sizes_are_those_of_the_unit_table),
		cmocka_unit_test(memory_that_is_not_to_be_had_is_refused_with_its_reason),
		cmocka_unit_test(a_memfd_longer_than_files_may_be_is_refused_and_no_end),
		cmocka_unit_test(anonymous_memory_holds_what_is_written_until_it_is_given_back),
		cmocka_unit_test(two_states_have_memory_of_their_own),
		cmocka_unit_test(each_state_has_a_mapping_and_page_tables_of_its_own),
		cmocka_unit_test(many_writes_at_once_store_a_zero_in_each_page_and_stop_where_asked),
	};

	return cmocka_run_group_tests(tests, set_page, NULL);
}
