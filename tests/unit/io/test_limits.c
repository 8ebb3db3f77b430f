/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Engines where the kernel or a limit says no, and at the ends of what they take. */
#include "child.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "io/backend.h"
#include "io/residency.h"
#include "io/target.h"

/* A file without a file system's help: memory, of the given size. */
static int memory_file(uint64_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* From now on the system call fails with err. */
static int forbid(int nr, int err)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = ARRAY_SIZE(filter), .filter = filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0 ? -errno : 0;
}

struct refusal {
	const char *engine;
	int nr, err;
	const char *words;
};

static int is_refused(void *arg)
{
	const struct refusal *want = arg;
	const struct engine *e = engine_of_name(want->engine);
	char buf[4096];
	struct engine_params p = {.fd = 0, .depth = 1, .buf_size = sizeof(buf), .buffers = buf};
	struct fault why = {.text = ""}, again = {.text = ""};
	void *state;

	if (forbid(want->nr, want->err) < 0)
		return 77;
	REQUIRE(e->probe(&why) == -want->err);
	REQUIRE_WORD(why.text, want->engine);
	REQUIRE_WORD(why.text, want->words);
	REQUIRE(e->open(&p, &state, &again) == -want->err);
	REQUIRE_WORD(again.text, want->engine);
	REQUIRE_WORD(again.text, want->words);
	return 0;
}

static void a_forbidden_engine_says_by_what(void **state _unused_)
{
	struct refusal refusals[] = {
		{"io_uring", SYS_io_uring_setup, EPERM, "not permitted"},
		{"io_uring", SYS_io_uring_setup, EPERM, "kernel.io_uring_disabled"},
		{"io_uring", SYS_io_uring_setup, ENOSYS, "not implemented"},
		{"io_uring", SYS_io_uring_setup, EACCES, "denied"},
		{"io_uring", SYS_io_uring_setup, ENOMEM, "RLIMIT_MEMLOCK"},
		{"libaio", SYS_io_setup, EAGAIN, "fs.aio-max-nr"},
		{"libaio", SYS_io_setup, ENOSYS, "not implemented"},
		{"libaio", SYS_io_setup, EPERM, "not permitted"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		int status = in_child(is_refused, &refusals[i]);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			print_message("# no seccomp here\n");
			skip();
		}
		assert_int_equal(status, 0);
	}
}

struct locked {
	int fd;
	rlim_t limit;
	unsigned depth;
	const char *words; /* of describe(), or of the refusal */
};

