/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who plays what, and the gate where jobs meet. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/gate.h"
#include "run/share.h"
#include "run/targets.h"

#define SIZE (UINT64_C(1) << 30)

static struct trace numbered(size_t n)
{
	struct trace t;

	trace_init(&t);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_push(&t, req_make(i * PAGE_BYTES, i % 7 + 1, OP_READ)), 0);
	return t;
}

/* Count how often each request is given to some job, over all loops; checks that each job keeps the order. */
static void hand_out(const struct play_params *p, const struct trace *t, uint64_t limit, unsigned *given)
{
	for (unsigned job = 0; job < p->jobs; job++) {
		struct source s;
		struct batch b;
		uint64_t last = 0, loop = 0;

		share_of_job(&s, p, t, limit, job);
		while (source_next(&s, &b)) {
			assert_int_equal(b.loop, loop++);
			last = 0;
			for (size_t i = 0; i < b.count; i++) {
				uint64_t number = b.first + i * b.step;

				assert_true(number < t->count);
				assert_true(i == 0 || number > last);
				assert_ptr_equal(&b.req[i * b.step], &t->req[number]);
				last = number;
				given[number]++;
			}
		}
	}
}

static void all_jobs_together_play_the_trace(void **state _unused_)
{
	for (enum play_split split = SPLIT_ROUND_ROBIN; split <= SPLIT_COPY; split++) {
		for (size_t n = 0; n < 12; n++) {
			_cleanup_(trace_fini) struct trace t = numbered(n);

			for (unsigned jobs = 1; jobs <= 5; jobs++) {
				struct play_params p = {.jobs = jobs, .split = split, .loops = 3};
				unsigned given[12] = {0};

				hand_out(&p, &t, share_all(&p, &t), given);
				for (size_t i = 0; i < n; i++)
					assert_int_equal(given[i], split == SPLIT_COPY ? 3 * jobs : 3);
			}
		}
	}
}

static void a_limit_leaves_the_first_requests(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = numbered(7);

	for (enum play_split split = SPLIT_ROUND_ROBIN; split <= SPLIT_COPY; split++) {
		for (unsigned jobs = 1; jobs <= 4; jobs++) {
			struct play_params p = {.jobs = jobs, .split = split, .loops = 2};
			uint64_t all = share_all(&p, &t), each = split == SPLIT_COPY ? jobs : 1;

			for (uint64_t limit = 0; limit <= all; limit++) {
				unsigned given[7] = {0};

				hand_out(&p, &t, limit, given);
				for (uint64_t i = 0; i < 7; i++) {
					/* Places of request i: each copies in each of two loops. */
					uint64_t want = 0;

					for (uint64_t loop = 0; loop < 2; loop++)
						for (uint64_t copy = 0; copy < each; copy++)
							want += (loop * 7 + i) * each + copy < limit;
					assert_int_equal(given[i], want);
				}
			}
		}
	}
}

static void a_limit_in_the_first_loop_leaves_no_job_idle(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = numbered(100);
	struct play_params p = {.jobs = 4, .split = SPLIT_CHUNK, .loops = 1};

	for (unsigned job = 0; job < 4; job++) {
		struct source s;

		share_of_job(&s, &p, &t, 8, job);
		assert_int_equal(s.left, 2);
		assert_int_equal(s.first, 2 * job);
	}
}

static uint64_t limit_of(const struct trace *t, struct play_params p, uint64_t max_bytes)
{
	struct engine_file file = {.size = SIZE};
	struct targets targets = {.count = 1, .file = &file};

	p.max_requests = PLAY_UNLIMITED;
	p.max_bytes = max_bytes;
	return share_limit(&p, t, &targets);
}

