/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Engines that do what real storage does rarely, by a script, and jobs that run on them. */
#pragma once

#include "stage.h"

#include "run/job.h"

#define DEPTH 8

/* What goes wrong, by the number from 1 of the page that an io begins in; nothing when all is 0. */
struct script {
	uint64_t bad[PLAY_ERRNOS + 2]; /* the first fails with EIO, the second with EIO + 1, ... */
	uint64_t moves_less;           /* moves 10 bytes only */
	uint64_t cold;                 /* -EAGAIN unless it may wait, as under RWF_NOWAIT */
	uint64_t warm_bytes;           /* or so many bytes of it at first */
	uint64_t breaks;               /* the engine itself fails when it is submitted */
	unsigned queue;                /* what the engine takes before -EAGAIN; 0: DEPTH */
	bool full;                     /* takes nothing at all */
	bool reap_all;                 /* all that is in flight comes back at once */
	bool reap_fails;
	bool release_fails;
};

struct fake {
	const struct script *script;
	struct io *out[DEPTH];  /* taken and not brought back */
	unsigned count, most, submits, releases;
	bool closed;
};

/* Of the job that ran last. */
extern struct fake fake;

extern const struct engine fake_async, fake_sync, fake_many;

#define FAKE_ENGINES 3
extern const struct engine *const fake_engines[FAKE_ENGINES];

/* Run a job on a trace, or on n pages. The caller frees, after play and gate are gone. */
struct job *run_job(const struct engine *e, const struct script *s, const struct trace *t,
			   const struct play_params *play, struct gate *gate, const struct flight_rules *rules);
struct job *run_rules(const struct engine *e, const struct script *s, const struct trace *t, bool go_on,
			     const struct flight_rules *rules);
struct job *run_trace(const struct engine *e, const struct script *s, const struct trace *t, bool go_on,
			     uint64_t piece_max);
struct job *run_pages(const struct engine *e, const struct script *s, size_t n, bool go_on);
