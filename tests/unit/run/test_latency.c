/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Latencies, the log, and figures that leave out the ramp. */
#include "stage.h"

#include <stdlib.h>
#include <unistd.h>

#include "run/log.h"

/* ThreadSanitizer does not follow a process with threads that forks. */
#if defined(__SANITIZE_THREAD__)
#define FORKS false
#else
#define FORKS true
#endif

static void every_request_that_is_issued_has_a_latency(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	/* Past the end, no length: nothing is issued. Across the end: something is. */
	assert_int_equal(trace_push(&t, req_make(SIZE, 10, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 0, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(SIZE - 10, 20, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		for (int shape = 0; shape < (FORKS ? 4 : 2); shape++) {
			struct play_params p = params_of(e->name);
			_cleanup_(play_closep) struct play *play = NULL;
			const struct hist *h;
			struct play_result r;
			uint64_t sum = 0;

			p.depth = deep(e);
			p.latency = true;
			p.loops = 3;
			p.jobs = shape & 1 ? 3 : 1;
			p.processes = shape & 2;
			play = opened(&p, &t);
			r = play_again(play);
			h = r.op[OP_READ].latency;
			CHECK(e, r, requests, 3 * (PAGES + 3));
			check_count(e, "latencies", h->count, 3 * (PAGES + 1));
			assert_true(h->min <= h->max);
			assert_true((int64_t)h->max <= r.elapsed_ns);
			for (unsigned job = 0; job < p.jobs; job++)
				sum += r.job[job].op[OP_READ].latency->count;
			check_count(e, "latencies of all jobs", sum, h->count);
			assert_non_null(r.clock);
			assert_null(r.op[OP_WRITE].latency);
			assert_null(r.fidelity.lag);
		}
	}
}

static void without_latency_no_time_is_taken(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");
	struct play_result r = play_once(&p, &t);

	assert_null(r.op[OP_READ].latency);
	assert_null(r.clock);
	assert_int_equal(r.timed, 0);
}

static void touches_of_present_pages_are_sampled_and_stand_for_all(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("mmap");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;

	p.latency = true;
	p.loops = 10000;
	play = opened(&p, &t);
	r = play_again(play);
	assert_int_equal(r.requests, 10000 * PAGES);
	assert_int_equal(r.op[OP_READ].latency->count, 10000 * PAGES);
	assert_true(r.timed > 0);
	assert_true(r.timed < 10000 * PAGES);
}

static void a_latency_is_as_long_as_what_it_times(void **state _unused_)
{
	/* With one at a time, the latencies together are no longer than the play, and nearly so long. */
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		p.latency = true;
		p.loops = 200;
		play = opened(&p, &t);
		r = play_again(play);
		if (r.timed == r.op[OP_READ].latency->count) {
			uint64_t sum = r.op[OP_READ].latency->sum;

			assert_true(sum <= (uint64_t)r.elapsed_ns + (uint64_t)r.elapsed_ns / 1000 + 1000000);
			assert_true(sum > 0);
		}
	}
}

/* Lines of text of a log, with the comment that is no record. */
static char *log_text(struct play_params *p, const struct trace *t, struct log_stats *stats, struct play_result *r)
{
	_cleanup_(play_closep) struct play *play = NULL;
	struct fault fault;
	struct log *log;
	char *text = calloc(1, 1 << 16);
	FILE *f;

	assert_int_equal(log_open(&log, "log.csv", &fault), 0);
	assert_int_equal(log_begin(log, p->jobs, &fault), 0);
	p->log = log;
	play = opened(p, t);
	*r = play_again(play);
	log_end(log, stats);
	assert_int_equal(log_close(log, &fault), 0);
	p->log = NULL;
	f = fopen("log.csv", "r");
	assert_non_null(f);
	assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	unlink("log.csv");
	return text;
}

static void the_log_has_a_line_for_each_request(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(SIZE, 10, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(SIZE - 10, 20, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		for (unsigned jobs = 1; jobs <= 2; jobs++) {
			struct play_params p = params_of(e->name);
			_cleanup_free_ char *text = NULL;
			unsigned seen[PAGES] = {0}, across = 0, past = 0, lines = 0;
			struct log_stats stats;
			struct play_result r;
			char *save = NULL, *line;

			p.depth = deep(e);
			p.jobs = jobs;
			text = log_text(&p, &t, &stats, &r);
			CHECK(e, r, requests, PAGES + 2);
			check_count(e, "records", stats.records, PAGES + 2);
			line = strtok_r(text, "\n", &save); /* names */
			while ((line = strtok_r(NULL, "\n", &save))) {
				int64_t start, result;
				uint64_t latency, offset, length;
				unsigned job;
				char op;

				assert_int_equal(sscanf(line, "%ld,%lu,%c,%lu,%lu,%ld,%u", &start, &latency, &op,
							&offset, &length, &result, &job), 7);
				lines++;
				assert_true(start >= 0);
				assert_int_equal(op, 'R');
				assert_in_range(job, 0, jobs - 1);
				if (offset == SIZE - 10) {
					assert_int_equal(length, 20);
					assert_int_equal(result, 10);
					across++;
					continue;
				}
				if (offset == SIZE) {
					assert_int_equal(length, 10);
					assert_int_equal(result, 0);
					past++;
					continue;
				}
				assert_int_equal(length, PAGE_BYTES);
				assert_int_equal(result, PAGE_BYTES);
				assert_int_equal(job, offset / PAGE_BYTES % jobs);
				seen[offset / PAGE_BYTES]++;
			}
			check_count(e, "lines", lines, PAGES + 2);
			check_count(e, "lines of the request across the end", across, 1);
			check_count(e, "lines of the request past the end", past, 1);
			for (size_t n = 0; n < PAGES; n++)
				check_count(e, "lines of a request", seen[n], 1);
		}
	}
}

static void what_completes_in_the_ramp_is_in_no_figure(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (unsigned jobs = 1; jobs <= 2; jobs++) {
			struct play_params p = params_of(e->name);
			_cleanup_(play_closep) struct play *play = NULL;
			struct play_result r;

			p.depth = deep(e);
			p.jobs = jobs;
			p.latency = true;
			p.loops = 1000;
			p.ramp_ns = NS_PER_MSEC;
			play = opened(&p, &t);
			r = play_again(play);
			/* When the ramp ends is up to the machine; what lies before and behind it is not. */
			check_count(e, "requests of all", r.requests + r.ramp_requests, 1000 * PAGES);
			CHECK(e, r, bytes, r.requests * PAGE_BYTES);
			CHECK(e, r, op[OP_READ].requests, r.requests);
			check_count(e, "latencies", r.op[OP_READ].latency->count, r.requests);
			assert_true(r.timed <= r.requests);
		}
	}
}

static void a_play_cut_short_has_a_latency_of_each_request(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		p.depth = deep(e);
		p.jobs = 2;
		p.latency = true;
		p.loops = 0;
		p.max_ns = 20 * NS_PER_MSEC;
		play = opened(&p, &t);
		r = play_again(play);
		assert_true(r.requests > 0);
		check_count(e, "latencies", r.op[OP_READ].latency->count, r.requests);
	}
}

static void a_play_that_ends_in_its_ramp_has_no_figures(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		p.latency = true;
		p.ramp_ns = 1000 * NS_PER_SEC;
		play = opened(&p, &t);
		r = play_again(play);
		CHECK(e, r, requests + r.bytes + r.seeks, 0);
		CHECK(e, r, op[OP_READ].latency->count, 0);
		CHECK(e, r, ramp_requests, PAGES);
	}
}

