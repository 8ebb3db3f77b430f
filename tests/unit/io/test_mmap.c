/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mmap engine: which pages it touches, windows, and SIGBUS. A read fault on a hole of a memory file allocates the
 * page, so its blocks count the pages that were touched.
 */
#include "child.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static uint64_t page; /* of the machine */

static const struct engine *engine(void)
{
	return engine_of_name("mmap");
}

static int memory_file(uint64_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static uint64_t pages_touched(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 / page : UINT64_MAX;
}

/* Where huge pages back memory files, a touch allocates more than its page. */
static bool touches_can_be_counted(void)
{
	_cleanup_close_ int fd = memory_file(4 * MIB);
	_cleanup_(rig_close) struct rig r = {.state = NULL};

	assert_true(fd >= 0);
	assert_int_equal(rig_open(&r, engine(), (struct engine_params){.fd = fd, .size = 4 * MIB, .depth = 1}), 0);
	assert_int_equal(rig_read(&r, 2 * MIB, 1), 1);
	if (pages_touched(fd) == 1)
		return true;
	print_message("# huge pages back memory files here\n");
	return false;
}

static void touches_each_page_of_a_request_and_no_other(void **state _unused_)
{
	const struct {
		uint64_t offset, length, pages;
	} cases[] = {
		{0, 1, 1},
		{0, page, 1},
		{page - 1, 1, 1},
		{page - 1, 2, 2},
		{100, page, 2},
		{page, 2 * page, 2},
		{1, 2 * page, 3},
		{5 * page - 1, 3 * page + 2, 5},
		{0, 100 * page, 100},
		{127 * page + 5, 10 * page, 1}, /* past the end */
		{128 * page, 1, 0},
	};

	if (!touches_can_be_counted())
		skip();
	for (int advice = ADVISE_NORMAL; advice <= ADVISE_SEQUENTIAL; advice++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			_cleanup_close_ int fd = memory_file(128 * page);
			_cleanup_(rig_close) struct rig r = {.state = NULL};
			struct io_hint hint = {.advice = (enum io_advice)advice, .length = HINT_TO_END};
			struct engine_params p = {.fd = fd, .size = 128 * page, .depth = 1, .hints = &hint, .hint_count = 1};

			assert_int_equal(rig_open(&r, engine(), p), 0);
			assert_int_equal(rig_read(&r, cases[i].offset, cases[i].length),
					 MIN(cases[i].length, 128 * page - cases[i].offset));
			if (pages_touched(fd) != cases[i].pages)
				fail_msg("%zu: %llu pages", i, (unsigned long long)pages_touched(fd));
		}
}

static void announces_a_request_when_asked(void **state _unused_)
{
	_cleanup_close_ int fd = memory_file(64 * page);
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct io_hint hint = {.advice = ADVISE_WILLNEED, .length = HINT_TO_END};
	struct engine_params p = {.fd = fd, .size = 64 * page, .depth = 1, .hints = &hint, .hint_count = 1};

	assert_int_equal(rig_open(&r, engine(), p), 0);
	assert_int_equal(rig_read(&r, 5, 1), 1);
	assert_int_equal(rig_read(&r, 10 * page + 3, 7 * page), 7 * page);
	assert_int_equal(rig_read(&r, 63 * page, 2 * page), page);
	assert_true(pages_touched(fd) >= 1 + 8 + 1);
}

/* No address space is that large: 2^46 and more is the most that one mapping can have on any machine of today. */
static void a_target_larger_than_the_address_space_is_seen_through_a_window(void **state _unused_)
{
	const uint64_t size = UINT64_C(1) << 60;
	_cleanup_close_ int fd = memory_file(size);
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	char text[240] = "";
	uint64_t touched = 0;

	if (fd < 0) {
		print_message("# no memory file of 2^60 bytes: %s\n", strerror(errno));
		skip();
	}
	if (!touches_can_be_counted())
		skip();
	assert_int_equal(rig_open(&r, engine(), (struct engine_params){.fd = fd, .size = size, .depth = 1}), 0);
	engine()->describe(r.state, text, sizeof(text));
	assert_non_null(strstr(text, "window"));
	for (unsigned shift = 30; shift < 60; shift++) {
		uint64_t at = UINT64_C(1) << shift;

		/* Over the boundary of every window there can be, forth and back. */
		assert_int_equal(rig_read(&r, at - 10, 20), 20);
		assert_int_equal(rig_read(&r, 3, 1), 1);
		assert_int_equal(rig_read(&r, at - page, page), page);
		touched += 2;
	}
	assert_int_equal(rig_read(&r, size - 5, 10), 5);
	assert_int_equal(pages_touched(fd), touched + 2);
}

static int sees_all_through_a_small_window(void *arg _unused_)
{
	uint64_t size = 64 * MIB, used = 0;
	_cleanup_close_ int fd = memory_file(size);
	FILE *statm = fopen("/proc/self/statm", "r");
	struct rlimit limit;
	struct rig r;
	char text[240];

	REQUIRE(fd >= 0 && statm && fscanf(statm, "%ju", &used) == 1);
	limit.rlim_cur = limit.rlim_max = used * page + 24 * MIB;
	REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
	REQUIRE(rig_open(&r, engine(), (struct engine_params){.fd = fd, .size = size, .depth = 1}) == 0);
	engine()->describe(r.state, text, sizeof(text));
	REQUIRE_WORD(text, "window of 8388608 of 67108864 bytes");
	REQUIRE(rig_read(&r, 8 * MIB - 1, 2) == 2);
	REQUIRE(pages_touched(fd) == 2);
	REQUIRE(rig_read(&r, 0, 2 * size) == (int64_t)size); /* longer than the window */
	REQUIRE(pages_touched(fd) == size / page);
	/* What is lost in the second window of a request is seen. */
	REQUIRE(ftruncate(fd, (off_t)(size - 8 * MIB)) == 0);
	REQUIRE(rig_read(&r, size - 9 * MIB, 2 * MIB) == (int64_t)MIB);
	REQUIRE(rig_read(&r, size - 8 * MIB, MIB) == 0);
	REQUIRE(rig_read(&r, size - 9 * MIB, MIB) == (int64_t)MIB);
	return 0;
}

static void a_limit_on_the_address_space_makes_the_window_smaller(void **state _unused_)
{
	if (SANITIZED) {
		print_message("# the sanitizer needs all the address space\n");
		skip();
	}
	if (!touches_can_be_counted())
		skip();
	assert_child(sees_all_through_a_small_window, NULL);
}

static void refuses_a_character_device(void **state _unused_)
{
	_cleanup_close_ int fd = open("/dev/zero", O_RDONLY);
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct engine_params p = {.fd = fd, .size = INT64_MAX, .depth = 1};

	assert_int_equal(rig_open(&r, engine(), p), -ENODEV);
	assert_non_null(strstr(r.fault.text, "character device"));
}

/* Threads of a play block all signals; a fault that raises a blocked SIGBUS would kill. */
static void *loses_its_file(void *arg)
{
	_cleanup_close_ int fd = memory_file(16 * page);
	struct rig r;
	sigset_t all;
	intptr_t lost = 0;

	(void)arg;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (rig_open(&r, engine(), (struct engine_params){.fd = fd, .size = 16 * page, .depth = 1}) < 0)
		return NULL;
	for (int i = 0; i < 200; i++) {
		if (ftruncate(fd, (off_t)(8 * page)) < 0)
			break;
		lost += rig_read(&r, 8 * page, page) == 0 && rig_read(&r, 7 * page, 2 * page) == (int64_t)page;
		if (ftruncate(fd, (off_t)(16 * page)) < 0)
			break;
		lost += rig_read(&r, 0, 16 * page) == (int64_t)(16 * page);
	}
	rig_close(&r);
	return (void *)lost;
}

static void each_thread_sees_the_faults_of_its_own_mapping(void **state _unused_)
{
	pthread_t threads[3];
	void *lost;

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, loses_its_file, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		assert_int_equal(pthread_join(threads[i], &lost), 0);
		assert_int_equal((intptr_t)lost, 400);
	}
}

