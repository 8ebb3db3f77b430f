/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Engines on the file system that fails where it is told to (tests/fuse/failing.c). */
#include "rig.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "io/target.h"

#define PAGE UINT64_C(4096)

struct mounted {
	char dir[40], file[48];
	pid_t server;
};

/* Unmounts by itself when the server ends (auto_unmount). */
static void unmount(struct mounted *m)
{
	if (m->server > 0) {
		kill(m->server, SIGTERM);
		waitpid(m->server, NULL, 0);
	}
	for (int i = 0; i < 100 && rmdir(m->dir) < 0; i++)
		usleep(20000);
}

static void serve(const struct mounted *m, const char *const *rules)
{
	const char *args[16] = {"failing", "-f", "-o", "auto_unmount", m->dir, "1048576"};
	size_t n = 6;
	char program[256];
	int null = open("/dev/null", O_RDWR);

	/* A test that fails leaves no server behind. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	while (*rules && n < ARRAY_SIZE(args) - 1)
		args[n++] = *rules++;
	dup2(null, 1);
	dup2(null, 2);
	snprintf(program, sizeof(program), "%s/fuse/failing", getenv("BUILD") ? getenv("BUILD") : "build");
	execv(program, (char *const *)(uintptr_t)args);
	_exit(127);
}

/* False where there is no such file system; rules end with NULL. */
static bool mount_failing(struct mounted *m, const char *const *rules)
{
	int status;

	*m = (struct mounted){.dir = "/tmp/iotrace-failing-XXXXXX"};
	assert_non_null(mkdtemp(m->dir));
	snprintf(m->file, sizeof(m->file), "%s/data", m->dir);
	m->server = fork();
	if (m->server == 0)
		serve(m, rules);
	for (int i = 0; i < 200; i++) {
		if (access(m->file, F_OK) == 0)
			return true;
		if (waitpid(m->server, &status, WNOHANG) != 0)
			break;
		usleep(20000);
	}
	m->server = 0;
	print_message("# no FUSE here, or libfuse3 was not there when the tests were built\n");
	return false;
}

static bool fuse_works;

static int look_for_fuse(void **state _unused_)
{
	_cleanup_(unmount) struct mounted m;

	fuse_works = mount_failing(&m, (const char *const[]){NULL});
	return 0;
}

static void need_fuse(void)
{
	if (fuse_works)
		return;
	print_message("# no FUSE here, or libfuse3 was not there when the tests were built\n");
	skip();
}

/* The i-th engine that does I/O and can run here; NULL past the last. */
static const struct engine *each(size_t *i)
{
	const struct engine *e;
	struct fault why;

	while ((e = engine_at((*i)++)))
		if (strcmp(e->name, "null") != 0 && e->probe(&why) == 0)
			return e;
	return NULL;
}

static void open_rig(struct rig *r, const struct engine *e, struct target *t, const struct mounted *m, unsigned flags)
{
	struct fault f;
	struct engine_params p = {.depth = 4, .touch = e->flags & ENGINE_TOUCH ? TOUCH_COPY : TOUCH_PAGE};

	if (target_open(t, m->file, flags, &f) < 0)
		fail_msg("%s", f.text);
	p.fd = t->fd;
	p.size = t->size;
	p.write = flags & TARGET_WRITE;
	p.direct = flags & TARGET_DIRECT;
	if (rig_open(r, e, p) < 0)
		fail_msg("%s: %s", e->name, r->fault.text);
}

#define CHECK_RES(e, got, want)                                                                           \
	do {                                                                                              \
		int64_t got_ = (got), want_ = (want);                                                     \
		if (got_ != want_)                                                                        \
			fail_msg("%s: %s is %lld, not %lld", (e)->name, #got, (long long)got_, (long long)want_); \
	} while (0)

static void a_read_error_is_that_of_its_request_alone(void **state _unused_)
{
	_cleanup_(unmount) struct mounted m = {.server = 0};
	const struct engine *e;

	need_fuse();
	assert_true(mount_failing(&m, (const char *const[]){"read:EIO:40960:45056", NULL}));
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};

		open_rig(&r, e, &t, &m, 0);
		for (int round = 0; round < 2; round++) {
			CHECK_RES(e, rig_read(&r, 9 * PAGE, PAGE), (int64_t)PAGE);
			CHECK_RES(e, rig_read(&r, 10 * PAGE + 7, 100), -EIO);
			CHECK_RES(e, rig_read(&r, 11 * PAGE, 3 * PAGE), 3 * (int64_t)PAGE);
			assert_pattern_in(&r.ios[0], 11 * PAGE, 3 * PAGE, BUF_SIZE);
		}
	}
}

/* What is written through the cache or past it fails at once; what a mapping holds fails when it is written out. */
static void a_write_without_space_is_that_of_its_request_alone(void **state _unused_)
{
	const struct engine *e;

	need_fuse();
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(unmount) struct mounted m = {.server = 0};
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		bool later = e->flags & ENGINE_TOUCH;
		char back[4096];

		if (!(e->flags & ENGINE_WRITE))
			continue;
		assert_true(mount_failing(&m, (const char *const[]){"write:ENOSPC:40960:45056", NULL}));
		open_rig(&r, e, &t, &m, TARGET_WRITE);
		memset(r.ios[0].buf, 'w', BUF_SIZE);
		CHECK_RES(e, rig_do(&r, IO_WRITE, 9 * PAGE, PAGE), (int64_t)PAGE);
		CHECK_RES(e, rig_do(&r, IO_SYNC, 0, 0), 0);
		CHECK_RES(e, rig_do(&r, IO_WRITE, 10 * PAGE, PAGE), later ? (int64_t)PAGE : -ENOSPC);
		CHECK_RES(e, rig_do(&r, IO_WRITE, 11 * PAGE, PAGE), (int64_t)PAGE);
		CHECK_RES(e, rig_do(&r, IO_DATASYNC, 0, 0), later ? -ENOSPC : 0);
		CHECK_RES(e, rig_do(&r, IO_SYNC, 0, 0), 0);
		for (uint64_t at = 9; at < 12; at++) {
			if (at == 10)
				continue;
			assert_int_equal(pread(t.fd, back, PAGE, (off_t)(at * PAGE)), PAGE);
			assert_true(back[0] == 'w' && back[4095] == 'w');
		}
	}
}

