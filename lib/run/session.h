/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: actions and a sampler side by side. Either may be absent: iotrace alone has no sampler, vmmon alone no
 * actions, and both tools with both are the same call with other printers.
 *
 * The sampler starts with the first play or sleep (so that loading a trace is not in the table) and runs to the end
 * of the last action. Each play is a run of the sampler from just before its first request, after the cache was
 * dropped, to its end; with a few --loops each of them is a phase.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/sampler.h"
#include "mon/vmstat.h"
#include "run/play.h"
#include "run/replayed.h"

struct session {
	struct sampler *sampler;   /* borrowed; NULL: none */
	struct replayed *replayed; /* to be kept up; borrowed; NULL: nobody asks */
	bool sampling;             /* started */
	bool progress;             /* plays show their progress */
	/* Open, to be read with the marks of the next play; both NULL: not asked for. */
	struct vmstat *begin, *end;
};

/* Start the sampler now if there is one and it is not running. 0 or -errno with the text. */
int session_start(struct session *s, struct fault *fault);

/* play_prepare, begin, play_run, end. As play_run. */
int session_play(struct session *s, struct play *p, struct play_result *out, struct fault *fault);

/* Sleep ns under the sampler; ends early at a signal. 0 or -errno. */
int session_sleep(struct session *s, int64_t ns, struct fault *fault);

/* No actions, so this thread samples, until a signal or until the sampler is done; not started before. 0 or -errno. */
int session_wait(struct session *s, struct fault *fault);

/* Stop the sampler. 0, or the -errno that ended it. */
int session_stop(struct session *s);
