/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procdir.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "base/event.h"
#include "mon/sampler.h"

#define MSEC INT64_C(1000000)
#define ROWS 64

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_COUNT 0
#else
#define HAVE_COUNT 1

/* Every allocation of the process passes here: glibc's own calls too. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);

static atomic_uint allocations;

void *malloc(size_t n)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	atomic_fetch_add(&allocations, 1);
	return __libc_realloc(p, n);
}
#endif

/* What the callback saw, and what it is to do. */
struct seen {
	struct procdir *proc;
	uint64_t rows;
	int64_t prev_when[ROWS], when[ROWS];
	uint64_t value[ROWS];
	bool missing[ROWS];
	const char *put;         /* new text of the file, after the first row */
	int64_t sleep_ns;        /* in the first row */
	int64_t every_ns;        /* in each row */
	int result;              /* of the callback, from the second row on */
};

static void pause_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC};

	nanosleep(&ts, NULL);
}

static int see(void *ctx, uint64_t number, const struct sample *prev, const struct sample *now)
{
	struct seen *s = ctx;

	if (number != s->rows + 1 || s->rows == ROWS)
		return -EPROTO;
	s->prev_when[s->rows] = prev->when;
	s->when[s->rows] = now->when;
	s->value[s->rows] = now->values[0];
	s->missing[s->rows] = now->missing[0];
	pause_ns(s->every_ns);
	if (s->rows++ > 0)
		return s->result;
	if (s->put)
		procdir_put(s->proc, s->put);
	pause_ns(s->sleep_ns);
	return 0;
}

static struct sampler *start(struct procdir *p, struct seen *seen, int64_t interval, uint64_t rows)
{
	struct sampler_params params = {
		.sources.proc = p->dir, .interval_ns = interval, .max_rows = rows, .row = see, .ctx = seen};
	struct sampler *s;
	struct fault fault;

	seen->proc = p;
	assert_int_equal(sampler_open(&s, &params, &fault), 0);
	assert_int_equal(columns_add(sampler_columns(s), "pgfault", COLUMN_RAW, &fault), 0);
	assert_int_equal(sampler_start(s), 0);
	return s;
}

static void wait_done(struct sampler *s)
{
	for (uint32_t n = event_seen(stop_event()); !sampler_done(s); n = event_seen(stop_event()))
		event_wait(stop_event(), n, clock_now() + NS_PER_SEC);
}

static void rows_follow_each_other_and_end_at_their_number(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {0};
	struct sampler_stats stats;
	struct sampler *s;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 2 * MSEC, 20);
	wait_done(s);
	assert_int_equal(sampler_stop(s), 0);
	assert_int_equal(sampler_stop(s), 0);
	assert_int_equal(seen.rows, 20);
	assert_int_equal(seen.prev_when[0], sampler_first(s)->when);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(seen.value[i], 10);
		assert_true(seen.when[i] > seen.prev_when[i]);
		if (i)
			assert_int_equal(seen.prev_when[i], seen.when[i - 1]);
	}
	assert_int_equal(sampler_first(s)->values[0], 10);
	sampler_get_stats(s, &stats);
	assert_int_equal(stats.ticks, 20);
	assert_int_equal(stats.torn, 0);
	sampler_close(s);
	procdir_remove(&p);
}

static void deadlines_are_absolute_and_missed_ticks_are_skipped(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {.sleep_ns = 35 * MSEC};
	struct sampler_stats stats;
	struct sampler *s;
	int64_t deadline;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 10 * MSEC, 5);
	wait_done(s);
	assert_int_equal(sampler_stop(s), 0);
	sampler_get_stats(s, &stats);
	assert_int_equal(stats.ticks, 5);
	/* the first row ended at 45 ms or later: the ticks at 20 and 30 were missed at least */
	assert_true(stats.missed >= 2);
	assert_in_range(stats.late_max_ns, 0, 10 * MSEC - 1);
	assert_true(seen.when[1] - sampler_first(s)->when >= 45 * MSEC);
	/* the last tick is the one of its number, so it does not come before that one's time */
	deadline = sampler_first(s)->when + (int64_t)(stats.ticks + stats.missed) * 10 * MSEC;
	assert_true(seen.when[4] >= deadline);
	sampler_close(s);
	procdir_remove(&p);
}

static void what_each_row_takes_does_not_add_up(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {.every_ns = 60 * MSEC};
	struct sampler *s;
	int64_t least = INT64_MAX;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 200 * MSEC, 4);
	wait_done(s);
	assert_int_equal(sampler_stop(s), 0);
	/* Were an interval begun when a row is done, these would be 60, 120 and 180 ms late. One on time is enough. */
	for (int i = 1; i < 4; i++)
		least = MIN(least, (seen.when[i] - sampler_first(s)->when) % (200 * MSEC));
	assert_in_range(least, 0, 50 * MSEC);
	sampler_close(s);
	procdir_remove(&p);
}

