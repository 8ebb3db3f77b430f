/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/event.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"

/* timeout(1) sends its signal to its child and then to their group: that is one wish, not two. */
#define SAME_WISH_NS (100 * NS_PER_MSEC)

/* The only mutable globals of the project. */
static atomic_int stop_signo;
static struct event stop_posted = {.own = true};
static _Atomic int64_t stop_since;
static atomic_bool stop_from_terminal, interrupts_shared;

static int operation(const struct event *e, int op)
{
	return e->own ? op | FUTEX_PRIVATE_FLAG : op;
}

void event_post(struct event *e)
{
	atomic_fetch_add_explicit(&e->count, 1, memory_order_release);
	syscall(SYS_futex, &e->count, operation(e, FUTEX_WAKE), INT_MAX, NULL, NULL, 0);
}

bool event_wait(struct event *e, uint32_t seen, int64_t deadline)
{
	struct timespec ts = {.tv_sec = deadline / NS_PER_SEC, .tv_nsec = deadline % NS_PER_SEC};

	while (event_seen(e) == seen) {
		/*
		 * FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time, where FUTEX_WAIT takes a relative one
		 * (futex(2)).
		 */
		long r = syscall(SYS_futex, &e->count, operation(e, FUTEX_WAIT_BITSET), seen,
				 deadline == INT64_MAX ? NULL : &ts, NULL, FUTEX_BITSET_MATCH_ANY);

		if (r < 0 && errno == ETIMEDOUT)
			return event_seen(e) != seen;
	}
	return true;
}

void stop_request(int signo)
{
	int none = 0;

	atomic_compare_exchange_strong(&stop_signo, &none, signo);
	event_post(&stop_posted);
}

static void on_signal(int signo, siginfo_t *info, void *context _unused_)
{
	int saved = errno;
	int64_t now = clock_now(), first = 0;
	bool is_first = atomic_compare_exchange_strong(&stop_since, &first, now);
	bool shared = signo == SIGINT && atomic_load(&interrupts_shared);

	/* Positive codes are the kernel's own (sigaction(2)); of these signals, its terminals send them. */
	if (is_first)
		atomic_store(&stop_from_terminal, info->si_code > 0);
	if (!is_first && !shared && now - first >= SAME_WISH_NS) {
		/* Blocked until this returns, then the end. */
		signal(signo, SIG_DFL);
		raise(signo);
	}
	stop_request(signo);
	errno = saved;
}

void stop_install(void)
{
	static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_RESTART | SA_SIGINFO};

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(stopping); i++) {
		struct sigaction old;

		/* nohup(1) ignores it for us */
		if (stopping[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(stopping[i], &sa, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

int stop_signal(void)
{
	return atomic_load_explicit(&stop_signo, memory_order_acquire);
}

void stop_share_interrupts(void)
{
	atomic_store(&interrupts_shared, true);
}

bool stop_came_from_terminal(void)
{
	return atomic_load(&stop_from_terminal);
}

struct event *stop_event(void)
{
	return &stop_posted;
}
