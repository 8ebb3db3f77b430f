/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A memory cgroup that this process moves into and out of: one of its own, or one that is there. Of cgroup v1 or v2,
 * whichever has the controller (base/cgroupfs.h).
 *
 * All threads move, and what they allocate or read into the page cache from then on is charged to the group; what was
 * charged before stays where it is (Documentation/admin-guide/cgroup-v2.rst, "Memory Ownership").
 *
 * proc: where proc is mounted ("/proc").
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

struct cgroup {
	char *folder;        /* NULL: none */
	char *home;          /* cgroup.procs of the group that the process was in; NULL: it is not inside */
	bool v2;
	bool made;           /* by cgroup_make() */
	uint64_t limit;      /* as the kernel took it, bytes; UINT64_MAX: none, or not known */
};

/* Smaller, and the process that is to play in it would not run. */
#define CGROUP_BYTES_MIN (UINT64_C(2) << 20)

/*
 * Where a group may be made: *place is the folder above it, to be freed. Makes nothing. 0, or with the reason
 *   -ENOENT   no memory controller, or not for groups below those that may be used
 *   -EACCES   no permission, or a read-only mount
 *   -ENOMEM
 */
int cgroup_place(char **place, const char *proc, struct fault *fault);

/*
 * The name of a group that is not there, below place, for the group of this process: "NAME-PID" and, when that is
 * taken, a number behind it. To be freed; NULL: no memory.
 */
char *cgroup_name(const char *place, const char *name);

/*
 * Make the group with a limit in bytes, >= CGROUP_BYTES_MIN. 0, or -errno with the reason; nothing is left behind then.
 */
int cgroup_make(struct cgroup *g, const char *folder, uint64_t bytes, struct fault *fault);

/*
 * Take one that is there, by name as cgroupfs_group(). 0, -ENOENT, -EACCES (the process may not move) with the reason.
 */
int cgroup_open(struct cgroup *g, const char *proc, const char *name, struct fault *fault);

/* Move in; to be followed by cgroup_leave(). 0 or -errno with the reason. Inside already: 0. */
int cgroup_enter(struct cgroup *g, const char *proc, struct fault *fault);

/* Move back to where the process was. 0 or -errno with the reason. Not inside: 0. */
int cgroup_leave(struct cgroup *g, struct fault *fault);

/* Leave it, remove it if it was made, forget it. -errno with the reason when it stays. */
int cgroup_close(struct cgroup *g, struct fault *fault);

/*
 * The file that counts in "oom_kill" what the kernel killed in the group, since Linux 4.13. To be freed; NULL: no
 * memory.
 */
char *cgroup_kill_file(const struct cgroup *g);

/* What of it is in use now, and the most that was, in bytes; UINT64_MAX: not told (memory.peak is of Linux 5.19). */
struct cgroup_usage {
	uint64_t now, peak;
	uint64_t at_limit;   /* how often it was at its limit */
};
void cgroup_usage(const struct cgroup *g, struct cgroup_usage *u);