static void a_field_that_goes_away_is_told_and_sampling_goes_on(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {.put = "other 1\n"};
	struct sampler_stats stats;
	struct sampler *s;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 2 * MSEC, 3);
	wait_done(s);
	assert_int_equal(sampler_stop(s), 0);
	assert_false(seen.missing[0]);
	assert_true(seen.missing[1]);
	assert_true(seen.missing[2]);
	sampler_get_stats(s, &stats);
	assert_int_equal(stats.missing, 2);
	sampler_close(s);
	procdir_remove(&p);
}

static void a_failed_reading_ends_it_with_its_error(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {.put = ""};
	struct sampler *s;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 2 * MSEC, 0);
	wait_done(s);
	assert_int_equal(sampler_stop(s), -ENODATA);
	assert_int_equal(seen.rows, 1);
	sampler_close(s);
	procdir_remove(&p);
}

static void the_callback_can_end_it(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {.result = -EPIPE};
	struct sampler *s;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 2 * MSEC, 0);
	wait_done(s);
	assert_int_equal(sampler_stop(s), -EPIPE);
	assert_int_equal(seen.rows, 2);
	sampler_close(s);
	procdir_remove(&p);
}

static void stop_does_not_wait_for_the_next_tick(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {0};
	struct sampler *s;
	int64_t begin = clock_now();

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 1000 * NS_PER_SEC, 0);
	assert_int_equal(sampler_stop(s), 0);
	assert_false(sampler_done(s));
	assert_int_equal(seen.rows, 0);
	assert_true(clock_now() - begin < 500 * NS_PER_SEC);
	sampler_close(s);
	procdir_remove(&p);
}

static void *mark_often(void *arg)
{
	for (int i = 0; i < 50; i++)
		if (sampler_mark(arg, "other", "other"))
			return arg;
	return NULL;
}

static void marks_of_other_threads_are_readings_of_their_own(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {0};
	struct sampler *s;
	const struct mark *mark;
	pthread_t other;
	void *failed;
	size_t n = 0;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, MSEC, 30);
	assert_int_equal(sampler_begin(s), 0);
	assert_int_equal(pthread_create(&other, NULL, mark_often, s), 0);
	assert_int_equal(pthread_join(other, &failed), 0);
	assert_null(failed);
	wait_done(s);
	procdir_put(&p, "pgfault 30\n");
	assert_int_equal(sampler_end(s), 0);
	assert_int_equal(sampler_stop(s), 0);
	assert_string_equal(sampler_marks(s)->label, "begin");
	for (mark = sampler_marks(s); mark; mark = mark->next, n++) {
		assert_int_equal(mark->sample.values[0], mark->next ? 10 : 30);
		assert_false(mark->sample.missing[0]);
		assert_int_equal(mark->run, 1);
		if (mark->next)
			assert_true(mark->next->sample.when > mark->sample.when);
		else
			assert_string_equal(mark->label, "end");
	}
	assert_int_equal(n, 52);
	sampler_close(s);
	procdir_remove(&p);
}

static void rows_know_their_phase_and_run(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {0};
	struct sampler *s;
	const struct mark *m;

	procdir_make(&p, "pgfault 10\n");
	s = start(&p, &seen, 1000 * NS_PER_SEC, 0);
	assert_int_equal(sampler_mark(s, "too early", "too early"), 0);
	assert_int_equal(sampler_begin(s), 0);
	assert_int_equal(sampler_mark(s, "scan", "scan"), 0);
	assert_int_equal(sampler_end(s), 0);
	assert_int_equal(sampler_mark(s, "too late", "too late"), 0);
	sampler_resume(s, "restore");
	assert_int_equal(sampler_mark(s, "restore", NULL), 0);
	assert_int_equal(sampler_begin(s), 0);
	assert_int_equal(sampler_stop(s), 0);
	m = sampler_marks(s);
	assert_string_equal(m->label, "begin");
	assert_string_equal(m->phase, "begin");
	assert_null(m->sample.phase);
	m = m->next;
	assert_string_equal(m->label, "scan");
	assert_string_equal(m->phase, "scan");
	assert_string_equal(m->sample.phase, "begin");
	m = m->next;
	assert_string_equal(m->label, "end");
	assert_string_equal(m->phase, "restore");
	m = m->next;
	assert_string_equal(m->label, "restore");
	assert_string_equal(m->phase, "");
	assert_string_equal(m->sample.phase, "restore");
	assert_int_equal(m->run, 1);
	m = m->next;
	assert_string_equal(m->label, "begin");
	assert_int_equal(m->run, 2);
	assert_null(m->next);
	sampler_close(s);
	procdir_remove(&p);
}

