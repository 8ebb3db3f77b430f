/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a test in a process of its own: what it does to itself (limits, filters, signals) stays there. */
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

/* Status of the child as waitpid() gives it; fn returns its exit status. It must not use cmocka's assertions. */
static inline int in_child(int (*fn)(void *arg), void *arg)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(fn(arg));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static inline void assert_child(int (*fn)(void *arg), void *arg)
{
	assert_int_equal(in_child(fn, arg), 0);
}

/* In a child: say what did not hold, and fail. */
#define REQUIRE(cond)                                                                                     \
	do {                                                                                              \
		if (!(cond)) {                                                                            \
			fprintf(stderr, "%s:%d: child: not true: %s\n", __FILE__, __LINE__, #cond);       \
			return 1;                                                                         \
		}                                                                                         \
	} while (0)

#define REQUIRE_WORD(text, word)                                                                          \
	do {                                                                                              \
		if (!strstr(text, word)) {                                                                \
			fprintf(stderr, "%s:%d: child: no '%s' in: %s\n", __FILE__, __LINE__, word, text); \
			return 1;                                                                         \
		}                                                                                         \
	} while (0)