static void a_failed_sync_is_the_result_of_the_sync(void **state _unused_)
{
	_cleanup_(unmount) struct mounted m = {.server = 0};
	const struct engine *e;

	need_fuse();
	assert_true(mount_failing(&m, (const char *const[]){"sync:EIO", NULL}));
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};

		if (!(e->flags & ENGINE_WRITE))
			continue;
		open_rig(&r, e, &t, &m, TARGET_WRITE);
		CHECK_RES(e, rig_do(&r, IO_SYNC, 0, 0), -EIO);
		CHECK_RES(e, rig_do(&r, IO_DATASYNC, 0, 0), -EIO);
		CHECK_RES(e, rig_read(&r, 0, PAGE), (int64_t)PAGE);
	}
}

static void a_direct_read_that_ends_early_gives_what_it_got(void **state _unused_)
{
	_cleanup_(unmount) struct mounted m = {.server = 0};
	const struct engine *e;

	need_fuse();
	assert_true(mount_failing(&m, (const char *const[]){"read:short:41472:45056", "read:ETIMEDOUT:0:4096", NULL}));
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};

		if (!(e->flags & ENGINE_DIRECT))
			continue;
		open_rig(&r, e, &t, &m, TARGET_DIRECT);
		CHECK_RES(e, rig_read(&r, 10 * PAGE, PAGE), 512);
		CHECK_RES(e, rig_read(&r, 0, PAGE), -ETIMEDOUT);
		CHECK_RES(e, rig_read(&r, 9 * PAGE, 2 * PAGE), (int64_t)PAGE + 512);
		CHECK_RES(e, rig_read(&r, 11 * PAGE, PAGE), (int64_t)PAGE);
	}
}

static void a_wait_with_a_timeout_ends_before_a_slow_request(void **state _unused_)
{
	_cleanup_(unmount) struct mounted m = {.server = 0};
	const struct engine *e;

	need_fuse();
	assert_true(mount_failing(&m, (const char *const[]){"read:400:40960:45056", NULL}));
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		struct io *done[4];
		unsigned waits = 0;
		int n;

		if (!(e->flags & ENGINE_ASYNC))
			continue;
		open_rig(&r, e, &t, &m, TARGET_DIRECT);
		r.ios[0].offset = 10 * PAGE;
		r.ios[1].offset = 20 * PAGE;
		r.ios[0].length = r.ios[1].length = PAGE;
		assert_int_equal(r.engine->submit(r.state, &r.ios[0]), 0);
		assert_int_equal(r.engine->submit(r.state, &r.ios[1]), 0);
		/* The quick one does not wait for the slow one, unless this machine is slower than both. */
		n = r.engine->reap(r.state, done, 1, 4, -1);
		assert_in_range(n, 1, 2);
		assert_ptr_equal(done[0], &r.ios[1]);
		if (n == 2)
			continue;
		while ((n = r.engine->reap(r.state, done, 1, 4, 2000000)) == 0)
			waits++;
		CHECK_RES(e, n, 1);
		assert_true(waits >= 1);
		CHECK_RES(e, r.ios[0].res, (int64_t)PAGE);
	}
}

static void tick(int signo _unused_)
{
}

static void slow_requests_come_back_whole_under_a_rain_of_signals(void **state _unused_)
{
	struct itimerval fast = {.it_interval = {.tv_usec = 700}, .it_value = {.tv_usec = 700}};
	struct itimerval off = {.it_value = {0}};
	struct sigaction sa = {.sa_handler = tick}, old;
	_cleanup_(unmount) struct mounted m = {.server = 0};
	const struct engine *e;

	need_fuse();
	assert_true(mount_failing(&m, (const char *const[]){"read:20:0:1048576", NULL}));
	assert_int_equal(sigaction(SIGALRM, &sa, &old), 0);
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};

		open_rig(&r, e, &t, &m, 0);
		assert_int_equal(setitimer(ITIMER_REAL, &fast, NULL), 0);
		for (uint64_t k = 0; k < 8; k++) {
			int64_t res = rig_read(&r, (i * 10 + k) * PAGE, PAGE);

			if (res != (int64_t)PAGE) {
				setitimer(ITIMER_REAL, &off, NULL);
				fail_msg("%s: %lld", e->name, (long long)res);
			}
		}
		setitimer(ITIMER_REAL, &off, NULL);
	}
	sigaction(SIGALRM, &old, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_error_is_that_of_its_request_alone),
		cmocka_unit_test(a_write_without_space_is_that_of_its_request_alone),
		cmocka_unit_test(a_failed_sync_is_the_result_of_the_sync),
		cmocka_unit_test(a_direct_read_that_ends_early_gives_what_it_got),
		cmocka_unit_test(a_wait_with_a_timeout_ends_before_a_slow_request),
		cmocka_unit_test(slow_requests_come_back_whole_under_a_rain_of_signals),
	};

	return cmocka_run_group_tests_name("failing", tests, look_for_fuse, NULL);
}