static void a_whole_is_one_run_from_the_first_reading_to_the_last_row(void **state _unused_)
{
	struct procdir p;
	struct seen seen = {.proc = &p};
	struct sampler_params params = {
		.interval_ns = MSEC, .max_rows = 3, .row = see, .ctx = &seen, .whole = true};
	const struct mark *m;
	struct sampler *s;
	struct fault fault;

	procdir_make(&p, "pgfault 10\n");
	params.sources.proc = p.dir;
	assert_int_equal(sampler_open(&s, &params, &fault), 0);
	assert_int_equal(columns_add(sampler_columns(s), "pgfault", COLUMN_RAW, &fault), 0);
	assert_int_equal(sampler_start(s), 0);
	wait_done(s);
	procdir_put(&p, "pgfault 30\n");
	assert_int_equal(sampler_stop(s), 0);
	assert_int_equal(sampler_end(s), 0);
	m = sampler_marks(s);
	assert_int_equal(m->sample.when, sampler_first(s)->when);
	assert_int_equal(m->ticks, 0);
	assert_int_equal(m->next->sample.when, seen.when[2]);
	assert_int_equal(m->next->sample.values[0], 10);
	assert_int_equal(m->next->ticks, 3);
	assert_null(m->next->next);
	sampler_close(s);
	procdir_remove(&p);
}

#if HAVE_COUNT
struct counted {
	uint64_t first, last;
};

static int count(void *ctx, uint64_t number, const struct sample *prev _unused_, const struct sample *now _unused_)
{
	struct counted *c = ctx;

	if (number == 1)
		c->first = atomic_load(&allocations);
	c->last = atomic_load(&allocations);
	return 0;
}
#endif

static void nothing_is_allocated_in_the_loop(void **state _unused_)
{
#if HAVE_COUNT
	static const char *const specs[] = {"*", "meminfo:*", "self:*", "x=pgfree/(pgfault+1)*seconds"};
	struct counted c = {0};
	struct sampler_params params = {.interval_ns = MSEC, .max_rows = 30, .row = count, .ctx = &c};
	struct sampler *s;
	struct fault fault;

	if (sampler_open(&s, &params, &fault)) {
		print_message("%s\n", fault.text);
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(specs); i++)
		assert_int_equal(columns_add(sampler_columns(s), specs[i], COLUMN_RATE, &fault), 0);
	assert_int_equal(sampler_start(s), 0);
	wait_done(s);
	assert_int_equal(sampler_stop(s), 0);
	assert_true(c.first > 0);
	assert_int_equal(c.last - c.first, 0);
	sampler_close(s);
#else
	print_message("a sanitizer has its own malloc\n");
	skip();
#endif
}

static void no_page_is_missed_in_the_loop(void **state _unused_)
{
#if HAVE_COUNT
	struct counted c = {0};
	struct sampler_params params = {.interval_ns = MSEC / 2, .max_rows = 400, .row = count, .ctx = &c};
	struct sampler_stats stats;
	struct sampler *s;
	struct fault fault;

	if (sampler_open(&s, &params, &fault)) {
		print_message("%s\n", fault.text);
		skip();
	}
	assert_int_equal(columns_add(sampler_columns(s), "*", COLUMN_RATE, &fault), 0);
	assert_int_equal(sampler_start(s), 0);
	assert_int_equal(sampler_begin(s), 0);
	while (!sampler_done(s)) {
		assert_int_equal(sampler_mark(s, "phase", "phase"), 0);
		pause_ns(MSEC);
	}
	assert_int_equal(sampler_stop(s), 0);
	sampler_get_stats(s, &stats);
	assert_int_equal(stats.ticks, 400);
	/* a page that the kernel moves just then is a fault too */
	assert_in_range(stats.faults, 0, 4);
	sampler_close(s);
#else
	print_message("a sanitizer has pages of its own\n");
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_follow_each_other_and_end_at_their_number),
		cmocka_unit_test(deadlines_are_absolute_and_missed_ticks_are_skipped),
		cmocka_unit_test(what_each_row_takes_does_not_add_up),
		cmocka_unit_test(a_field_that_goes_away_is_told_and_sampling_goes_on),
		cmocka_unit_test(a_failed_reading_ends_it_with_its_error),
		cmocka_unit_test(the_callback_can_end_it),
		cmocka_unit_test(stop_does_not_wait_for_the_next_tick),
		cmocka_unit_test(marks_of_other_threads_are_readings_of_their_own),
		cmocka_unit_test(rows_know_their_phase_and_run),
		cmocka_unit_test(a_whole_is_one_run_from_the_first_reading_to_the_last_row),
		cmocka_unit_test(no_page_is_missed_in_the_loop),
		cmocka_unit_test(nothing_is_allocated_in_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