static void two_mappings_of_a_thread_are_told_apart(void **state _unused_)
{
	_cleanup_close_ int whole = memory_file(4 * page), cut = memory_file(4 * page);
	_cleanup_(rig_close) struct rig a = {.state = NULL}, b = {.state = NULL};

	assert_int_equal(rig_open(&a, engine(), (struct engine_params){.fd = whole, .size = 4 * page, .depth = 1}), 0);
	assert_int_equal(rig_open(&b, engine(), (struct engine_params){.fd = cut, .size = 4 * page, .depth = 1}), 0);
	assert_int_equal(ftruncate(cut, 0), 0);
	assert_int_equal(rig_read(&b, 0, 1), 0);
	assert_int_equal(rig_read(&a, 0, 4 * page), 4 * page);
	rig_close(&a);
	assert_int_equal(rig_read(&b, page, 3 * page), 0);
}

static int dies_of_a_fault_elsewhere(void *arg _unused_)
{
	_cleanup_close_ int ours = memory_file(page), other = memory_file(page);
	volatile char *map = mmap(NULL, page, PROT_READ, MAP_SHARED, other, 0);
	struct rig r;

	REQUIRE(rig_open(&r, engine(), (struct engine_params){.fd = ours, .size = page, .depth = 1}) == 0);
	REQUIRE(map != MAP_FAILED && ftruncate(other, 0) == 0);
	return map[0];
}

static int dies_when_told_so(void *arg _unused_)
{
	_cleanup_close_ int ours = memory_file(page);
	struct rig r;

	REQUIRE(rig_open(&r, engine(), (struct engine_params){.fd = ours, .size = page, .depth = 1}) == 0);
	kill(getpid(), SIGBUS);
	return 0;
}

static void other_sigbus_ends_the_process_as_ever(void **state _unused_)
{
	int status = in_child(dies_of_a_fault_elsewhere, NULL);

	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(dies_when_told_so, NULL);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touches_each_page_of_a_request_and_no_other),
		cmocka_unit_test(announces_a_request_when_asked),
		cmocka_unit_test(a_target_larger_than_the_address_space_is_seen_through_a_window),
		cmocka_unit_test(a_limit_on_the_address_space_makes_the_window_smaller),
		cmocka_unit_test(refuses_a_character_device),
		cmocka_unit_test(each_thread_sees_the_faults_of_its_own_mapping),
		cmocka_unit_test(two_mappings_of_a_thread_are_told_apart),
		cmocka_unit_test(other_sigbus_ends_the_process_as_ever),
	};

	page = (uint64_t)sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests_name("mmap", tests, NULL, NULL);
}
