/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When requests are due, and that plays keep to it. No test has an upper bound on a time: a machine may be busy. */
#include "stage.h"

#include "run/pace.h"

#define MSEC NS_PER_MSEC

static struct trace timed_pages(const int64_t *time, size_t n)
{
	struct trace t = pages(n);

	assert_int_equal(trace_need_time(&t), 0);
	memcpy(t.time, time, n * sizeof(*time));
	return t;
}

static struct batch whole(const struct trace *t, uint64_t loop)
{
	return (struct batch){.req = t->req, .time = t->time, .count = t->count, .step = 1, .loop = loop};
}

static int64_t due(struct pace *pace, const struct batch *b, size_t i)
{
	bool timed;

	return pace_next(pace, b, i, req_length(b->req[i]), &timed);
}

static void times_of_the_trace_are_kept_but_never_go_back(void **state _unused_)
{
	/* A first gap, equal times, none at all, and one that goes back. */
	static const int64_t time[] = {5, 5, TIME_NONE, 70, 60, TIME_NONE};
	static const int64_t want[] = {5, 5, 5, 70, 70, 70};
	_cleanup_(trace_fini) struct trace t = timed_pages(time, ARRAY_SIZE(time));
	struct play_params p = params_of("null");
	struct batch b = whole(&t, 0);
	struct pace pace;

	p.timing = TIMING_TRACE;
	p.speed = 1;
	pace_init(&pace, &p, pace_span(&t), 0);
	for (size_t i = 0; i < t.count; i++) {
		bool timed;

		assert_int_equal(pace_next(&pace, &b, i, PAGE_BYTES, &timed), want[i]);
		assert_int_equal(timed, time[i] != TIME_NONE);
	}
	b.loop = 2;
	assert_int_equal(due(&pace, &b, 0), 2 * 70 + 5);
}

static void speed_divides_times(void **state _unused_)
{
	static const int64_t time[] = {0, 1000, 4000};
	_cleanup_(trace_fini) struct trace t = timed_pages(time, ARRAY_SIZE(time));
	struct play_params p = params_of("null");
	struct batch b = whole(&t, 0);
	struct pace pace;
	int64_t gap;

	p.timing = TIMING_TRACE;
	p.speed = 2;
	pace_init(&pace, &p, pace_span(&t), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(due(&pace, &b, i), time[i] / 2);
	p.speed = 0.5;
	pace_init(&pace, &p, pace_span(&t), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(due(&pace, &b, i), time[i] * 2);
	assert_int_equal(pace_median_gap(&p, &t, &gap), 0);
	assert_int_equal(gap, 2000);
}

static void a_rate_has_no_error_that_grows(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(10);
	struct play_params p = params_of("null");
	struct batch b = whole(&t, 0);
	struct pace pace;

	p.timing = TIMING_RATE;
	p.rate = 3;
	pace_init(&pace, &p, 0, 0);
	for (int64_t i = 0; i < 30000; i++)
		assert_in_range(due(&pace, &b, 0) - i * NS_PER_SEC / 3 + 2, 0, 4);
}

static void jobs_take_turns_in_a_rate(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("null");
	struct batch b = whole(&t, 0);

	p.timing = TIMING_RATE;
	p.rate = 1000;
	p.jobs = 4;
	for (unsigned job = 0; job < p.jobs; job++) {
		struct pace pace;

		pace_init(&pace, &p, 0, job);
		for (int64_t i = 0; i < 10; i++)
			assert_int_equal(due(&pace, &b, 0), (i * 4 + job) * MSEC);
	}
}

static void a_byte_rate_gives_long_requests_more_time(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("null");
	struct batch b = whole(&t, 0);
	struct pace pace;
	bool timed;

	p.timing = TIMING_BYTE_RATE;
	p.rate = 1000;
	pace_init(&pace, &p, 0, 0);
	assert_int_equal(pace_next(&pace, &b, 0, 10, &timed), 0);
	assert_int_equal(pace_next(&pace, &b, 0, 500, &timed), 10 * MSEC);
	assert_int_equal(pace_next(&pace, &b, 0, 0, &timed), 510 * MSEC);
	assert_int_equal(pace_next(&pace, &b, 0, 1, &timed), 510 * MSEC);
}

static void poisson_arrivals_have_the_mean_and_spread_of_one(void **state _unused_)
{
	const int n = 100000;
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("null");
	struct batch b = whole(&t, 0);
	struct pace pace, same, other;
	double sum = 0, squares = 0;
	int64_t last = 0;
	bool differs = false;

	p.timing = TIMING_RATE;
	p.arrival = ARRIVAL_POISSON;
	p.rate = 1000;
	p.seed = 7;
	pace_init(&pace, &p, 0, 0);
	pace_init(&same, &p, 0, 0);
	pace_init(&other, &p, 0, 1);
	for (int i = 0; i < n; i++) {
		int64_t at = due(&pace, &b, 0);
		double gap = (double)(at - last);

		assert_true(at >= last);
		assert_int_equal(due(&same, &b, 0), at);
		differs |= due(&other, &b, 0) != at;
		sum += gap;
		squares += gap * gap;
		last = at;
	}
	assert_true(differs);
	/* Mean 1 ms and a standard deviation of the same; that of n means is 0.3 %. */
	assert_in_range((uint64_t)(sum / n), 985000, 1015000);
	assert_in_range((uint64_t)(squares / n / 1e6), 1900000, 2100000);
}

static void no_request_is_issued_before_it_is_due(void **state _unused_)
{
	static const int64_t time[] = {10 * MSEC, 10 * MSEC, TIME_NONE, 30 * MSEC, 20 * MSEC, 50 * MSEC};
	_cleanup_(trace_fini) struct trace t = timed_pages(time, ARRAY_SIZE(time));
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (int spin = 0; spin < 2; spin++) {
			struct play_params p = params_of(e->name);
			_cleanup_(play_closep) struct play *play = NULL;
			struct play_result r;

			p.depth = deep(e);
			p.timing = TIMING_TRACE;
			p.speed = 1;
			p.spin = spin;
			p.latency = true;
			play = opened(&p, &t);
			r = play_again(play);
			CHECK(e, r, requests, 6);
			CHECK(e, r, bytes, 6 * PAGE_BYTES);
			assert_true(r.elapsed_ns >= r.fidelity.issue_ns);
			CHECK(e, r, fidelity.due_ns, 50 * MSEC);
			assert_true(r.fidelity.issue_ns >= r.fidelity.due_ns);
			CHECK(e, r, fidelity.inversions, 1);
			CHECK(e, r, fidelity.untimed, 1);
			CHECK(e, r, fidelity.lag->count, 6);
			CHECK(e, r, op[OP_READ].latency->count, 6);
			/* From due, so no latency is less than the lag. */
			assert_true(r.op[OP_READ].latency->sum >= r.fidelity.lag->sum);
		}
	}
}

static void nobody_is_late_for_a_time_before_that_of_the_one_in_front(void **state _unused_)
{
	static const int64_t time[] = {200 * MSEC, 0, 100 * MSEC, 200 * MSEC};
	_cleanup_(trace_fini) struct trace t = timed_pages(time, ARRAY_SIZE(time));
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		p.depth = deep(e);
		p.timing = TIMING_TRACE;
		p.speed = 1;
		p.latency = true;
		play = opened(&p, &t);
		r = play_again(play);
		CHECK(e, r, fidelity.inversions, 2);
		CHECK(e, r, fidelity.due_ns, 200 * MSEC);
		/* both would have counted from their own times, which were over by far */
		assert_true(r.op[OP_READ].latency->sum < (uint64_t)(r.elapsed_ns - 200 * MSEC) * 4 + 100 * MSEC);
	}
}

