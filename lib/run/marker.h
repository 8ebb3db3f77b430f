/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks that come from outside while a sampler runs: SIGUSR1, and lines on a descriptor. Each ends a phase and starts
 * the next. A line names the phase that it starts, in at most MARK_TEXT - 1 bytes, bytes that are no UTF-8 as '?';
 * SIGUSR1 and an empty line start "mark 1", "mark 2" and so on, in each run from 1.
 */
#pragma once

#include "base/fault.h"
#include "mon/sampler.h"

struct marker;

/*
 * Listen, in a thread of its own, until marker_stop(). SIGUSR1 becomes blocked in the calling thread, so that it stays
 * so in those that it makes. fd: open for reading, borrowed; closes on exec from now on; -1: none. What comes before
 * the sampler is started marks nothing. 0 and *out, or -errno with the text.
 */
int marker_start(struct marker **out, struct sampler *s, int fd, struct fault *fault);

/*
 * Take all that has come until now, so that what a program sent before it ended is before what follows. From any
 * thread, but not while another stops it.
 */
void marker_settle(struct marker *m);

/* Lines that had come are taken first. 0, or -errno of the first mark that failed. NULL is allowed. */
int marker_stop(struct marker *m);
void marker_stopp(struct marker **m);

/* Can lines be read from fd? 0 or -errno with the text. */
int marker_check(int fd, struct fault *fault);
