/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "child.h"
#include "places.h"

#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "io/residency.h"
#include "io/warm.h"

#define PAGES 800 /* of the patterned file: its last one is not full */

/* Which pages of 4096 bytes are cached. */
struct map {
	bool page[PAGES];
	size_t runs;
	uint64_t end;
	bool bad;
};

static int take(void *ctx, uint64_t offset, uint64_t length)
{
	struct map *m = ctx;

	m->bad |= offset % 4096 || length == 0 || (m->runs > 0 && offset <= m->end) || offset + length > PATTERN_SIZE;
	m->end = offset + length;
	m->runs++;
	for (uint64_t i = offset / 4096; i * 4096 < offset + length && i < PAGES; i++)
		m->page[i] = true;
	return 0;
}

static void look(const struct target *t, struct map *m)
{
	*m = (struct map){.runs = 0};
	assert_int_equal(residency_runs(t, take, m), 0);
	assert_false(m->bad);
}

static bool is_tmpfs(const struct target *t)
{
	struct statfs fs;

	assert_int_equal(fstatfs(t->fd, &fs), 0);
	return fs.f_type == TMPFS_MAGIC;
}

static void require(const struct place *p)
{
	if (p->reason[0]) {
		print_message("# %s\n", p->reason);
		skip();
	}
}

/* The patterned file of a place, with nothing of it in the cache. */
static void open_cold(const struct place *p, struct target *t)
{
	char path[128];
	struct fault why;
	uint64_t left;

	require(p);
	snprintf(path, sizeof(path), "%s/pattern", p->dir);
	assert_int_equal(target_open(t, path, 0, &why), 0);
	assert_int_equal(target_drop_cache(t, &left), 0);
	if (left > 0 && !is_tmpfs(t)) {
		print_message("# pages cannot be dropped here\n");
		skip();
	}
	/* a page is asked for alone, as none is read ahead */
	assert_int_equal(posix_fadvise(t->fd, 0, 0, POSIX_FADV_RANDOM), 0);
}

static void touch(const struct target *t, uint64_t page)
{
	char byte;

	assert_int_equal(pread(t->fd, &byte, 1, (off_t)(page * 4096)), 1);
}

/* Some single pages, a long run, both ends. Large folios may bring in a neighbour, on the second look none. */
static void touch_some(const struct target *t)
{
	static const uint64_t single[] = {0, 17, 19, 300, 301, 530, 768};

	for (size_t i = 0; i < ARRAY_SIZE(single); i++)
		touch(t, single[i]);
	for (uint64_t i = 600; i < 700; i++)
		touch(t, i);
}

static size_t count(const struct map *m)
{
	size_t n = 0;

	for (size_t i = 0; i < PAGES; i++)
		n += m->page[i];
	return n;
}

static void runs_are_the_pages_that_were_read(void **state)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;
	struct map m;

	open_cold(*state, &t);
	if (is_tmpfs(&t)) {
		look(&t, &m);
		/* all that is written, and the hole between is not */
		assert_int_equal(m.runs, 2);
		assert_int_equal(count(&m), (HOLE + PATTERN_SIZE - HOLE_END + 4095) / 4096);
		return;
	}
	look(&t, &m);
	assert_int_equal(m.runs, 0);
	touch_some(&t);
	look(&t, &m);
	assert_true(m.page[0] && m.page[17] && m.page[19] && m.page[300] && m.page[530] && m.page[600] && m.page[699]);
	assert_true(m.page[768] && m.end == PATTERN_SIZE);
	assert_false(m.page[100] || m.page[250] || m.page[500]);
	assert_int_equal(target_residency(&t, &r), 0);
	assert_int_equal(r.cached, count(&m));
	assert_int_equal(r.pages, (PATTERN_SIZE + 4095) / 4096);
	assert_int_equal(target_residency_range(&t, 600 * 4096, 100 * 4096, &r), 0);
	assert_int_equal(r.cached, 100);
	assert_int_equal(r.pages, 100);
	assert_int_equal(target_residency_range(&t, 100 * 4096, 50 * 4096, &r), 0);
	assert_int_equal(r.cached, 0);
}


static void what_was_cached_comes_back_and_nothing_else(void **state)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(warm_close) struct warm w = {.target = NULL};
	struct map before, after;
	uint64_t left;

	open_cold(*state, &t);
	touch_some(&t);
	look(&t, &before);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	assert_int_equal(warm_open(&w, &t), 0);
	for (uint64_t i = 0; i < PAGES; i++)
		if (before.page[i])
			assert_int_equal(warm_put(&w, i * 4096, 1), 0);
	assert_int_equal(warm_end(&w), 0);
	look(&t, &after);
	assert_memory_equal(before.page, after.page, sizeof(before.page));
}

