/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/session.h"
#include "vmmon/oom.h"

int complain(const char *what, const char *why, int status)
{
	fprintf(stderr, "vmmon: %s%s%s\n", what, why ? ": " : "", why ? why : "");
	return status;
}

static int cannot_read(const struct watch *w, int err)
{
	return complain(sampler_path(w->sampler), strerror(-err), 1);
}

static bool has_tail(const struct watch *w, const struct session *session)
{
	return w->options->tail_ns > 0 && !stop_signal() && session->sampling;
}

/* The time behind the end of a run, as a phase of it. 0 or a failure's exit status. */
static int tail(struct watch *w, struct session *session)
{
	struct fault fault;
	int r;

	if (!has_tail(w, session))
		return 0;
	sampler_resume(w->sampler, "restore");
	r = session_sleep(session, w->options->tail_ns, &fault);
	marker_settle(w->marker);
	if (r == 0)
		r = sampler_mark(w->sampler, "restore", NULL);
	return r < 0 ? cannot_read(w, r) : 0;
}

/* The command is not to inherit our own score. */
static int start_command(const struct watch *w, struct child *child, int *status, struct fault *fault)
{
	bool ours = w->options->oom_score != OOM_KEEP;
	struct fault ignored;
	int r;

	if (ours)
		oom_restore(w->oom_before);
	r = child_start(child, w->options->command, w->signals, status, fault);
	if (ours)
		oom_set(w->options->oom_score, NULL, &ignored);
	return r;
}

/* One run of the command. Its exit status; *go_on: another may follow. A failure of the sampling is in *failed. */
static int run_once(struct watch *w, struct session *session, bool *go_on, int *failed)
{
	struct child child;
	struct fault fault;
	int status, r;

	*go_on = false;
	marker_settle(w->marker);
	r = sampler_begin(w->sampler);
	if (r < 0)
		return cannot_read(w, r);
	if (start_command(w, &child, &status, &fault) < 0) {
		w->did_not_start = true;
		return complain(fault.text, NULL, status);
	}
	status = child_wait(&child);
	marker_settle(w->marker);
	/* in one step, so that no row comes between the two */
	r = has_tail(w, session) ? sampler_mark(w->sampler, "end", "restore") : sampler_end(w->sampler);
	*failed = r < 0 ? cannot_read(w, r) : tail(w, session);
	*go_on = !*failed && !stop_signal();
	return status;
}

/* The first status that is not 0 is that of all runs. */
static int run_command(struct watch *w, struct session *session, struct fault *fault)
{
	int status = 0, failed = 0;
	uint64_t done = 0;
	bool go_on = true;

	stop_share_interrupts();
	if (session_start(session, fault) < 0)
		return complain(fault->text, NULL, 1);
	for (; done < w->options->repeat && go_on; done++) {
		int once = run_once(w, session, &go_on, &failed);

		status = status ? status : once;
	}
	/* perhaps between two runs, where no command was ended by it */
	if (status == 0 && stop_signal() && done < w->options->repeat)
		return 128 + stop_signal();
	return status ? status : failed;
}

static int run_actions(struct watch *w, struct session *session)
{
	int status = program_run(w->program, session), r = 0;

	if (!session->sampling)
		return status;
	/* of sleeps alone */
	if (program_plays_count(w->program) == 0)
		r = sampler_end(w->sampler);
	if (r < 0)
		return cannot_read(w, r);
	r = tail(w, session);
	return status ? status : r;
}

/* Until there are rows enough, or a signal. */
static int wait_for_end(const struct watch *w, struct session *session, struct fault *fault)
{
	int r = output_begin(w->out);

	/* Before the first row comes, which may take long. */
	if (r < 0)
		return r == -EPIPE ? 128 + SIGPIPE : complain(w->out->name, strerror(-r), 1);
	return session_wait(session, fault) < 0 ? complain(fault->text, NULL, 1) : 0;
}

/* The sampling is over: what has it come to? status: so far. *sampled as of watch_run(). */
static int end(const struct watch *w, struct session *session, int status, bool *sampled)
{
	int r = session_stop(session);

	if (stop_signal() && !w->options->command)
		status = 128 + stop_signal();
	if (stop_signal() == SIGPIPE || w->did_not_start)
		return status;
	if (r < 0 && r != -EINTR && r != -EPIPE)
		status = complain(w->out->error < 0 ? w->out->name : sampler_path(w->sampler), strerror(-r),
				  status ? status : 1);
	/* where the rows could not go, the summary cannot either */
	if (w->out->error < 0 && !w->out->owned && r != -EINTR)
		return status;
	*sampled = true;
	if (!w->options->command && program_actions_count(w->program) == 0 && r == 0) {
		r = sampler_end(w->sampler);
		if (r < 0)
			status = complain(sampler_path(w->sampler), "cannot be read any more", status ? status : 1);
	}
	return status;
}

int watch_run(struct watch *w, bool *sampled)
{
	struct session session = {
		.sampler = w->sampler,
		.replayed = w->replayed,
		.progress = isatty(STDERR_FILENO) && !w->out->terminal,
	};
	struct fault fault;
	int status, r;

	*sampled = false;
	if (w->options->oom_score != OOM_KEEP && oom_set(w->options->oom_score, w->oom_before, &fault) < 0)
		return complain("--oom-score-adj", fault.text, 1);
	if (marker_start(&w->marker, w->sampler, w->options->mark_fd, &fault) < 0)
		return complain(fault.text, NULL, 1);
	if (w->options->command)
		status = run_command(w, &session, &fault);
	else if (program_actions_count(w->program))
		status = run_actions(w, &session);
	else
		status = wait_for_end(w, &session, &fault);
	r = marker_stop(TAKE_PTR(w->marker));
	if (r < 0)
		status = complain("a mark was lost", strerror(-r), status ? status : 1);
	return session.sampling ? end(w, &session, status, sampled) : status;
}
