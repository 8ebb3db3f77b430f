/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/sigbus.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/macro.h"

/* A handler gets no argument of ours. A fault is delivered to the thread that made it, so its own list is enough. */
static _Thread_local struct sigbus_guard *guards;

static struct sigbus_guard *guard_of(uintptr_t at)
{
	struct sigbus_guard *g = guards;

	while (g && at - (uintptr_t)g->base >= g->length)
		g = g->next;
	return g;
}

static void on_sigbus(int signo, siginfo_t *info, void *context _unused_)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	struct sigbus_guard *g = info->si_code > 0 ? guard_of(at) : NULL;
	int saved = errno;

	if (g) {
		char *page = g->base + (at - (uintptr_t)g->base) / g->page * g->page;

		if (mmap(page, g->page, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		    MAP_FAILED) {
			g->lost = page;
			errno = saved;
			return;
		}
	}
	/* A fault comes again when this returns, and then ends the process; a sent signal has to be sent anew. */
	signal(signo, SIG_DFL);
	if (info->si_code <= 0)
		raise(signo);
	errno = saved;
}

void sigbus_guard_add(struct sigbus_guard *g)
{
	struct sigaction sa = {.sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t bus;

	g->lost = NULL;
	g->next = guards;
	guards = g;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &bus, NULL);
}

void sigbus_guard_remove(struct sigbus_guard *g)
{
	struct sigbus_guard **at = &guards;

	while (*at && *at != g)
		at = &(*at)->next;
	if (*at)
		*at = g->next;
}
