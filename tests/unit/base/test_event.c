/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"

static void a_post_before_the_wait_is_not_lost(void **state _unused_)
{
	struct event e = {0};
	uint32_t seen = event_seen(&e);

	event_post(&e);
	assert_true(event_wait(&e, seen, INT64_MAX));
}

static void a_wait_ends_at_its_deadline_not_before(void **state _unused_)
{
	struct event e = {0};
	int64_t deadline = clock_now() + 20 * NS_PER_MSEC;

	assert_false(event_wait(&e, event_seen(&e), deadline));
	assert_true(clock_now() >= deadline);
	assert_false(event_wait(&e, event_seen(&e), 0));
}

static void *post_later(void *e)
{
	usleep(20000);
	event_post(e);
	return NULL;
}

static void a_post_wakes_the_waiter(void **state _unused_)
{
	struct event e = {0};
	uint32_t seen = event_seen(&e);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, post_later, &e), 0);
	assert_true(event_wait(&e, seen, INT64_MAX));
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* The signal flag is for the life of a process, so each test of it is one. */
static int status_of(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void raise_once(void)
{
	uint32_t seen;

	stop_install();
	seen = event_seen(stop_event());
	if (stop_signal() != 0)
		_exit(1);
	raise(SIGTERM);
	if (stop_signal() != SIGTERM || !event_wait(stop_event(), seen, 0))
		_exit(2);
}

static void raise_twice(void)
{
	const struct timespec more_than_one_wish = {.tv_nsec = 110 * 1000 * 1000};

	stop_install();
	raise(SIGINT);
	nanosleep(&more_than_one_wish, NULL);
	raise(SIGTERM);
}

static void raise_twice_at_once(void)
{
	stop_install();
	raise(SIGINT);
	raise(SIGINT);
	if (stop_signal() != SIGINT)
		_exit(1);
}

static void raise_hangup(void)
{
	stop_install();
	raise(SIGHUP);
	if (stop_signal() != SIGHUP)
		_exit(1);
}

static void raise_hangup_under_nohup(void)
{
	signal(SIGHUP, SIG_IGN);
	stop_install();
	raise(SIGHUP);
	if (stop_signal() != 0)
		_exit(1);
	/* nor does the signal that comes first take that back */
	raise(SIGINT);
	raise(SIGHUP);
}

static void write_past_the_limit(void)
{
	struct rlimit none = {.rlim_max = RLIM_INFINITY};
	FILE *f = tmpfile();

	stop_install();
	if (!f || setrlimit(RLIMIT_FSIZE, &none) < 0 || write(fileno(f), "x", 1) != -1 || errno != EFBIG)
		_exit(1);
}

static void write_without_reader(void)
{
	int fd[2];

	stop_install();
	if (pipe(fd) || close(fd[0]) || write(fd[1], "x", 1) != -1)
		_exit(1);
}

static void ask_twice(void)
{
	stop_request(SIGPIPE);
	stop_request(SIGINT);
	if (stop_signal() != SIGPIPE)
		_exit(1);
}

static void the_first_signal_sets_the_flag(void **state _unused_)
{
	assert_int_equal(status_of(raise_once), 0);
}

static void the_second_signal_ends_the_process(void **state _unused_)
{
	int status = status_of(raise_twice);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void signals_that_come_at_once_are_one(void **state _unused_)
{
	assert_int_equal(status_of(raise_twice_at_once), 0);
}

static void a_broken_pipe_is_an_error_not_a_death(void **state _unused_)
{
	assert_int_equal(status_of(write_without_reader), 0);
}

static void a_file_that_may_not_grow_is_an_error_not_a_death(void **state _unused_)
{
	assert_int_equal(status_of(write_past_the_limit), 0);
}

static void a_hangup_stops_unless_it_is_ignored(void **state _unused_)
{
	assert_int_equal(status_of(raise_hangup), 0);
	assert_int_equal(status_of(raise_hangup_under_nohup), 0);
}

static void the_first_reason_to_stop_stays(void **state _unused_)
{
	assert_int_equal(status_of(ask_twice), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_post_before_the_wait_is_not_lost),
		cmocka_unit_test(a_wait_ends_at_its_deadline_not_before),
		cmocka_unit_test(a_post_wakes_the_waiter),
		cmocka_unit_test(the_first_signal_sets_the_flag),
		cmocka_unit_test(the_second_signal_ends_the_process),
		cmocka_unit_test(signals_that_come_at_once_are_one),
		cmocka_unit_test(a_broken_pipe_is_an_error_not_a_death),
		cmocka_unit_test(a_file_that_may_not_grow_is_an_error_not_a_death),
		cmocka_unit_test(a_hangup_stops_unless_it_is_ignored),
		cmocka_unit_test(the_first_reason_to_stop_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