static int reads_with_little_locked_memory(void *arg)
{
	const struct locked *l = arg;
	struct rlimit limit = {l->limit, l->limit};
	const struct engine *e = engine_of_name("io_uring");
	struct rig r;
	char text[240];
	int err;

	REQUIRE(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	REQUIRE(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
	err = rig_open(&r, e, (struct engine_params){.fd = l->fd, .size = MIB, .depth = l->depth});
	if (err < 0) {
		REQUIRE(err == -ENOMEM);
		REQUIRE_WORD(r.fault.text, "RLIMIT_MEMLOCK");
		REQUIRE_WORD(r.fault.text, "ulimit -l");
		return 0;
	}
	e->describe(r.state, text, sizeof(text));
	if (strstr(text, "not registered"))
		REQUIRE_WORD(text, "RLIMIT_MEMLOCK");
	if (l->words)
		REQUIRE_WORD(text, l->words);
	REQUIRE(rig_read(&r, 4096, 4096) == 4096);
	REQUIRE(rig_read(&r, 0, 2 * BUF_SIZE) == 2 * BUF_SIZE);
	assert_pattern_in(&r.ios[0], 0, 2 * BUF_SIZE, BUF_SIZE);
	rig_close(&r);
	return 0;
}

static void io_uring_goes_without_registered_buffers_or_names_the_limit(void **state _unused_)
{
	_cleanup_close_ int fd = memory_file(MIB);
	struct locked cases[] = {
		{fd, 0, 4096, NULL},
		{fd, 512 * 1024, 64, "not registered"}, /* enough for the ring, not for 4 MiB of buffers */
	};
	struct fault why;

	assert_true(fd >= 0);
	write_pattern(fd, 0, MIB);
	if (engine_of_name("io_uring")->probe(&why) < 0) {
		print_message("# %s\n", why.text);
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_child(reads_with_little_locked_memory, &cases[i]);
}

/* Open at each depth and do one request; io_uring and libaio round depths as they like, the caller does not see it. */
static void every_depth_up_to_the_most_works(void **state _unused_)
{
	static const unsigned depths[] = {1, 2, 7, 64, 1000, UINT32_MAX};
	_cleanup_close_ int fd = memory_file(MIB);
	struct rlimit lock;

	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &lock), 0);
	for (size_t i = 0; engine_at(i); i++)
		for (size_t k = 0; k < ARRAY_SIZE(depths); k++) {
			_cleanup_(rig_close) struct rig r = {.state = NULL};
			struct engine_params p = {.fd = fd, .size = MIB, .depth = depths[k], .buf_size = 512,
						  .max_length = 512};
			int err = rig_open(&r, engine_at(i), p);

			/* What other programs leave of aio-max-nr, and the limit on locked memory, are not ours. */
			if (depths[k] > 1000 && (err == -EAGAIN || err == -ENOMEM))
				continue;
			if (err == -EPERM || err == -ENOSYS)
				break;
			assert_int_equal(err, 0);
			assert_int_equal(rig_read(&r, 512, 512), 512);
		}
}

static void a_request_that_needs_too_many_pieces_is_refused_at_once(void **state _unused_)
{
	_cleanup_close_ int fd = memory_file(MIB);

	for (size_t i = 0; engine_at(i); i++) {
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		struct engine_params p = {.fd = fd, .size = MIB, .depth = 1, .buf_size = 4096,
					  .max_length = ENGINE_IOVS * 4096 + 1};
		struct fault why;

		if (!(engine_at(i)->flags & ENGINE_BUFFER) || engine_at(i)->probe(&why) < 0)
			continue;
		assert_int_equal(rig_open(&r, engine_at(i), p), -EINVAL);
		assert_non_null(strstr(r.fault.text, "too long"));
	}
}

/* One request of the most that the kernel moves in a call. Holes of a memory file cost no memory when read. */
static void the_longest_request_moves_all_its_bytes(void **state _unused_)
{
	_cleanup_close_ int fd = memory_file(IO_MAX + 5 * MIB);

	assert_true(fd >= 0);
	for (size_t i = 0; engine_at(i); i++) {
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		struct engine_params p = {.fd = fd, .size = IO_MAX + 5 * MIB, .depth = 1, .buf_size = 2 * MIB};
		struct fault why;

		/* The mapping would fill the holes with 2 GiB. */
		if (!(engine_at(i)->flags & ENGINE_BUFFER) || engine_at(i)->probe(&why) < 0)
			continue;
		assert_int_equal(rig_open(&r, engine_at(i), p), 0);
		assert_int_equal(rig_read(&r, 4 * MIB + 7, IO_MAX), IO_MAX);
		assert_int_equal(rig_read(&r, 5 * MIB + 7, IO_MAX), IO_MAX - 7);
	}
}

static void an_empty_target_gives_no_bytes(void **state _unused_)
{
	_cleanup_close_ int fd = memory_file(0);

	for (size_t i = 0; engine_at(i); i++) {
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		struct engine_params p = {.fd = fd, .size = 0, .depth = 1};
		struct fault why;

		if (engine_at(i)->probe(&why) < 0)
			continue;
		assert_int_equal(rig_open(&r, engine_at(i), p), 0);
		assert_int_equal(rig_read(&r, 0, 1), 0);
		assert_int_equal(rig_read(&r, 4096, 100000), 0);
	}
}

struct cached {
	struct target target;
	bool foreign;          /* look at it as somebody who may only read it */
};

static int looks_without_cachestat(void *arg)
{
	struct cached *c = arg;
	struct residency r;
	uint64_t left = 0;

	REQUIRE(!c->foreign || setresuid(65534, 65534, 65534) == 0);
	if (forbid(451, ENOSYS) < 0)
		return 77;
	if (c->foreign) {
		REQUIRE(target_residency(&c->target, &r) == -EPERM);
		REQUIRE(target_drop_cache(&c->target, &left) == 0);
		REQUIRE(left == UINT64_MAX);
		return 0;
	}
	REQUIRE(target_residency(&c->target, &r) == 0);
	REQUIRE(r.pages == 257 && r.cached == 257 && !r.exact && r.dirty == 0);
	REQUIRE(target_drop_cache(&c->target, &left) == 0);
	REQUIRE(target_residency(&c->target, &r) == 0);
	REQUIRE(r.cached == left && (left == 0 || left == 257)); /* tmpfs keeps all */
	return 0;
}

static void kernels_without_cachestat_tell_by_mincore(void **state _unused_)
{
	char path[] = "/var/tmp/iotrace-cached-XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);
	struct cached c = {.foreign = false};
	struct fault f;
	int status;

	assert_true(fd >= 0);
	write_pattern(fd, 0, MIB + 1);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(target_open(&c.target, path, 0, &f), 0);
	unlink(path);
	status = in_child(looks_without_cachestat, &c);
	if (status == 0 && geteuid() == 0) {
		c.foreign = true;
		status = in_child(looks_without_cachestat, &c);
	}
	target_close(&c.target);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# no seccomp here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void tick(int signo _unused_)
{
}

/* A timer interrupts every wait; direct I/O, where there is any, so that there are waits. */
static void signals_do_not_show(void **state _unused_)
{
	char path[] = "/var/tmp/iotrace-signals-XXXXXX";
	struct itimerval fast = {.it_interval = {.tv_usec = 300}, .it_value = {.tv_usec = 300}};
	struct itimerval off = {.it_value = {0}};
	struct sigaction sa = {.sa_handler = tick}, old;
	_cleanup_close_ int fd = mkstemp(path);
	struct fault why;

	assert_true(fd >= 0);
	write_pattern(fd, 0, MIB);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(sigaction(SIGALRM, &sa, &old), 0);
	for (size_t i = 0; engine_at(i); i++) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		const struct engine *e = engine_at(i);
		bool direct = e->flags & ENGINE_DIRECT;

		if (e->probe(&why) < 0)
			continue;
		if (!direct || target_open(&t, path, TARGET_DIRECT, &why) < 0)
			assert_int_equal(target_open(&t, path, 0, &why), 0);
		assert_int_equal(rig_open(&r, e, (struct engine_params){.fd = t.fd, .size = t.size, .depth = 4}), 0);
		assert_int_equal(setitimer(ITIMER_REAL, &fast, NULL), 0);
		for (uint64_t n = 0; n < 300; n++) {
			int64_t res = rig_read(&r, n % 256 * 4096, 4096);

			if (res != 4096) {
				setitimer(ITIMER_REAL, &off, NULL);
				fail_msg("%s: %lld", e->name, (long long)res);
			}
		}
		setitimer(ITIMER_REAL, &off, NULL);
	}
	sigaction(SIGALRM, &old, NULL);
	unlink(path);
}

static void the_table_keeps_the_contract(void **state _unused_)
{
	size_t n = 0;

	for (const struct engine *e; (e = engine_at(n)); n++) {
		assert_ptr_equal(engine_of_name(e->name), e);
		assert_true(strlen(e->help) > 0 && strlen(e->help) < 60);
		assert_true(e->probe && e->open && e->close && e->submit);
		if (e->flags & ENGINE_ASYNC)
			assert_true(e->flush && e->reap && e->max_depth > 1);
		else
			assert_true(!e->flush && !e->reap && e->max_depth == 1);
	}
	assert_int_equal(n, 6);
	assert_null(engine_of_name("pread "));
	assert_null(engine_of_name(""));
}

static void pieces_repeat_the_buffer_until_the_length_is_covered(void **state _unused_)
{
	struct iovec iov[4];
	char buf[10];
	uint64_t covered;

	assert_int_equal(engine_iov(iov, 4, buf, 10, 25, &covered), 3);
	assert_int_equal(covered, 25);
	assert_true(iov[0].iov_base == buf && iov[1].iov_base == buf && iov[2].iov_base == buf);
	assert_true(iov[0].iov_len == 10 && iov[1].iov_len == 10 && iov[2].iov_len == 5);
	assert_int_equal(engine_iov(iov, 4, buf, 10, 40, &covered), 4);
	assert_int_equal(iov[3].iov_len, 10);
	assert_int_equal(engine_iov(iov, 2, buf, 10, 25, &covered), 2);
	assert_int_equal(covered, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_forbidden_engine_says_by_what),
		cmocka_unit_test(io_uring_goes_without_registered_buffers_or_names_the_limit),
		cmocka_unit_test(every_depth_up_to_the_most_works),
		cmocka_unit_test(a_request_that_needs_too_many_pieces_is_refused_at_once),
		cmocka_unit_test(the_longest_request_moves_all_its_bytes),
		cmocka_unit_test(an_empty_target_gives_no_bytes),
		cmocka_unit_test(kernels_without_cachestat_tell_by_mincore),
		cmocka_unit_test(signals_do_not_show),
		cmocka_unit_test(the_table_keeps_the_contract),
		cmocka_unit_test(pieces_repeat_the_buffer_until_the_length_is_covered),
	};

	return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
