/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sampler beside plays, on the real /proc and a real file. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "run/session.h"

#define PAGES 8

static char dir[] = "/var/tmp/iotrace-session-XXXXXX";

static int make_dir(void **state _unused_)
{
	_cleanup_close_ int fd = -1;

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	fd = open("f", O_WRONLY | O_CREAT, 0644);
	return fd >= 0 && ftruncate(fd, PAGES * PAGE_BYTES) == 0 ? 0 : -1;
}

static int remove_dir(void **state _unused_)
{
	unlink("f");
	return rmdir(dir);
}

static int count_row(void *ctx, uint64_t number _unused_, const struct sample *prev _unused_,
		     const struct sample *now _unused_)
{
	unsigned *rows = ctx;

	++*rows;
	return 0;
}

static struct sampler *sampler_of(int64_t interval, uint64_t max_rows, unsigned *rows)
{
	const struct sampler_params p = {.interval_ns = interval, .max_rows = max_rows, .row = count_row, .ctx = rows};
	struct sampler *s = NULL;
	struct fault fault = {.text = ""};

	if (sampler_open(&s, &p, &fault) < 0)
		fail_msg("%s", fault.text);
	if (columns_add(sampler_columns(s), "pgpgin", COLUMN_RAW, &fault) < 0)
		fail_msg("%s", fault.text);
	return s;
}

static struct play *play_in_loops(const struct trace *t, int64_t think_ns, uint64_t loops, const char *engine,
				  unsigned jobs)
{
	const struct play_params p = {
		.target = "f",
		.engine = engine,
		.max_requests = PLAY_UNLIMITED,
		.max_bytes = PLAY_UNLIMITED,
		.max_ns = INT64_MAX,
		.think_ns = think_ns,
		.depth = 1,
		.loops = loops,
		.jobs = jobs,
		.split = SPLIT_COPY,
	};
	struct play *play = NULL;
	struct fault fault = {.text = ""};

	if (play_open(&play, &p, t, &fault) < 0)
		fail_msg("%s", fault.text);
	return play;
}

static struct play *play_of(const struct trace *t, int64_t think_ns)
{
	return play_in_loops(t, think_ns, 1, "pread", 1);
}

static struct trace pages(void)
{
	struct trace t;

	trace_init(&t);
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(trace_push(&t, req_make(i * PAGE_BYTES, PAGE_BYTES, OP_READ)), 0);
	return t;
}

static void a_play_needs_no_sampler(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages();
	_cleanup_(play_closep) struct play *play = play_of(&t, 0);
	struct session s = {0};
	struct play_result r;
	struct fault fault;

	assert_int_equal(session_play(&s, play, &r, &fault), 0);
	assert_int_equal(r.bytes, PAGES * PAGE_BYTES);
	assert_int_equal(session_wait(&s, &fault), 0);
	assert_int_equal(session_stop(&s), 0);
}

static void marks_lie_around_the_play_and_not_inside(void **state _unused_)
{
	unsigned rows = 0;
	_cleanup_(trace_fini) struct trace t = pages();
	_cleanup_(play_closep) struct play *play = play_of(&t, 5 * NS_PER_MSEC);
	_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_MSEC, 0, &rows);
	struct session s = {.sampler = sampler};
	int64_t start = clock_now(), end;
	const struct mark *m;
	struct play_result r;
	struct fault fault;

	assert_int_equal(session_play(&s, play, &r, &fault), 0);
	end = clock_now();
	assert_int_equal(session_stop(&s), 0);
	m = sampler_marks(sampler);
	assert_string_equal(m->label, "begin");
	assert_string_equal(m->next->label, "end");
	assert_null(m->next->next);
	assert_true(start <= m->sample.when);
	assert_true(m->sample.when + r.elapsed_ns <= m->next->sample.when);
	assert_true(m->next->sample.when <= end);
	assert_true(rows > 0);
}

static void two_plays_share_one_sampler(void **state _unused_)
{
	unsigned rows = 0;
	_cleanup_(trace_fini) struct trace t = pages();
	_cleanup_(play_closep) struct play *play = play_of(&t, 0);
	_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_SEC, 0, &rows);
	struct session s = {.sampler = sampler};
	const struct mark *m;
	struct play_result r;
	struct fault fault;

	assert_int_equal(session_play(&s, play, &r, &fault), 0);
	assert_int_equal(session_play(&s, play, &r, &fault), 0);
	assert_int_equal(r.bytes, PAGES * PAGE_BYTES);
	assert_int_equal(session_stop(&s), 0);
	m = sampler_marks(sampler)->next;
	assert_int_equal(m->run, 1);
	assert_string_equal(m->phase, "");
	m = m->next;
	assert_string_equal(m->label, "begin");
	assert_int_equal(m->run, 2);
	assert_string_equal(m->next->label, "end");
	assert_null(m->next->next);
}

struct progress {
	uint64_t last;
	bool fell, between;
};

static int follow(void *ctx, uint64_t number _unused_, const struct sample *prev _unused_, const struct sample *now)
{
	struct progress *p = ctx;

	p->fell |= now->values[0] < p->last;
	p->last = now->values[0];
	p->between |= p->last > 0 && p->last % PAGES != 0;
	return 0;
}

