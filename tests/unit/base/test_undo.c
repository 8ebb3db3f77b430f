/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is put back when a process ends, by processes that do. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/undo.h"

static char folder[] = "/tmp/test_undo.XXXXXX";

static int enter(void **state _unused_)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state _unused_)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") || system(command);
}

static const char *path(const char *name)
{
	static char buf[4][128];
	static unsigned at;
	char *p = buf[at++ % ARRAY_SIZE(buf)];

	snprintf(p, sizeof(buf[0]), "%s/%s", folder, name);
	return p;
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static char first_of(const char *name)
{
	FILE *f = fopen(name, "r");
	int c;

	assert_non_null(f);
	c = fgetc(f);
	fclose(f);
	return (char)c;
}

static void pause_ms(long ms)
{
	nanosleep(&(const struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void what_was_not_dropped_is_put_back_at_the_close(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	struct fault fault;
	int a, b;

	put("a", "new");
	put("b", "new");
	assert_int_equal(mkdir("group", 0755), 0);
	assert_int_equal(undo_open(&u, NULL, &fault), 0);
	a = undo_add(u, UNDO_WRITE, path("a"), "old", &fault);
	b = undo_add(u, UNDO_WRITE, path("b"), "old", &fault);
	assert_true(a > 0 && b > 0 && a != b);
	assert_true(undo_add(u, UNDO_RMDIR, path("group"), NULL, &fault) > 0);
	undo_drop(u, a);
	undo_close(TAKE_PTR(u));
	assert_int_equal(first_of("a"), 'n');
	assert_int_equal(first_of("b"), 'o');
	assert_int_equal(access("group", F_OK), -1);
}

static void the_last_change_is_put_back_first(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	struct fault fault;

	put("a", "3");
	assert_int_equal(undo_open(&u, NULL, &fault), 0);
	assert_true(undo_add(u, UNDO_WRITE, path("a"), "1", &fault) > 0);
	assert_true(undo_add(u, UNDO_WRITE, path("a"), "2", &fault) > 0);
	undo_close(TAKE_PTR(u));
	assert_int_equal(first_of("a"), '1');
}

static void it_is_put_back_after_sigkill_and_signals_to_the_group_do_not_stop_it(void **state _unused_)
{
	static const int signals[] = {SIGKILL, SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		int ready[2], status;
		pid_t pid;
		char byte;

		put("a", "new");
		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			struct undo *u;
			struct fault fault;

			setpgid(0, 0);
			if (undo_open(&u, NULL, &fault) < 0 || undo_add(u, UNDO_WRITE, path("a"), "old", &fault) < 0)
				_exit(1);
			if (write(ready[1], "", 1) < 0)
				_exit(1);
			for (;;)
				pause();
		}
		assert_int_equal(read(ready[0], &byte, 1), 1);
		kill(-pid, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		for (int tries = 0; first_of("a") != 'o' && tries < 100; tries++)
			pause_ms(50);
		assert_int_equal(first_of("a"), 'o');
		close(ready[0]);
		close(ready[1]);
	}
}

static void more_may_be_added_and_dropped_than_wait_at_a_time(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	struct fault fault;

	put("a", "new");
	put("b", "new");
	assert_int_equal(undo_open(&u, NULL, &fault), 0);
	assert_true(undo_add(u, UNDO_WRITE, path("a"), "old", &fault) > 0);
	for (int i = 0; i < 100; i++) {
		int number = undo_add(u, UNDO_WRITE, path("b"), "old", &fault);

		assert_true(number > 0);
		undo_drop(u, number);
	}
	undo_close(TAKE_PTR(u));
	assert_int_equal(first_of("a"), 'o');
	assert_int_equal(first_of("b"), 'n');
}

static void all_that_wait_are_put_back_and_more_are_refused(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	struct fault fault;
	char name[16];
	int first = 0;

	assert_int_equal(undo_open(&u, NULL, &fault), 0);
	for (int i = 0; i < UNDO_WAITING; i++) {
		int number;

		snprintf(name, sizeof(name), "%d", i);
		assert_int_equal(mkdir(name, 0755), 0);
		number = undo_add(u, UNDO_RMDIR, path(name), NULL, &fault);
		assert_true(number > 0);
		if (i == 0)
			first = number;
	}
	assert_int_equal(undo_add(u, UNDO_RMDIR, path("more"), NULL, &fault), -ENOSPC);
	undo_drop(u, first);
	assert_int_equal(mkdir("more", 0755), 0);
	assert_true(undo_add(u, UNDO_RMDIR, path("more"), NULL, &fault) > 0);
	undo_close(TAKE_PTR(u));
	assert_int_equal(access("0", F_OK), 0);
	assert_int_equal(rmdir("0"), 0);
	/* empty but for . and .. */
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
}

static void a_path_that_is_too_long_is_refused(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	char name[UNDO_PATH + 1];
	struct fault fault;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(undo_open(&u, NULL, &fault), 0);
	assert_int_equal(undo_add(u, UNDO_RMDIR, name, NULL, &fault), -ENAMETOOLONG);
	name[UNDO_PATH - 1] = '\0';
	assert_true(undo_add(u, UNDO_RMDIR, name, NULL, &fault) > 0);
}

static void say(const char *file, const char *text)
{
	if (access(path("more"), F_OK) == 0)
		dprintf(STDERR_FILENO, "%s of %s\n", text, file);
}

/* Standard error at the start of the child is where it says. */
static void what_is_to_be_said_comes_before_what_is_put_back(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	_cleanup_close_ int before = dup(STDERR_FILENO), file = open("errors", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char told[128] = "";
	struct fault fault;

	assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
	assert_int_equal(undo_open(&u, say, &fault), 0);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	assert_int_equal(mkdir(path("more"), 0755), 0);
	assert_true(undo_add(u, UNDO_TELL, "this", "one", &fault) > 0);
	assert_true(undo_add(u, UNDO_RMDIR, path("more"), NULL, &fault) > 0);
	undo_drop(u, undo_add(u, UNDO_TELL, "that", "none", &fault));
	undo_close(TAKE_PTR(u));
	assert_true(pread(file, told, sizeof(told) - 1, 0) >= 0);
	assert_string_equal(told, "one of this\n");
	assert_int_equal(access("more", F_OK), -1);
}

static void it_holds_no_pipe_open(void **state _unused_)
{
	_cleanup_(undo_closep) struct undo *u = NULL;
	struct fault fault;
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(undo_open(&u, NULL, &fault), 0);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

/* From now on this process runs on a kernel without close_range(2). */
static bool lose_close_range(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = ARRAY_SIZE(filter), .filter = filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0;
}

static void it_holds_no_pipe_open_on_older_kernels_too(void **state _unused_)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct undo *u;
		struct fault fault;
		int ends[2];
		char byte;

		if (!lose_close_range())
			_exit(77);
		if (pipe(ends) < 0 || undo_open(&u, NULL, &fault) < 0)
			_exit(1);
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 0 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("system calls cannot be filtered here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_was_not_dropped_is_put_back_at_the_close),
	    TEST(the_last_change_is_put_back_first),
	    TEST(it_is_put_back_after_sigkill_and_signals_to_the_group_do_not_stop_it),
	    TEST(more_may_be_added_and_dropped_than_wait_at_a_time),
	    TEST(all_that_wait_are_put_back_and_more_are_refused),
	    TEST(a_path_that_is_too_long_is_refused),
	    TEST(what_is_to_be_said_comes_before_what_is_put_back),
	    TEST(it_holds_no_pipe_open),
	    TEST(it_holds_no_pipe_open_on_older_kernels_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
