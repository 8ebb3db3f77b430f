/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/job.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "run/pin.h"
#include "run/targets.h"

static void begin_figures(struct job *j)
{
	getrusage(RUSAGE_THREAD, &j->before);
	memset(&j->excluded, 0, sizeof(j->excluded));
	j->stood = 0;
	j->began = clock_now();
}

/*
 * All figures begin anew, but errors and bad data are told whenever they came. Bytes and counts go on, for the progress
 * and the limits, and are subtracted at the end.
 */
static void restart_figures(struct job *j)
{
	struct play_result *r = &j->result, old = *r;

	j->ramped = true;
	j->base = j->count;
	j->base.requests -= j->in_flight;
	j->base.bytes += r->bytes;
	*r = (struct play_result){
		.bytes = old.bytes,
		.loops = old.loops,
		.bad_words = old.bad_words,
		.bad_requests = old.bad_requests,
		.first_bad_offset = old.first_bad_offset,
		.first_bad_value = old.first_bad_value,
		.first_bad_request = old.first_bad_request,
		.errors = old.errors,
		.error_kinds = old.error_kinds,
		.stopped_by_error = old.stopped_by_error,
		.ramp_requests = j->base.requests,
		.job_cpu = old.job_cpu,
	};
	memcpy(r->error, old.error, sizeof(old.error));
	memcpy(r->engine_text, old.engine_text, sizeof(old.engine_text));
	for (enum op op = OP_READ; op < OP_COUNT; op++)
		if (j->latency[op])
			hist_clear(j->latency[op]);
	if (j->lag)
		hist_clear(j->lag);
	j->behind.calls = j->behind.bytes = 0;
	j->behind.ns = 0;
	if (j->hit) {
		hist_clear(j->hit);
		hist_clear(j->miss);
	}
	begin_figures(j);
}

bool job_stopped(struct job *j)
{
	atomic_store_explicit(&j->call, false, memory_order_seq_cst);
	if (atomic_exchange(&j->ramp_over, false))
		restart_figures(j);
	if (!atomic_load(&j->stop))
		return false;
	atomic_store_explicit(&j->call, true, memory_order_relaxed);
	return true;
}

static void end_figures(struct job *j)
{
	const struct rusage *before = &j->before;
	struct play_result *r = &j->result;
	struct rusage after;

	/* A play that ends in its ramp has no figures. */
	j->in_flight = 0;
	if (j->play->ramp_ns > 0 && !j->ramped)
		restart_figures(j);
	j->over = clock_now();
	getrusage(RUSAGE_THREAD, &after);
	r->elapsed_ns = j->over - j->began - j->stood;
	r->minor_faults = (uint64_t)(after.ru_minflt - before->ru_minflt) - j->excluded.minor;
	r->major_faults = (uint64_t)(after.ru_majflt - before->ru_majflt) - j->excluded.major;
	r->user_ns = timeval_ns(after.ru_utime) - timeval_ns(before->ru_utime) - j->excluded.user_ns;
	r->system_ns = timeval_ns(after.ru_stime) - timeval_ns(before->ru_stime) - j->excluded.system_ns;
	r->requests = j->count.requests - j->base.requests;
	r->bytes += j->count.bytes - j->base.bytes;
	r->seeks = j->count.seeks - j->base.seeks;
	r->op[OP_READ] = (struct play_op){.requests = r->requests, .bytes = r->bytes - r->op[OP_WRITE].bytes};
	for (enum op op = OP_WRITE; op < OP_COUNT; op++)
		r->op[OP_READ].requests -= r->op[op].requests;
	for (enum op op = OP_READ; op < OP_COUNT; op++)
		r->op[op].latency = j->latency[op];
	if (j->hit) {
		hist_merge(j->latency[OP_READ], j->hit);
		hist_merge(j->latency[OP_READ], j->miss);
	}
	r->hits = j->hits;
	r->hit = j->hit;
	r->miss = j->miss;
	r->fidelity.lag = j->lag;
	r->behind_calls = j->behind.calls;
	r->behind_bytes = j->behind.bytes;
	r->behind_ns = j->behind.ns;
	if (r->requests > 0)
		r->most_in_flight = MAX(r->most_in_flight, 1);
	if (r->timed == 0)
		for (enum op op = OP_READ; op < OP_COUNT; op++)
			r->timed += j->latency[op] ? j->latency[op]->count : 0;
}

