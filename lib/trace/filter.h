/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on requests: KEY=VALUE[,KEY=VALUE...], all of which must hold.
 *
 *     op=LETTERS      one of these ops (R W T S D, either case)
 *     offset=RANGE    begins in the range
 *     length=RANGE    is so long; both ends are included
 *     time=RANGE      is due in the range; a request without a time is not
 *     file=RANGE      has such a file number; both ends are included
 *     file=GLOB       or such a name, when GLOB does not begin with a digit ('?' stands for a comma)
 *
 * A RANGE is A-B, A- , -B or A alone, which is A-A with A included. Of offsets and times A is included and B is not.
 * Numbers are as everywhere: sizes with a unit letter, times in seconds. No key comes twice.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "trace/trace.h"

/* Both ends are included; min > max: nothing. */
struct filter_range {
	uint64_t min, max;
};

struct filter {
	unsigned ops;                /* 1 << op of each that passes */
	struct filter_range offset, length, time, file;
	bool has_time;
	char *file_glob;             /* owned; NULL: none */
};

/* shift: unit of a size without a letter, log2. 0, -ENOMEM or -EINVAL with the text; nothing is left to free then. */
int filter_parse(struct filter *f, const char *text, unsigned shift, struct fault *fault);
void filter_fini(struct filter *f);

/* Keep what passes, in its order. 0, or -EINTR when stop_signal() was set meanwhile; -ENOMEM. */
int filter_apply(const struct filter *f, struct trace *t);