static void max_bytes_becomes_a_number_of_requests(void **state _unused_)
{
	/* Lengths 1 2 3 4 5: 15 a loop. */
	_cleanup_(trace_fini) struct trace t = numbered(5);
	const struct play_params once = {.jobs = 2, .loops = 1}, twice = {.jobs = 2, .loops = 2},
				 endless = {.jobs = 2, .loops = 0},
				 copies = {.jobs = 2, .loops = 1, .split = SPLIT_COPY};

	assert_int_equal(limit_of(&t, once, 0), 0);
	assert_int_equal(limit_of(&t, once, 1), 1);
	assert_int_equal(limit_of(&t, once, 5), 2);
	assert_int_equal(limit_of(&t, once, 6), 3);
	assert_int_equal(limit_of(&t, once, 14), 4);
	assert_int_equal(limit_of(&t, once, 15), 5);
	assert_int_equal(limit_of(&t, once, PLAY_UNLIMITED), 5);
	assert_int_equal(limit_of(&t, twice, 18), 7);
	assert_int_equal(limit_of(&t, endless, 15 * 1000 + 3), 5002);
	assert_true(limit_of(&t, endless, PLAY_UNLIMITED) == UINT64_MAX);
	/* 1 1 2 2 3 3 ... */
	assert_int_equal(limit_of(&t, copies, 3), 2);
	assert_int_equal(limit_of(&t, copies, 4), 3);
	assert_int_equal(limit_of(&t, copies, 6), 4);
	assert_int_equal(limit_of(&t, copies, 30), 10);
}

static void what_moves_nothing_is_within_any_limit(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = numbered(0);
	const struct play_params once = {.jobs = 1, .loops = 1}, endless = {.jobs = 1, .loops = 0};

	assert_int_equal(limit_of(&t, endless, 10), 0);
	assert_int_equal(trace_push(&t, req_make(0, 10, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(SIZE, 100, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 0, OP_SYNC)), 0);
	assert_int_equal(limit_of(&t, once, 10), 3);
	assert_int_equal(limit_of(&t, endless, 25), 6);
}

#define PARTIES 4
#define MEETINGS 2000

struct meeting {
	struct gate gate;
	atomic_uint passed[PARTIES];
	unsigned leaves_after;
};

struct party {
	struct meeting *m;
	unsigned i;
};

static void *meet_again_and_again(void *arg)
{
	struct party *p = arg;
	struct meeting *m = p->m;
	unsigned meetings = p->i == 0 ? m->leaves_after : MEETINGS;

	for (unsigned n = 0; n < meetings; n++) {
		uint32_t seen = gate_seen(&m->gate);

		gate_arrive(&m->gate);
		gate_wait(&m->gate, seen);
		/* Nobody is here who has not come, and nobody is two meetings ahead. */
		for (unsigned i = 0; i < PARTIES; i++) {
			unsigned other = atomic_load(&m->passed[i]);

			if (i != 0 || n < m->leaves_after)
				assert_true(other == n || other == n + 1);
		}
		atomic_store(&m->passed[p->i], n + 1);
	}
	gate_leave(&m->gate);
	return NULL;
}

static void a_gate_opens_when_all_are_there_and_not_before(void **state _unused_)
{
	static struct meeting m;
	struct party party[PARTIES];
	pthread_t thread[PARTIES];

	m.leaves_after = MEETINGS / 2;
	gate_init(&m.gate, PARTIES);
	for (unsigned i = 0; i < PARTIES; i++) {
		party[i] = (struct party){&m, i};
		assert_int_equal(pthread_create(&thread[i], NULL, meet_again_and_again, &party[i]), 0);
	}
	for (unsigned i = 0; i < PARTIES; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(m.passed[0], MEETINGS / 2);
	for (unsigned i = 1; i < PARTIES; i++)
		assert_int_equal(m.passed[i], MEETINGS);
	assert_true(m.gate.opened > 0);
}

static void *wait_for_nobody(void *arg)
{
	struct gate *g = arg;
	uint32_t seen = gate_seen(g);

	gate_arrive(g);
	gate_wait(g, seen);
	return NULL;
}

static void a_broken_gate_keeps_nobody(void **state _unused_)
{
	struct gate g;
	pthread_t thread;

	gate_init(&g, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_nobody, &g), 0);
	gate_break(&g);
	pthread_join(thread, NULL);
	assert_int_equal(g.opened, 0);
	gate_wait(&g, gate_seen(&g));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_jobs_together_play_the_trace),
		cmocka_unit_test(a_limit_leaves_the_first_requests),
		cmocka_unit_test(a_limit_in_the_first_loop_leaves_no_job_idle),
		cmocka_unit_test(max_bytes_becomes_a_number_of_requests),
		cmocka_unit_test(what_moves_nothing_is_within_any_limit),
		cmocka_unit_test(a_gate_opens_when_all_are_there_and_not_before),
		cmocka_unit_test(a_broken_gate_keeps_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