/* All jobs begin together: see job_start(). */
static void wait_for_all(struct job *j)
{
	uint32_t seen = gate_seen(j->gate);

	if (j->ready >= 0) {
		while (write(j->ready, "", 1) < 0 && errno == EINTR)
			;
	} else if (gate_arrive(j->gate)) {
		event_post(stop_event());
	}
	gate_wait(j->gate, seen);
}

static int make_buffers(struct job *j)
{
	size_t size = j->params.buf_size * j->params.depth;
	void *block = NULL;

	j->params.buffers = NULL;
	if (size == 0)
		return 0;
	if (posix_memalign(&block, j->buf_align, size) != 0)
		return fault_set(&j->fault, -ENOMEM, "no memory for %u buffers of %zu bytes", j->params.depth,
				 j->params.buf_size);
	/* Touched now, so that their first faults are not counted as the play's. */
	memset(block, 0, size);
	j->params.buffers = block;
	return 0;
}

static void close_engine(struct job *j)
{
	unsigned n = j->states ? j->rules.targets->count : 0;

	if (!j->states)
		j->engine->close(j->state);
	for (unsigned i = 0; i < n; i++)
		if (j->states[i])
			j->engine->close(j->states[i]);
	free(j->states);
	j->states = NULL;
}

/* One state, or where there are several targets and the engine cannot have them in one, a state for each. */
static int open_engine(struct job *j)
{
	const struct targets *all = j->rules.targets;
	struct engine_params params = j->params;
	int r = 0;

	if (!all || j->engine->flags & ENGINE_FILES)
		return j->engine->open(&j->params, &j->state, &j->fault);
	j->states = calloc(all->count, sizeof(*j->states));
	if (!j->states)
		return fault_set(&j->fault, -ENOMEM, "no memory for %u targets", all->count);
	for (unsigned i = 0; i < all->count && r == 0; i++) {
		params.fd = all->file[i].fd;
		params.size = all->file[i].size;
		r = j->engine->open(&params, &j->states[i], &j->fault);
	}
	if (r < 0)
		close_engine(j);
	else
		j->state = j->states[0];
	return r;
}

static int play_share(struct job *j)
{
	int r = j->result.job_cpu < 0 ? 0 : pin_thread((unsigned)j->result.job_cpu);

	if (r < 0)
		return fault_set(&j->fault, r, "cannot run on CPU %d: %s", j->result.job_cpu, strerror(-r));
	/* Pauses end at their deadline, not up to 50 us later (prctl(2)). */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	r = make_buffers(j);
	if (r < 0)
		return r;
	r = open_engine(j);
	if (r < 0)
		return r;
	if (j->engine->describe)
		j->engine->describe(j->state, j->result.engine_text, sizeof(j->result.engine_text));
	wait_for_all(j);
	j->start = atomic_load(&j->gate->opened);
	begin_figures(j);
	if (j->play->timing != TIMING_NONE)
		j->began = j->start; /* as the due times do */
	j->now = tick_now(&j->tick);
	r = j->engine->flags & ENGINE_ASYNC ? job_loop_async(j) : job_loop_sync(j);
	if (r == 0)
		r = job_pass_end(j);
	job_show(j, j->count.requests, j->count.bytes + j->result.bytes);
	/* What follows a trace ends where it is stopped. */
	j->cut |= j->source.more && job_stopped(j);
	end_figures(j);
	gate_leave(j->gate);
	close_engine(j);
	return r;
}

/*
 * A table of open files of its own, where it can be had: from one that threads share, the kernel takes a reference to
 * the file in every system call and gives it back (fs/file.c, __fget_light()). And where it can be closed at a stroke
 * (Linux 5.9): a thread has ended for those who wait for it before the kernel gives up its table, and until then a
 * block device would be in use.
 */
