/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job does after each loop. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/job.h"
#include "run/targets.h"

bool job_meet(struct job *j)
{
	uint32_t seen = gate_seen(j->gate);

	gate_arrive(j->gate);
	gate_wait(j->gate, seen);
	if (!job_called(j))
		return true;
	j->in_flight = 0;
	j->cut = job_stopped(j);
	return !j->cut;
}

/* Give an advice for all that the job maps. */
static int release(struct job *j, enum io_advice advice, const char *what)
{
	unsigned n = j->states ? j->rules.targets->count : 1;
	const struct io_hint whole = {.advice = advice, .length = HINT_TO_END};
	int r = 0;

	for (unsigned i = 0; i < n && r == 0; i++)
		r = j->engine->advise(j->states ? j->states[i] : j->state, &whole);
	return r < 0 ? job_engine_failed(j, r, what) : 1;
}

/*
 * A bare _Fork(): fork() would lock the heap and whatever else libc guards against its threads, which is no part of
 * what is measured. The child does nothing that would need it.
 */
static int fork_child(struct job *j)
{
	pid_t pid;

	if (j->index != 0)
		return 1;
	pid = _Fork();
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return fault_set(&j->fault, -errno, "cannot fork after a loop: %s", strerror(errno));
	/* Where SIGCHLD is ignored there is nobody to be waited for, but the wait is as long (wait(2)). */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 1;
}

static int do_step(struct job *j, enum play_after what)
{
	switch (what) {
	case AFTER_BARRIER:
		return job_meet(j);
	case AFTER_DONTNEED:
		return release(j, ADVISE_DONTNEED, "take its pages out of the page tables (MADV_DONTNEED)");
	case AFTER_COLD:
		return release(j, ADVISE_COLD, "make its pages cold (MADV_COLD, Linux 5.4)");
	case AFTER_PAGEOUT:
		return release(j, ADVISE_PAGEOUT, "reclaim its pages (MADV_PAGEOUT, Linux 5.4)");
	case AFTER_FORK:
		return fork_child(j);
	}
	return -EINVAL;
}

int job_end_loop(struct job *j)
{
	const struct play_params *p = j->play;
	bool met = false;
	int r = 1;

	for (unsigned i = 0; i < p->after_count && r > 0; i++) {
		r = do_step(j, p->after[i]);
		met |= p->after[i] == AFTER_BARRIER;
	}
	if (r > 0 && met && p->after[p->after_count - 1] != AFTER_BARRIER)
		r = job_meet(j);
	if (r > 0)
		job_looped(j);
	return r;
}