static void the_end_of_the_ramp_does_not_cut_a_pause_short(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(2);
	struct play_params p = params_of("pread");
	int64_t start = clock_now();
	struct play_result r;

	p.think_ns = 40 * NS_PER_MSEC;
	p.ramp_ns = 10 * NS_PER_MSEC;
	r = play_once(&p, &t);
	assert_true(clock_now() - start >= 2 * p.think_ns);
	assert_int_equal(r.requests + r.ramp_requests, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_request_that_is_issued_has_a_latency, full_file),
		cmocka_unit_test_setup(without_latency_no_time_is_taken, full_file),
		cmocka_unit_test_setup(a_play_cut_short_has_a_latency_of_each_request, full_file),
		cmocka_unit_test_setup(touches_of_present_pages_are_sampled_and_stand_for_all, full_file),
		cmocka_unit_test_setup(a_latency_is_as_long_as_what_it_times, full_file),
		cmocka_unit_test_setup(the_log_has_a_line_for_each_request, full_file),
		cmocka_unit_test_setup(what_completes_in_the_ramp_is_in_no_figure, full_file),
		cmocka_unit_test_setup(a_play_that_ends_in_its_ramp_has_no_figures, full_file),
		cmocka_unit_test_setup(the_end_of_the_ramp_does_not_cut_a_pause_short, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
