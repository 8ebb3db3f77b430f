/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A futex counter that threads sleep on, and the one signal flag of a process.
 *
 * A waiter reads event_seen(), looks at its conditions, and calls event_wait() with what it read: a post in
 * between makes the wait return at once, so no wake-up is lost. event_post() is async-signal-safe. An event in shared
 * memory works between processes too.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct event {
	_Atomic uint32_t count;
	bool own;                 /* never in memory that processes share: the kernel need not find out whose page it is */
};

static inline uint32_t event_seen(struct event *e)
{
	return atomic_load_explicit(&e->count, memory_order_acquire);
}

void event_post(struct event *e);

/*
 * Sleep until the count differs from seen or CLOCK_MONOTONIC reaches deadline (ns; INT64_MAX: for ever).
 * Returns true when the count differs, false at the deadline. Handled signals and SIGCONT do not end it.
 */
bool event_wait(struct event *e, uint32_t seen, int64_t deadline);

/*
 * The signal flag: SIGINT, SIGTERM and, unless it is ignored already, SIGHUP set it, and post stop_event(). SIGPIPE is
 * ignored (writers see EPIPE and call stop_request(SIGPIPE)), and so is SIGXFSZ (they see EFBIG): else what they have
 * begun would stay behind. A second of the first three, 100 ms or more after the first, ends the process at once with
 * default action.
 */
void stop_install(void);

/* The signal that asked for the end, 0 when none did. Any thread, any time. */
int stop_signal(void);

/* In loops over very many: the flag is looked at once in 65536 values of i. */
static inline bool stop_polled(uint64_t i)
{
	return (i & 0xffff) == 0xffff && stop_signal();
}

/*
 * Another program runs beside us, which has its own mind about Ctrl-C: however often it comes, it does not end this
 * process by default action.
 */
void stop_share_interrupts(void);

/* After stop_signal(): did the kernel send it, as a terminal does to all programs in its foreground? */
bool stop_came_from_terminal(void);

/* Ask for the end from inside, as if signal signo had come. */
void stop_request(int signo);

struct event *stop_event(void);