static void a_long_part_comes_in_as_a_whole(void **state)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(warm_close) struct warm w = {.target = NULL};
	struct residency r;

	open_cold(*state, &t);
	if (is_tmpfs(&t)) {
		print_message("# tmpfs keeps its pages\n");
		skip();
	}
	assert_int_equal(warm_open(&w, &t), 0);
	assert_int_equal(warm_put(&w, 5000, 2 * MIB), 0);
	assert_int_equal(warm_put(&w, PATTERN_SIZE - 1, MIB), 0);
	assert_int_equal(warm_put(&w, PATTERN_SIZE, MIB), 0);
	assert_int_equal(warm_end(&w), 0);
	assert_int_equal(target_residency_range(&t, 5000, 2 * MIB, &r), 0);
	assert_int_equal(r.cached, r.pages);
	assert_int_equal(r.pages, 513);
	assert_int_equal(target_residency_range(&t, PATTERN_SIZE - 1, 1, &r), 0);
	assert_int_equal(r.cached, 1);
}

static void a_target_of_direct_io_is_warmed_too(void **state)
{
	_cleanup_(target_close) struct target cold = TARGET_NONE, t = TARGET_NONE;
	_cleanup_(warm_close) struct warm w = {.target = NULL};
	struct residency r;
	struct fault why;

	open_cold(*state, &cold);
	if (target_open(&t, cold.path, TARGET_DIRECT, &why) < 0) {
		print_message("# %s\n", why.text);
		skip();
	}
	assert_int_equal(warm_open(&w, &t), 0);
	assert_int_equal(warm_put(&w, 0, MIB), 0);
	assert_int_equal(warm_end(&w), 0);
	assert_true(fcntl(t.fd, F_GETFL) & O_DIRECT);
	assert_int_equal(target_residency_range(&t, 0, MIB, &r), 0);
	assert_int_equal(r.cached, 256);
}

/* From now on a system call of this process does nothing but fail with err, or succeed when that is 0. */
static bool disable(unsigned nr, unsigned err)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = ARRAY_SIZE(filter), .filter = filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

/* As a kernel older than cachestat(2). */
static bool forget_cachestat(void)
{
	return disable(451, ENOSYS);
}

static int warms_without_advice(void *arg)
{
	struct target *t = arg;
	struct warm w;

	if (!disable(SYS_fadvise64, 0))
		return 77;
	REQUIRE(warm_open(&w, t) == 0);
	REQUIRE(warm_put(&w, 100 * 4096 + 5, 60 * 4096) == 0 && warm_put(&w, 700 * 4096, 1) == 0);
	REQUIRE(warm_end(&w) == 0);
	warm_close(&w);
	return 0;
}

static void what_no_advice_brings_is_read(void **state)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;
	int status;

	open_cold(*state, &t);
	status = in_child(warms_without_advice, &t);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# no seccomp here\n");
		skip();
	}
	assert_int_equal(status, 0);
	assert_int_equal(target_residency_range(&t, 100 * 4096, 61 * 4096, &r), 0);
	assert_int_equal(r.cached, 61);
	assert_int_equal(target_residency_range(&t, 700 * 4096, 4096, &r), 0);
	assert_int_equal(r.cached, 1);
}

struct both {
	const struct target *t;
	struct map by_cachestat;
	struct residency whole;
};

static int agrees(void *arg)
{
	const struct both *b = arg;
	struct residency r;
	struct map m = {.runs = 0};

	if (!forget_cachestat())
		return 77;
	REQUIRE(target_residency(b->t, &r) == 0);
	REQUIRE(!r.exact && strcmp(residency_method(&r), "mincore") == 0);
	REQUIRE(r.cached == b->whole.cached && r.pages == b->whole.pages && r.dirty == 0);
	REQUIRE(residency_runs(b->t, take, &m) == 0);
	REQUIRE(!m.bad && m.runs == b->by_cachestat.runs);
	REQUIRE(memcmp(m.page, b->by_cachestat.page, sizeof(m.page)) == 0);
	REQUIRE(target_residency_below(b->t, b->t->size, &r) == 0);
	REQUIRE(target_residency_below(b->t, b->t->size - 1, &r) == -EFBIG);
	return 0;
}

static void a_kernel_without_cachestat_says_the_same(void **state)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct both b = {.t = &t};
	int status;

	open_cold(*state, &t);
	touch_some(&t);
	assert_int_equal(target_residency(&t, &b.whole), 0);
	look(&t, &b.by_cachestat);
	status = in_child(agrees, &b);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# no seccomp here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static int count_runs(void *ctx, uint64_t offset _unused_, uint64_t length)
{
	uint64_t *sum = ctx;

	sum[0]++;
	sum[1] += length;
	return 0;
}

