/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another order of the same requests, with all their columns.
 *
 * A request without a time counts as due with the one before it; those at the beginning of a trace come first.
 *
 * All return 0, -ENOMEM, or -EINTR when stop_signal() was set meanwhile.
 */
#pragma once

#include "base/fault.h"
#include "trace/trace.h"

/*
 * By file and offset, or by time; what is equal keeps its order. Takes 32 bytes a request meanwhile, nothing when the
 * trace is in order already.
 */
int sort_by_offset(struct trace *t);
int sort_by_time(struct trace *t);

/*
 * Mix b (which is not t) into t by time. Law: the order inside both is kept, and of what is due at the same time that
 * of t comes first; so two traces in order give what sort_by_time() makes of one behind the other. Names of files as in
 * xform_interleave(). -EINVAL with the text also when a trace that has requests has no time.
 */
int sort_merge(struct trace *t, const struct trace *b, struct fault *fault);
