/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources that columns need: opened when first named, kept open, read together.
 *
 * A struct sources belongs to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "mon/source.h"

/* All zero is good. Strings are copied. */
struct sources_params {
	const char *proc;         /* NULL: /proc */
	const char *sys;          /* NULL: /sys */
	const char *plain;        /* where names without a prefix are looked for: "node:0"; NULL: "vmstat" */
	const char *replay_cgroup; /* the folder that the cgroup "replay" stands for; NULL: it has no such meaning */
	bool fresh;               /* have the kernel gather its per-CPU counters before each reading */
	source_replay_fn *replay; /* called with each reading; NULL: nothing is replayed, and replay: is refused */
	void *replay_ctx;
};

/* All zero has nothing to be released. */
struct sources {
	char *proc, *sys, *plain, *replay_cgroup;
	char *cgroup;             /* the mount; NULL: not looked for yet */
	source_replay_fn *replay;
	void *replay_ctx;
	bool fresh;
	int refresh;              /* PROC/sys/vm/stat_refresh, with fresh */
	struct source *source;
	size_t count;
	unsigned torn;            /* sources of which the last reading needed more than one read */
};

/* 0, or -errno with the text: --fresh is refused (-EACCES: only root may). Opens no source. */
int sources_init(struct sources *s, const struct sources_params *p, struct fault *fault);
void sources_fini(struct sources *s);

#define SOURCE_INSTANCE 4096 /* PATH_MAX, for a cgroup */

/* A part of a field's name: from its prefix to before the name itself. */
struct source_scope {
	const struct source_kind *kind;
	char instance[SOURCE_INSTANCE]; /* may be a glob */
	const char *name;         /* what is behind it in the text */
};

/*
 * Take the prefix off a field's name; without one the scope is the plain one. 0, or -EINVAL with the text: no such
 * prefix, or nothing behind it.
 */
int sources_scope(const struct sources *s, const char *text, struct source_scope *out, struct fault *fault);

/*
 * Have the sources of a scope open and read: visit(ctx, index) for each, in the order of their names; a negative return
 * ends it. 0, or -errno with the text:
 *   -ENXIO   no such instance, with the names that are near
 *   -EINVAL  there cannot be one
 *   others   a file of it cannot be read (text names it)
 */
int sources_each(struct sources *s, const struct source_scope *scope, int (*visit)(void *ctx, size_t index), void *ctx,
		 struct fault *fault);

/* Read all anew. 0 or -errno, and then *bad is the file. */
int sources_read(struct sources *s, const char **bad);

/* vm.stat_interval, ns; 0: not known. */
int64_t sources_fold_ns(const struct sources *s);