static void the_sampler_sees_how_far_the_plays_are(void **state _unused_)
{
	struct progress seen = {0};
	struct replayed replayed = REPLAYED_INIT;
	const struct sampler_params params = {
		.sources = {.replay = replayed_read, .replay_ctx = &replayed},
		.interval_ns = NS_PER_MSEC,
		.row = follow,
		.ctx = &seen,
	};
	_cleanup_(trace_fini) struct trace t = pages();
	_cleanup_(play_closep) struct play *play = play_in_loops(&t, 5 * NS_PER_MSEC, 2, "pread", 2);
	_cleanup_(sampler_closep) struct sampler *sampler = NULL;
	struct session s = {.replayed = &replayed};
	struct source_replay at;
	struct play_result r;
	struct fault fault;

	assert_int_equal(sampler_open(&sampler, &params, &fault), 0);
	assert_int_equal(columns_add(sampler_columns(sampler), "replay:requests", COLUMN_RAW, &fault), 0);
	s.sampler = sampler;
	for (uint64_t i = 1; i <= 2; i++) {
		assert_int_equal(session_play(&s, play, &r, &fault), 0);
		replayed_read(&replayed, &at);
		assert_int_equal(at.requests, i * 4 * PAGES);
		assert_int_equal(at.bytes, i * 4 * PAGES * PAGE_BYTES);
	}
	assert_int_equal(session_stop(&s), 0);
	assert_false(seen.fell);
	assert_true(seen.between);
	assert_true(seen.last <= 8 * PAGES);
}

static void each_of_a_few_loops_is_a_phase(void **state _unused_)
{
	unsigned rows = 0;
	_cleanup_(trace_fini) struct trace t = pages();

	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		_cleanup_(play_closep) struct play *play = play_in_loops(&t, 2 * NS_PER_MSEC, 3, "pread", jobs);
		_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_SEC, 0, &rows);
		struct session s = {.sampler = sampler};
		const struct mark *m, *last = NULL;
		struct play_result r;
		struct fault fault;
		unsigned number = 1;

		assert_int_equal(session_play(&s, play, &r, &fault), 0);
		assert_int_equal(session_stop(&s), 0);
		m = sampler_marks(sampler);
		assert_string_equal(m->label, "begin");
		/* a busy machine may pass over one, but they come in order */
		for (m = m->next; m; last = m, m = m->next) {
			unsigned n;

			if (!m->next)
				break;
			assert_int_equal(sscanf(m->label, "loop %u", &n), 1);
			assert_true(n > number && n <= 3);
			number = n;
		}
		assert_string_equal(m->label, "end");
		assert_non_null(last);
	}
}

static void very_many_loops_are_one_phase(void **state _unused_)
{
	unsigned rows = 0;
	_cleanup_(trace_fini) struct trace t = pages();
	_cleanup_(play_closep) struct play *play = play_in_loops(&t, 0, PLAY_LOOPS_TOLD + 1, "pread", 1);
	_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_SEC, 0, &rows);
	struct session s = {.sampler = sampler};
	struct play_result r;
	struct fault fault;

	assert_int_equal(session_play(&s, play, &r, &fault), 0);
	assert_int_equal(session_stop(&s), 0);
	assert_string_equal(sampler_marks(sampler)->next->label, "end");
}

static void a_sleep_lasts_as_long_as_asked_while_rows_come(void **state _unused_)
{
	unsigned rows = 0;
	_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_MSEC, 3, &rows);
	struct session s = {.sampler = sampler};
	int64_t start = clock_now();
	struct fault fault;

	/* The sampler ends by itself after three rows; the sleep goes on. */
	assert_int_equal(session_sleep(&s, 50 * NS_PER_MSEC, &fault), 0);
	assert_true(clock_now() - start >= 50 * NS_PER_MSEC);
	assert_int_equal(session_stop(&s), 0);
	assert_int_equal(rows, 3);
}

static void waiting_ends_when_the_sampler_has_its_rows(void **state _unused_)
{
	unsigned rows = 0;
	_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_MSEC, 4, &rows);
	struct session s = {.sampler = sampler};
	struct fault fault;

	assert_int_equal(session_wait(&s, &fault), 0);
	assert_int_equal(session_stop(&s), 0);
	assert_int_equal(rows, 4);
}

static int child_of_signal(int ready, bool sleeps)
{
	unsigned rows = 0;
	_cleanup_(sampler_closep) struct sampler *sampler = sampler_of(NS_PER_SEC, 0, &rows);
	struct session s = {.sampler = sampler};
	struct fault fault;
	int r;

	stop_install();
	if (write(ready, "", 1) != 1)
		return 2;
	r = sleeps ? session_sleep(&s, 1000 * NS_PER_SEC, &fault) : session_wait(&s, &fault);
	return r == 0 && session_stop(&s) == 0 && stop_signal() == SIGTERM ? 0 : 3;
}

static void a_signal_ends_a_sleep_and_a_wait(void **state _unused_)
{
#ifdef __SANITIZE_THREAD__
	print_message("# ThreadSanitizer holds signals back while a thread waits on a futex\n");
	skip();
#endif
	for (int sleeps = 0; sleeps < 2; sleeps++) {
		int ready[2], status = -1;
		pid_t child;
		char byte;

		assert_int_equal(pipe(ready), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(child_of_signal(ready[1], sleeps));
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		assert_int_equal(kill(child, SIGTERM), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_play_needs_no_sampler),
		cmocka_unit_test(marks_lie_around_the_play_and_not_inside),
		cmocka_unit_test(two_plays_share_one_sampler),
		cmocka_unit_test(the_sampler_sees_how_far_the_plays_are),
		cmocka_unit_test(each_of_a_few_loops_is_a_phase),
		cmocka_unit_test(very_many_loops_are_one_phase),
		cmocka_unit_test(a_sleep_lasts_as_long_as_asked_while_rows_come),
		cmocka_unit_test(waiting_ends_when_the_sampler_has_its_rows),
		cmocka_unit_test(a_signal_ends_a_sleep_and_a_wait),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