static int stop_at_once(void *ctx, uint64_t offset _unused_, uint64_t length _unused_)
{
	++*(int *)ctx;
	return -ECANCELED;
}

/* 2^28 pages: to look at each would take seconds, and the limit of the test. */
static void a_sparse_file_of_a_tebibyte_is_no_work(void **state)
{
	const struct place *p = *state;
	_cleanup_(target_close) struct target t = TARGET_NONE;
	uint64_t sum[2] = {0};
	struct residency r;
	struct fault why;
	char path[128];
	int calls = 0;

	require(p);
	snprintf(path, sizeof(path), "%s/tebi", p->dir);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (ftruncate(fd, INT64_C(1) << 40) < 0) {
		unlink(path);
		print_message("# %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(target_open(&t, path, 0, &why), 0);
	unlink(path);
	assert_int_equal(posix_fadvise(t.fd, 0, 0, POSIX_FADV_RANDOM), 0);
	assert_int_equal(target_residency(&t, &r), 0);
	if (!r.exact) {
		print_message("# no cachestat here\n");
		skip();
	}
	/* on tmpfs only a write makes a page */
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(pwrite(fd, "", 1, (off_t)(i << 30 | i << 13)), 1);
	assert_int_equal(residency_runs(&t, count_runs, sum), 0);
	assert_int_equal(target_residency(&t, &r), 0);
	assert_int_equal(sum[1] / 4096, r.cached);
	assert_true(sum[0] >= 990 && r.cached >= 1000);
	assert_int_equal(residency_runs(&t, stop_at_once, &calls), -ECANCELED);
	assert_int_equal(calls, 1);
}

static void what_has_no_page_cache_is_refused(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;
	struct fault why;
	struct warm w;

	assert_int_equal(target_open(&t, "/dev/zero", 0, &why), 0);
	assert_int_equal(target_residency(&t, &r), -ENODEV);
	assert_int_equal(target_residency_range(&t, 0, 4096, &r), -ENODEV);
	assert_int_equal(residency_runs(&t, take, NULL), -ENODEV);
	assert_int_equal(warm_open(&w, &t), -ENODEV);
}

static int is_not_told(void *arg)
{
	struct target *t = arg;
	struct map m = {.runs = 0};
	struct residency r;

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 77;
	REQUIRE(!residency_tells(t));
	REQUIRE(residency_runs(t, take, &m) == -EPERM || target_residency(t, &r) == 0);
	REQUIRE(forget_cachestat());
	REQUIRE(target_residency(t, &r) == -EPERM);
	REQUIRE(residency_runs(t, take, &m) == -EPERM);
	return 0;
}

static int warms_all_the_same(void *arg)
{
	struct target *t = arg;
	struct warm w;

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 77;
	REQUIRE(warm_open(&w, t) == 0 && !w.tells);
	REQUIRE(warm_put(&w, 100 * 4096, 64 * 4096) == 0);
	REQUIRE(warm_end(&w) == 0);
	warm_close(&w);
	return 0;
}

static void others_files_are_not_told_of_but_can_be_warmed(void **state)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;

	if (geteuid() != 0) {
		print_message("# needs root to become somebody else\n");
		skip();
	}
	open_cold(*state, &t);
	assert_child(is_not_told, &t);
	assert_child(warms_all_the_same, &t);
	assert_int_equal(target_residency_range(&t, 100 * 4096, 64 * 4096, &r), 0);
	assert_int_equal(r.cached, 64);
}

#define EACH_PLACE(test)                                                                                \
	{#test ", local", test, NULL, NULL, &places[0]}, {#test ", tmpfs", test, NULL, NULL, &places[1]},   \
		{#test ", ext4", test, NULL, NULL, &places[2]}, {#test ", xfs", test, NULL, NULL, &places[3]}, \
		{#test ", btrfs", test, NULL, NULL, &places[4]}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH_PLACE(runs_are_the_pages_that_were_read),
		EACH_PLACE(what_was_cached_comes_back_and_nothing_else),
		EACH_PLACE(a_long_part_comes_in_as_a_whole),
		EACH_PLACE(a_target_of_direct_io_is_warmed_too),
		EACH_PLACE(what_no_advice_brings_is_read),
		EACH_PLACE(a_kernel_without_cachestat_says_the_same),
		EACH_PLACE(a_sparse_file_of_a_tebibyte_is_no_work),
		cmocka_unit_test(what_has_no_page_cache_is_refused),
		{"others_files_are_not_told_of_but_can_be_warmed", others_files_are_not_told_of_but_can_be_warmed, NULL, NULL,
		 &places[0]},
	};

	return cmocka_run_group_tests_name("residency", tests, make_places, remove_places);
}
