/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who plays what: limits over all jobs become a number of requests, and that number a share of each job, before
 * anything is issued. So limits are exact, whatever the speed of the jobs, and no counter is shared by them.
 *
 * All requests of a play have an order: loop by loop, in the order of the trace; copies request by request (all copies
 * of the first, all of the second, ...). A limit leaves the first ones.
 */
#pragma once

#include <stdint.h>

#include "run/play.h"
#include "trace/source.h"
#include "trace/trace.h"

/* Requests of a play without a limit: UINT64_MAX when it is endless (or nearly so). */
uint64_t share_all(const struct play_params *p, const struct trace *t);

/* How many of them are within max_requests and max_bytes. */
uint64_t share_limit(const struct play_params *p, const struct trace *t, const struct targets *targets);

/* The share of a job (from 0) of the first limit requests. */
void share_of_job(struct source *s, const struct play_params *p, const struct trace *t, uint64_t limit, unsigned job);
