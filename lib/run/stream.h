/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that need not have the whole trace: --load and --import, actions on single requests, --head, and at last a
 * play, a save or --stats. They run while the inputs are read, by a thread of its own, in memory that does not grow
 * with the trace.
 *
 * Short traces, of up to STREAM_HEAD requests, are read as a whole before anything else happens, so that what is wrong
 * in them stops before any I/O. Longer ones in plain files are read once more for that before a play. Who has to wait
 * for a pipe starts STREAM_WAIT_NS after the first request came.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/fault.h"
#include "run/step.h"

#define STREAM_HEAD (1u << 20)
#define STREAM_WAIT_NS NS_PER_SEC

/*
 * Step i is next, and the trace is empty. If it and those behind it can stream, the number of the step that ends it; 0
 * if not.
 */
size_t stream_end(const struct program *p, size_t i);

/* Do steps first..end-1 read something that one may have to wait for? */
bool stream_may_wait(const struct program *p, size_t first, size_t end);

/* Are they of plain files alone, which can be read again? */
bool stream_can_again(const struct program *p, size_t first, size_t end);

/*
 * Run the steps from i on that read and change the trace. Returns
 *   0   the whole is in p->trace, and *at is the step that ends it, which is next;
 *   1   the step that ends it was run too: *at is the one behind it, *status its exit status;
 *   -errno with the text (empty: it was printed), and *at is the step that failed.
 */
int stream_run(struct program *p, size_t i, size_t *at, int *status, struct fault *fault);
