/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several jobs, loops, processes. */
#include "stage.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/event.h"

/* ThreadSanitizer does not follow a process with threads that forks. */
#if defined(__SANITIZE_THREAD__)
#define FORKS false
#else
#define FORKS true
#endif

static void several_jobs_play_every_request_once(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (unsigned shape = 0; shape < (FORKS ? 4 : 2); shape++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.depth = deep(e);
			p.jobs = 3;
			p.split = shape & 1 ? SPLIT_CHUNK : SPLIT_ROUND_ROBIN;
			p.processes = shape & 2;
			r = play_once(&p, &t);
			CHECK(e, r, requests, PAGES);
			CHECK(e, r, bytes, SIZE);
			CHECK(e, r, jobs, 3);
			CHECK(e, r, loops, 1);
			CHECK(e, r, seeks, p.split == SPLIT_CHUNK ? 3 : PAGES);
			CHECK(e, r, hit_limit + r.errors + r.short_reads, 0);
		}
	}
}

static void each_job_has_its_own_result(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(10);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		p.jobs = 4;
		play = opened(&p, &t);
		r = play_again(play);
		for (unsigned job = 0; job < 4; job++) {
			check_count(e, "requests of a job", r.job[job].requests, job < 2 ? 3 : 2);
			check_count(e, "bytes of a job", r.job[job].bytes, r.job[job].requests * PAGE_BYTES);
		}
	}
}

static void copies_and_loops_multiply(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(10);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (int barrier = 0; barrier < 2; barrier++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.depth = deep(e);
			p.jobs = 2;
			p.split = SPLIT_COPY;
			p.loops = 5;
			p.after[0] = AFTER_BARRIER;
			p.after_count = (unsigned)barrier;
			r = play_once(&p, &t);
			CHECK(e, r, requests, 100);
			CHECK(e, r, bytes, 100 * PAGE_BYTES);
			CHECK(e, r, loops, 5);
			CHECK(e, r, seeks, 10);
		}
	}
}

static void limits_are_exact_over_all_jobs(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(20);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (enum play_split split = SPLIT_ROUND_ROBIN; split <= SPLIT_COPY; split++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.depth = deep(e);
			p.jobs = 3;
			p.split = split;
			p.loops = 0;
			p.after[p.after_count++] = AFTER_BARRIER;
			p.max_requests = 107;
			r = play_once(&p, &t);
			CHECK(e, r, requests, 107);
			CHECK(e, r, hit_limit, true);
			p.max_requests = PLAY_UNLIMITED;
			p.max_bytes = 55 * PAGE_BYTES + 1;
			r = play_once(&p, &t);
			CHECK(e, r, requests, 55);
			CHECK(e, r, bytes, 55 * PAGE_BYTES);
		}
	}
}

static void time_ends_all_jobs(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(20);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (int shape = 0; shape < (FORKS ? 4 : 2); shape++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.jobs = 3;
			p.loops = 0;
			p.max_ns = 20 * NS_PER_MSEC;
			p.think_ns = shape & 1 ? 1000 * NS_PER_SEC : 0;
			p.processes = shape & 2;
			r = play_once(&p, &t);
			CHECK(e, r, hit_limit, true);
			CHECK(e, r, stopped_by, 0);
			/* a job that gets no processor in that time has none */
			if (p.think_ns)
				assert_true(r.requests <= p.jobs);
		}
	}
}