static bool own_files(const struct job *j)
{
	return !j->play->processes && close_range(~0U, ~0U, 0) == 0 && unshare(CLONE_FILES) == 0;
}

static void run_here(struct job *j)
{
	bool own = own_files(j);

	j->error = play_share(j);
	free(j->params.buffers);
	j->params.buffers = NULL;
	if (own)
		close_range(0, ~0U, 0);
}

/* In the child. Its parent is the thread that waits for it; when that is no more, neither is the play. */
static _Noreturn void be_process(struct job *j, pid_t parent, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	j->ready = ready;
	run_here(j);
	_exit(0);
}

/* They are made when the play ends: what is there of a process that did not come so far does not fit together. */
static void forget_figures(struct job *j)
{
	struct play_result none = {.job_cpu = j->result.job_cpu};
	struct hist *hists[OP_COUNT + 3] = {[OP_COUNT] = j->lag, j->hit, j->miss};

	snprintf(none.engine_text, sizeof(none.engine_text), "%s", j->result.engine_text);
	j->result = none;
	j->began = j->over = 0;
	memcpy(hists, j->latency, sizeof(j->latency));
	for (size_t i = 0; i < ARRAY_SIZE(hists); i++)
		if (hists[i])
			hist_clear(hists[i]);
}

static int wait_for_process(struct job *j, pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fault_set(&j->fault, -errno, "cannot wait for the process of job %u: %s", j->index,
					 strerror(errno));
	if (!WIFSIGNALED(status))
		return j->error;
	forget_figures(j);
	return fault_set(&j->fault, -ECHILD,
			 "the process of job %u was ended by signal %d (%s), and its figures are lost", j->index,
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* *from: where the child tells that it is ready. Only it has the other end then, so that its end is told too. */
static pid_t start_process(struct job *j, int *from)
{
	_cleanup_close_ int to = -1;
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fault_set(&j->fault, -errno, "cannot make a pipe: %s", strerror(errno));
	*from = ends[0];
	to = ends[1];
	pid = fork();
	if (pid == 0)
		be_process(j, parent, to);
	if (pid < 0)
		return fault_set(&j->fault, -errno, "cannot start a process: %s", strerror(errno));
	return pid;
}

static void run_process(struct job *j)
{
	_cleanup_close_ int from = -1;
	pid_t pid = start_process(j, &from);
	ssize_t n;
	char byte;

	if (pid < 0) {
		j->error = pid;
		return;
	}
	while ((n = read(from, &byte, 1)) < 0 && errno == EINTR)
		;
	if (n == 1 && gate_arrive(j->gate))
		event_post(stop_event());
	j->error = wait_for_process(j, pid);
}

static void *job_main(void *arg)
{
	struct job *j = arg;

	if (j->play->processes)
		run_process(j);
	else
		run_here(j);
	atomic_store_explicit(&j->ended, true, memory_order_release);
	event_post(stop_event());
	return NULL;
}

int job_start(struct job *j, struct fault *fault)
{
	static const int raised_by_faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
	sigset_t block, old;
	int r;

	j->count = (struct job_count){.expect = UINT64_MAX};
	j->ready = -1;
	sigfillset(&block);
	for (size_t i = 0; i < ARRAY_SIZE(raised_by_faults); i++)
		sigdelset(&block, raised_by_faults[i]);
	pthread_sigmask(SIG_SETMASK, &block, &old);
	r = pthread_create(&j->thread, NULL, job_main, j);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0)
		return fault_set(fault, -r, "cannot start a thread: %s", strerror(r));
	return 0;
}

void job_stop(struct job *j)
{
	atomic_store_explicit(&j->stop, true, memory_order_release);
	atomic_store_explicit(&j->call, true, memory_order_release);
	event_post(&j->halt);
}

void job_end_ramp(struct job *j)
{
	atomic_store(&j->ramp_over, true);
	atomic_store(&j->call, true);
	event_post(&j->halt);
}

void job_join(struct job *j)
{
	pthread_join(j->thread, NULL);
}
