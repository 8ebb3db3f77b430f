/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets of a play: that of all files of the trace, and those of single ones. Most plays have the one.
 *
 * A play of one target has none of this in its loops: flight_rules.targets is NULL then.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/engine.h"
#include "io/target.h"
#include "run/play.h"
#include "trace/trace.h"

struct targets {
	unsigned count;            /* at least 1; 0: not open */
	struct target *target;     /* the first is that of files without one of their own */
	struct engine_file *file;  /* the same, for engines */
	uint16_t *of;              /* of each file of a trace: 0, or 1 + the number of its own target; NULL: none has one */
	/* The maps, by name, whose file the trace has not shown yet, and their targets as in of; 0: it has. */
	const struct play_map *map;
	unsigned map_count;
	uint16_t *unseen;
};

/*
 * Open params->target and those of params->map, each path once. Files that the map names are looked up in t; one that
 * is not there is an error unless t is empty or more follows (see targets_all_seen()). 0 or -errno with the text.
 * params is borrowed.
 */
int targets_open(struct targets *all, const struct play_params *params, const struct trace *t, struct fault *fault);
void targets_close(struct targets *all);

/*
 * Look up the names that were not known, before the requests of t are handed to those who play. 0, or -EINVAL with the
 * text: a file has got two targets.
 */
int targets_learn(const struct targets *all, const struct trace *t, struct fault *fault);

/* When the whole trace was looked up: 0, or -EINVAL with the text: a name is none of its files'. */
int targets_all_seen(const struct targets *all, struct fault *fault);

/* Has this file of the trace a target of its own? */
static inline bool targets_has_own(const struct targets *all, uint32_t file)
{
	return all->of && file <= TRACE_FILE_MAX && all->of[file];
}

/* The number of its target. */
static inline unsigned targets_of(const struct targets *all, uint32_t file)
{
	return targets_has_own(all, file) ? all->of[file] - 1u : 0;
}

/* Size of the target of request i of t. */
static inline uint64_t targets_size(const struct targets *all, const struct trace *t, size_t i)
{
	return all->file[t->file ? targets_of(all, t->file[i]) : targets_of(all, 0)].size;
}

/*
 * The first file of t from request i on that has no target of its own, TARGETS_NO_FILE when all have one: a play takes
 * one such file, unless it is to take them all.
 */
#define TARGETS_NO_FILE UINT32_MAX
uint32_t targets_default_file(const struct targets *all, const struct trace *t, size_t i);

/* The alignments that direct I/O on all of them wants, as in struct target. */
uint32_t targets_dio_offset(const struct targets *all);
uint32_t targets_dio_memory(const struct targets *all);

/* target_drop_cache() of all; *left: of all, UINT64_MAX when one cannot tell. 0 or -errno. */
int targets_drop_cache(const struct targets *all, uint64_t *left);
