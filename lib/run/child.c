/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/child.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/event.h"
#include "base/macro.h"

static const int touched[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGUSR1};

void child_note_signals(struct child_signals *out)
{
	pthread_sigmask(SIG_SETMASK, NULL, &out->mask);
	sigemptyset(&out->ignored);
	for (size_t i = 0; i < ARRAY_SIZE(touched); i++) {
		struct sigaction old;

		if (sigaction(touched[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			sigaddset(&out->ignored, touched[i]);
	}
}

/* In the new process, which has the memory of this one until it is another program. */
static _Noreturn void be_command(char *const argv[], const struct child_signals *signals, volatile int *failed)
{
	for (size_t i = 0; i < ARRAY_SIZE(touched); i++) {
		const struct sigaction sa = {
			.sa_handler = sigismember(&signals->ignored, touched[i]) ? SIG_IGN : SIG_DFL};

		sigaction(touched[i], &sa, NULL);
	}
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	execvp(argv[0], argv);
	*failed = errno;
	_exit(127);
}

/*
 * By vfork(2): after a fork, each first store of the sampler into a page of its own would be a fault, and
 * posix_spawn(3) of glibc leaves two signals ignored. All signals are blocked meanwhile, as a handler would run in
 * both.
 */
static int spawn(pid_t *pid, char *const argv[], const struct child_signals *signals)
{
	volatile int failed = 0;
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	*pid = vfork();
	if (*pid == 0)
		be_command(argv, signals, &failed);
	if (*pid < 0)
		err = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failed ? failed : err;
}

/*
 * A thread, since only a post of stop_event() wakes who sleeps on it. It leaves the process in place, so that its
 * number can be signalled until child_wait() takes it.
 */
static void *wait_for_end(void *arg)
{
	struct child *c = arg;
	siginfo_t info;

	while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) < 0) {
		if (errno != EINTR) {
			c->failed = -errno;
			break;
		}
	}
	atomic_store(&c->ended, true);
	event_post(stop_event());
	return NULL;
}

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return exit_status(status);
}

int child_start(struct child *c, char *const argv[], const struct child_signals *signals, int *status,
		struct fault *fault)
{
	sigset_t all, old;
	int err;

	*c = (struct child){.pid = -1};
	err = spawn(&c->pid, argv, signals);
	if (err) {
		if (c->pid > 0)
			reap(c->pid);
		*status = err == ENOENT || err == ENOTDIR ? 127 : 126;
		return fault_set(fault, -err, "%s: %s", argv[0], strerror(err));
	}
	/* Signals are the caller's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&c->waiter, NULL, wait_for_end, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		kill(c->pid, SIGKILL);
		reap(c->pid);
		*status = 1;
		return fault_set(fault, -err, "no thread to wait for %s: %s", argv[0], strerror(err));
	}
	return 0;
}

static bool is_to_be_passed_on(int signo)
{
	return signo == SIGTERM || signo == SIGHUP || (signo == SIGINT && !stop_came_from_terminal());
}

int child_wait(struct child *c)
{
	bool passed_on = false;

	for (;;) {
		uint32_t seen = event_seen(stop_event());

		if (atomic_load(&c->ended))
			break;
		if (!passed_on && is_to_be_passed_on(stop_signal())) {
			passed_on = true;
			kill(c->pid, stop_signal());
		}
		event_wait(stop_event(), seen, INT64_MAX);
	}
	pthread_join(c->waiter, NULL);
	return c->failed < 0 ? 1 : reap(c->pid);
}
