/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a play did beside its requests: how the page cache of its targets changed, and what was really read. Taken
 * before the first request and after the last, by a few system calls; nothing of it is in the play's own figures.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/play.h"
#include "run/targets.h"

struct effect {
	const struct targets *targets; /* borrowed */
	struct residency before;
	bool told;
	bool has_device;               /* all targets lie on one */
	dev_t device;
	int64_t process_reads, device_reads; /* -1: not told */
};

void effect_begin(struct effect *e, const struct targets *targets);
void effect_end(const struct effect *e, struct play_effect *out);

/*
 * Bytes read over bytes asked for by the reads of the play: of this process, else of the device. False when that is not
 * defined: nothing was asked for, or nothing is told, or a part of the requests is in no figure (a ramp).
 */
bool effect_amplification(const struct play_result *r, double *value);
