/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines on kernels that lack what newer ones have, or have no room just now: a filter hands the system call to a
 * thread, which answers as such a kernel would.
 */
#include "child.h"

#include <liburing.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Answer one call: 0 lets it go on, else -errno. */
struct kernel {
	int nr;
	int (*answer)(struct kernel *k, const __u64 *args);
	unsigned lacks;       /* setup flags of io_uring */
	unsigned refusals;    /* calls to refuse first */
	unsigned calls;
	_Atomic int listener; /* 0: not yet */
};

static int unknown_flags(struct kernel *k, const __u64 *args)
{
	const struct io_uring_params *p = (const struct io_uring_params *)(uintptr_t)args[1];

	return p->flags & k->lacks ? -EINVAL : 0;
}

static int busy_at_first(struct kernel *k, const __u64 *args _unused_)
{
	return k->calls <= k->refusals ? -EAGAIN : 0;
}

static void *listen_to_calls(void *arg)
{
	struct kernel *k = arg;
	int fd;

	while ((fd = atomic_load(&k->listener)) == 0)
		usleep(100);
	for (;;) {
		struct seccomp_notif call = {.id = 0};
		struct seccomp_notif_resp answer = {.flags = 0};
		int r;

		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
			return NULL;
		k->calls++;
		r = k->answer(k, call.data.args);
		answer.id = call.id;
		answer.error = r;
		answer.flags = r == 0 ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
		ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

/* From now on this thread runs on that kernel. The thread that answers goes with the process. */
static int move_to(struct kernel *k)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)k->nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = ARRAY_SIZE(filter), .filter = filter};
	pthread_t thread;
	long fd;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || pthread_create(&thread, NULL, listen_to_calls, k) != 0)
		return -1;
	pthread_detach(thread);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog);
	if (fd < 0)
		return -1;
	atomic_store(&k->listener, (int)fd);
	return 0;
}

static int patterned_memory(void)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd >= 0)
		write_pattern(fd, 0, MIB);
	return fd;
}

/* All slots at once, twice. */
static int reads_all_right(struct rig *r)
{
	struct io *done[4];

	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 4; i++) {
			r->ios[i].op = IO_READ;
			r->ios[i].offset = 5000 * i;
			r->ios[i].length = 5000;
			REQUIRE(r->engine->submit(r->state, &r->ios[i]) == 0);
		}
		for (int n = 0; n < 4;) {
			int got = r->engine->reap(r->state, done, 4, 4, -1);

			REQUIRE(got > 0);
			n += got;
		}
		for (unsigned i = 0; i < 4; i++) {
			REQUIRE(r->ios[i].res == 5000);
			for (uint64_t k = 0; k < 5000; k++)
				REQUIRE((unsigned char)r->ios[i].buf[k] == pattern_byte(5000 * i + k));
		}
	}
	/* A wait that ends by itself, which older kernels do by other means. */
	REQUIRE(r->engine->reap(r->state, done, 1, 4, 1000000) == 0);
	return 0;
}

struct ring_case {
	unsigned lacks, use;
	const char *has, *has_not;
};

static int makes_a_ring(void *arg)
{
	const struct ring_case *c = arg;
	struct kernel kernel = {.nr = SYS_io_uring_setup, .answer = unknown_flags, .lacks = c->lacks};
	struct engine_params p = {.fd = patterned_memory(), .size = MIB, .depth = 4, .use = c->use};
	struct fault why;
	char text[240];
	struct rig r;

	if (engine_of_name("io_uring")->probe(&why) < 0 || move_to(&kernel) < 0)
		return 77;
	REQUIRE(rig_open(&r, engine_of_name("io_uring"), p) == 0);
	r.engine->describe(r.state, text, sizeof(text));
	REQUIRE_WORD(text, c->has);
	REQUIRE(!c->has_not || !strstr(text, c->has_not));
	REQUIRE(reads_all_right(&r) == 0);
	rig_close(&r);
	return 0;
}

static void assert_runs(int (*fn)(void *arg), void *arg)
{
	int status = in_child(fn, arg);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("# no such engine, or no filter that listens here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void a_ring_does_with_the_flags_that_there_are(void **state _unused_)
{
	struct ring_case cases[] = {
		{IORING_SETUP_DEFER_TASKRUN, 0, "COOP_TASKRUN", "DEFER_TASKRUN"},
		{IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER, 0, "COOP_TASKRUN", "SINGLE_ISSUER"},
		{~(unsigned)IORING_SETUP_SQPOLL & ~(unsigned)IORING_SETUP_CQSIZE, 0, "registered", "TASKRUN"},
		{IORING_SETUP_SINGLE_ISSUER, USE_SQPOLL, "SQPOLL", "SINGLE_ISSUER"},
		{~(unsigned)IORING_SETUP_SQPOLL, USE_SQPOLL, "SQPOLL", "SINGLE_ISSUER"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_runs(makes_a_ring, &cases[i]);
}

static int a_ring_is_refused(void *arg _unused_)
{
	struct kernel kernel = {.nr = SYS_io_uring_setup, .answer = unknown_flags, .lacks = IORING_SETUP_SQPOLL};
	struct engine_params p = {.fd = patterned_memory(), .size = MIB, .depth = 4, .use = USE_SQPOLL};
	struct fault why;
	struct rig r;

	if (engine_of_name("io_uring")->probe(&why) < 0 || move_to(&kernel) < 0)
		return 77;
	REQUIRE(rig_open(&r, engine_of_name("io_uring"), p) == -EINVAL);
	REQUIRE_WORD(r.fault.text, "no such ring, with sqpoll");
	rig_close(&r);
	return 0;
}

static void what_was_asked_for_is_not_left_out_in_silence(void **state _unused_)
{
	assert_runs(a_ring_is_refused, NULL);
}

static int tries_again(void *arg)
{
	struct kernel kernel = {.nr = SYS_io_submit, .answer = busy_at_first, .refusals = 0};
	struct engine_params p = {.fd = patterned_memory(), .size = MIB, .depth = 4};
	struct io *done[4];
	struct fault why;
	struct rig r;

	kernel.refusals = *(unsigned *)arg;
	if (engine_of_name("libaio")->probe(&why) < 0 || move_to(&kernel) < 0)
		return 77;
	REQUIRE(rig_open(&r, engine_of_name("libaio"), p) == 0);
	for (unsigned i = 0; i < kernel.refusals; i++) {
		r.ios[0].length = 4096;
		if (i == 0)
			REQUIRE(r.engine->submit(r.state, &r.ios[0]) == 0);
		/* Nothing is out that could make room: to wait would be for ever. */
		REQUIRE(r.engine->reap(r.state, done, 1, 4, -1) == -EAGAIN);
	}
	/* What was submitted is not lost. */
	if (kernel.refusals > 0) {
		REQUIRE(r.engine->reap(r.state, done, 1, 4, -1) == 1);
		REQUIRE(done[0] == &r.ios[0] && done[0]->res == 4096);
	}
	REQUIRE(reads_all_right(&r) == 0);
	rig_close(&r);
	return 0;
}

static void libaio_keeps_what_the_kernel_has_no_room_for(void **state _unused_)
{
	for (unsigned refusals = 0; refusals < 4; refusals++)
		assert_runs(tries_again, &refusals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_does_with_the_flags_that_there_are),
		cmocka_unit_test(what_was_asked_for_is_not_left_out_in_silence),
		cmocka_unit_test(libaio_keeps_what_the_kernel_has_no_room_for),
	};

	return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}
