/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vmmon does while it samples: run a command, or the actions, or wait. */
#pragma once

#include "mon/sampler.h"
#include "run/child.h"
#include "run/marker.h"
#include "run/program.h"
#include "run/replayed.h"
#include "vmmon/oom.h"
#include "vmmon/options.h"
#include "vmmon/output.h"

struct watch {
	const struct options *options;
	struct program *program;             /* without actions when there is a command */
	const struct child_signals *signals; /* for the command */
	struct sampler *sampler;             /* not started */
	struct replayed *replayed;
	struct output *out;
	struct marker *marker;               /* from watch_run() on */
	char oom_before[OOM_TEXT];           /* score, when the options set another */
	bool did_not_start;                  /* the command */
};

/*
 * Sample to the end. Prints what fails on standard error. Returns the exit status: of the command or the program, or
 * what ended the sampling. *sampled: something was, and can be summarized.
 */
int watch_run(struct watch *w, bool *sampled);

/* "vmmon: what: why" on standard error; why may be NULL. Returns status. */
int complain(const char *what, const char *why, int status);
