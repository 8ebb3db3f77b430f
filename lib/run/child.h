/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that runs beside us, as if we were not there: with the signals, the descriptors but those that close on
 * exec, and the limits that this process was given.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/fault.h"

/* How signals stood when this process began. */
struct child_signals {
	sigset_t mask;
	sigset_t ignored;    /* of those that we catch or ignore */
};

/* To be called before any signal is touched. */
void child_note_signals(struct child_signals *out);

struct child {
	pid_t pid;
	pthread_t waiter;
	atomic_bool ended;   /* stop_event() is posted then */
	int failed;          /* waiting for it, -errno */
};

/*
 * Start argv[0], looked for on the PATH. 0, or -errno of the start with the text, which names it: nothing runs then,
 * and *status is what env(1) exits with, 127 for a command that is not there and 126 for one that cannot be run.
 */
int child_start(struct child *c, char *const argv[], const struct child_signals *signals, int *status, struct fault *fault);

/*
 * Wait until it has ended, and return its exit status, or 128 + n when signal n ended it. SIGTERM and SIGHUP that come
 * meanwhile are passed on to it, and so is a SIGINT which did not reach it through the terminal. It is waited for in
 * any case.
 */
int child_wait(struct child *c);
