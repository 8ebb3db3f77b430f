/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A play of which everything can be told, made up, for the tests of reports. */
#pragma once

#include "mon/hist.h"
#include "run/report.h"
#include "run/targets.h"

struct sample_play {
	struct target target;
	struct target both[2];
	struct targets targets;
	struct play_params params;
	struct report report;
	struct play_result result;
	struct play_result job[2];
	struct hist *reads, *writes, *lag, *job_reads;
	unsigned cpus[2];
	struct ahead ahead;
	struct readahead device;
	struct span cold;
	struct io_hint hints[2];
	struct cgroup cgroup;
	char folder[32], setting[32];
};

/*
 * Two jobs, 100 reads and 10 writes, errors of two kinds, short and past the end, misses, bad data, a timing that was
 * kept, a log, a cache, hits. The target is this folder.
 */
void sample_init(struct sample_play *s);
void sample_fini(struct sample_play *s);