static void an_error_of_one_job_ends_all(void **state _unused_)
{
	/* Job 1 alone writes where no file of this process may reach. */
	_cleanup_(trace_fini) struct trace t = pages(2);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct rlimit before, low;
	struct play_result r;

	t.req[0] = req_make(0, PAGE_BYTES, OP_WRITE);
	t.req[1] = req_make(SIZE - PAGE_BYTES, PAGE_BYTES, OP_WRITE);
	p.jobs = 2;
	p.loops = 0;
	p.write = true;
	play = opened(&p, &t);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	low = (struct rlimit){.rlim_cur = PAGE_BYTES, .rlim_max = before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	r = play_again(play);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_true(r.stopped_by_error);
	assert_false(r.hit_limit);
	assert_int_equal(r.errors, 1);
	assert_int_equal(r.error[0].error, EFBIG);
	assert_int_equal(r.error[0].first_request, 2);
	assert_int_equal(r.job[0].errors, 0);
}

static void a_job_runs_where_it_is_pinned(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	unsigned here = (unsigned)sched_getcpu();
	unsigned none = 16000;

	p.jobs = 2;
	p.cpus = &here;
	p.cpu_count = 1;
	play = opened(&p, &t);
	r = play_again(play);
	assert_int_equal(r.job[1].job_cpu, here);
	assert_int_equal(r.requests, 4);
	p.cpus = &none;
	expect_refusal(&p, &t, -EINVAL, "16000");
}

/* Exits with 0 when the play was ended by the signal, whoever of its processes got it too. */
static int interrupted_child(int ready)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;

	setpgid(0, 0);
	stop_install();
	p.jobs = 2;
	p.processes = true;
	p.loops = 0;
	if (play_open(&play, &p, &t, &fault) < 0 || write(ready, "", 1) != 1)
		return 2;
	if (play_run(play, false, &r, &fault) < 0)
		return 3;
	return r.stopped_by == SIGINT && r.jobs == 2 && !r.errors ? 0 : 1;
}

static void processes_end_at_a_signal_to_the_group(void **state _unused_)
{
	int pipes[2], status;
	pid_t child;
	char byte;

	if (!FORKS)
		skip_because("no fork under ThreadSanitizer");
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0)
		_exit(interrupted_child(pipes[1]));
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	usleep(20000);
	assert_int_equal(kill(-child, SIGINT), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(pipes[0]);
	close(pipes[1]);
}

/* Kill one of this process's children, once there are two. */
static void *kill_a_child(void *arg _unused_)
{
	for (;;) {
		char path[64], line[64];
		struct dirent *d;
		DIR *tasks = opendir("/proc/self/task");
		pid_t found = 0;
		unsigned count = 0;

		while ((d = readdir(tasks))) {
			FILE *f;

			snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", d->d_name);
			f = fopen(path, "r");
			if (!f)
				continue;
			if (fgets(line, sizeof(line), f)) {
				found = atoi(line);
				count++;
			}
			fclose(f);
		}
		closedir(tasks);
		if (count == 2) {
			usleep(10000);
			kill(found, SIGKILL);
			return NULL;
		}
	}
}

static void expect_killed(void)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;
	pthread_t killer;

	p.jobs = 2;
	p.processes = true;
	p.loops = 0;
	p.after[p.after_count++] = AFTER_BARRIER;
	p.latency = true;
	play = opened(&p, &t);
	assert_int_equal(pthread_create(&killer, NULL, kill_a_child, NULL), 0);
	assert_int_equal(play_run(play, false, &r, &fault), -ECHILD);
	assert_non_null(strstr(fault.text, "signal 9"));
	pthread_join(killer, NULL);
	/* What the killed one had counted by then is in no figure. */
	assert_true(r.requests > 0);
	assert_int_equal(r.bytes, r.requests * PAGE_BYTES);
	assert_int_equal(r.op[OP_READ].latency->count, r.requests);
}

static void a_process_that_is_killed_ends_the_play_in_words(void **state _unused_)
{
	if (!FORKS)
		skip_because("no fork under ThreadSanitizer");
	if (access("/proc/thread-self/children", F_OK) < 0)
		skip_because("the kernel does not list children (CONFIG_PROC_CHILDREN)");
	expect_killed();
}

static void too_many_jobs_are_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");

	p.jobs = PLAY_JOBS_MAX + 1;
	expect_refusal(&p, &t, -EINVAL, "jobs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(several_jobs_play_every_request_once, full_file),
		cmocka_unit_test_setup(each_job_has_its_own_result, full_file),
		cmocka_unit_test_setup(copies_and_loops_multiply, full_file),
		cmocka_unit_test_setup(limits_are_exact_over_all_jobs, full_file),
		cmocka_unit_test_setup(time_ends_all_jobs, full_file),
		cmocka_unit_test_setup(an_error_of_one_job_ends_all, full_file),
		cmocka_unit_test_setup(a_job_runs_where_it_is_pinned, full_file),
		cmocka_unit_test_setup(processes_end_at_a_signal_to_the_group, full_file),
		cmocka_unit_test_setup(a_process_that_is_killed_ends_the_play_in_words, full_file),
		cmocka_unit_test_setup(too_many_jobs_are_refused, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
