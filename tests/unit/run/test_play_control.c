/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ends a play: limits, time, signals; and what it shows meanwhile. */
#include "stage.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/event.h"

static void max_requests_is_exact(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(20);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.depth = deep(e);
		for (p.max_requests = 0; p.max_requests <= 21; p.max_requests += 7) {
			struct play_result r = play_once(&p, &t);

			CHECK(e, r, requests, MIN(p.max_requests, 20));
			CHECK(e, r, bytes, MIN(p.max_requests, 20) * PAGE_BYTES);
			CHECK(e, r, hit_limit, p.max_requests < 20);
		}
		p.max_requests = 20;
		CHECK(e, play_once(&p, &t), hit_limit, false);
	}
}

static void a_request_that_would_pass_max_bytes_ends_the_play(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(20);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.depth = deep(e);
		p.max_bytes = 3 * PAGE_BYTES + PAGE_BYTES - 1;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 3);
		CHECK(e, r, bytes, 3 * PAGE_BYTES);
		CHECK(e, r, hit_limit, true);
		p.max_bytes = 20 * PAGE_BYTES;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 20);
		CHECK(e, r, hit_limit, false);
	}
}

static void bytes_past_the_end_do_not_use_up_max_bytes(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one_request(SIZE, 100 * PAGE_BYTES, OP_READ);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(0, PAGE_BYTES, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.max_bytes = PAGE_BYTES;
		CHECK(e, play_once(&p, &t), bytes, PAGE_BYTES);
	}
}

static void max_seconds_ends_a_pause(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.think_ns = 1000 * NS_PER_SEC;
		p.max_ns = 20 * NS_PER_MSEC;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 1);
		CHECK(e, r, hit_limit, true);
		CHECK(e, r, stopped_by, 0);
		p.max_ns = 0;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 0);
		CHECK(e, r, hit_limit, true);
	}
}

static void think_time_lies_behind_each_request(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(5);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		int64_t start = clock_now();
		struct play_result r;

		p.think_ns = 10 * NS_PER_MSEC;
		r = play_once(&p, &t);
		assert_true(clock_now() - start >= 5 * p.think_ns);
		assert_true(r.elapsed_ns >= 4 * p.think_ns);
		CHECK(e, r, requests, 5);
	}
}

/* In a child, for the flag that a signal sets stays set. */
static int interrupted_child(const char *engine, int ready)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of(engine);
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;

	stop_install();
	p.think_ns = 1000 * NS_PER_SEC;
	if (play_open(&play, &p, &t, &fault) < 0 || write(ready, "", 1) != 1)
		return 2;
	if (play_run(play, false, &r, &fault) < 0)
		return 3;
	return r.stopped_by == SIGINT && r.requests <= 1 && r.bytes == r.requests * PAGE_BYTES && !r.hit_limit ? 0 : 4;
}

static void a_signal_ends_the_play_and_its_pause(void **state _unused_)
{
	const struct engine *e;

#ifdef __SANITIZE_THREAD__
	skip_because("ThreadSanitizer holds signals back while a thread waits on a futex");
#endif
	for (size_t i = 0; (e = each(&i));) {
		int ready[2], status = -1;
		pid_t child;
		char byte;

		assert_int_equal(pipe(ready), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(interrupted_child(e->name, ready[1]));
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		usleep(20000);
		assert_int_equal(kill(child, SIGINT), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		close(ready[0]);
		check_count(e, "status of the interrupted play", (uint64_t)status, 0);
	}
}

/* What a play shows on standard error, kept in file f-err. */
static void shown(bool progress, char *text, size_t cap)
{
	_cleanup_close_ int file = open("f-err", O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(STDERR_FILENO);
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;
	ssize_t n;

	p.think_ns = 1000 * NS_PER_SEC;
	p.max_ns = 700 * NS_PER_MSEC;
	play = opened(&p, &t);
	assert_true(file >= 0 && saved >= 0);
	dup2(file, STDERR_FILENO);
	n = play_run(play, progress, &r, &fault);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(n, 0);
	n = pread(file, text, cap - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	unlink("f-err");
}

static void progress_is_shown_when_asked_and_erased_at_the_end(void **state _unused_)
{
	char text[1024];

	shown(true, text, sizeof(text));
	assert_non_null(strstr(text, "% "));
	assert_non_null(strstr(text, " MB/s  0:00:0"));
	assert_non_null(strstr(text, " left\033[K"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
	assert_null(strchr(text, '\n'));
	shown(false, text, sizeof(text));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(max_requests_is_exact, full_file),
		cmocka_unit_test_setup(a_request_that_would_pass_max_bytes_ends_the_play, full_file),
		cmocka_unit_test_setup(bytes_past_the_end_do_not_use_up_max_bytes, full_file),
		cmocka_unit_test_setup(max_seconds_ends_a_pause, full_file),
		cmocka_unit_test_setup(think_time_lies_behind_each_request, full_file),
		cmocka_unit_test_setup(a_signal_ends_the_play_and_its_pause, full_file),
		cmocka_unit_test_setup(progress_is_shown_when_asked_and_erased_at_the_end, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