static void lateness_does_not_move_what_comes_later(void **state _unused_)
{
	/* Two halves are due together, the second one 20 ms later, however late the first is. */
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	assert_int_equal(trace_need_time(&t), 0);
	for (size_t i = 0; i < PAGES; i++)
		t.time[i] = i < PAGES / 2 ? 0 : 20 * MSEC;
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		p.timing = TIMING_TRACE;
		p.speed = 1;
		p.jobs = 2;
		play = opened(&p, &t);
		r = play_again(play);
		CHECK(e, r, fidelity.due_ns, 20 * MSEC);
		CHECK(e, r, fidelity.lag->count, PAGES);
		CHECK(e, r, fidelity.skipped, 0);
		assert_true(r.job[0].fidelity.issue_ns >= 20 * MSEC);
		assert_true(r.job[1].fidelity.issue_ns >= 20 * MSEC);
	}
}

static void a_rate_takes_its_time(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (unsigned jobs = 1; jobs <= 2; jobs++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.depth = deep(e);
			p.jobs = jobs;
			p.timing = TIMING_RATE;
			p.rate = 2000;
			r = play_once(&p, &t);
			CHECK(e, r, requests, PAGES);
			/* The last one is due at 31.5 ms; job 0 alone begins at once. */
			CHECK(e, r, fidelity.due_ns, (PAGES - 1) * MSEC / 2);
			assert_true(r.fidelity.issue_ns >= (PAGES - 1) * MSEC / 2);
		}
	}
}

static void time_limits_end_a_wait_for_a_due_time(void **state _unused_)
{
	static const int64_t time[] = {0, 1000 * NS_PER_SEC};
	_cleanup_(trace_fini) struct trace t = timed_pages(time, ARRAY_SIZE(time));
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.timing = TIMING_TRACE;
		p.speed = 1;
		p.max_ns = 20 * MSEC;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 1);
		CHECK(e, r, hit_limit, true);
		CHECK(e, r, fidelity.skipped, 1);
	}
}

static void what_cannot_be_kept_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");

	p.timing = TIMING_TRACE;
	expect_refusal(&p, &t, -EINVAL, "speed");
	p.speed = 1;
	expect_refusal(&p, &t, -EINVAL, "no times");
	p.timing = TIMING_RATE;
	expect_refusal(&p, &t, -EINVAL, "rate of 0");
	p.rate = 1;
	p.think_ns = 1;
	expect_refusal(&p, &t, -EINVAL, "together");
	p = params_of("pread");
	p.spin = true;
	expect_refusal(&p, &t, -EINVAL, "busy");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_the_trace_are_kept_but_never_go_back),
		cmocka_unit_test(speed_divides_times),
		cmocka_unit_test(a_rate_has_no_error_that_grows),
		cmocka_unit_test(jobs_take_turns_in_a_rate),
		cmocka_unit_test(a_byte_rate_gives_long_requests_more_time),
		cmocka_unit_test(poisson_arrivals_have_the_mean_and_spread_of_one),
		cmocka_unit_test_setup(no_request_is_issued_before_it_is_due, full_file),
		cmocka_unit_test_setup(nobody_is_late_for_a_time_before_that_of_the_one_in_front, full_file),
		cmocka_unit_test_setup(lateness_does_not_move_what_comes_later, full_file),
		cmocka_unit_test_setup(a_rate_takes_its_time, full_file),
		cmocka_unit_test_setup(time_limits_end_a_wait_for_a_due_time, full_file),
		cmocka_unit_test_setup(what_cannot_be_kept_is_refused, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
