/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the memory cgroups of this machine are: the hierarchy of cgroup v1 that has the memory controller, or
 * cgroup v2 (cgroups(7)). Nothing is opened for longer than a call.
 */
#pragma once

#include <stdbool.h>

#include "base/fault.h"

struct cgroupfs {
	bool v2;
	char *mount;   /* where it is mounted */
	char *own;     /* folder of the group that the process is in, at or below mount */
};

/*
 * proc: where proc is mounted ("/proc"). 0, or with the reason in words
 *   -ENOENT  no hierarchy with the memory controller is mounted, or it cannot be told where the process is in it
 *   -ENOMEM, and -errno of open(2) where proc is there and cannot be read: -EMFILE, -EACCES
 * *c is all zero after a failure.
 */
int cgroupfs_find(struct cgroupfs *c, const char *proc, struct fault *fault);
void cgroupfs_fini(struct cgroupfs *c);

/*
 * The folder of a group as a user names it: a path that is there, or one below the mount with or without a slash before
 * it, as /proc/PID/cgroup shows them. To be freed. NULL: no memory, or with -ENOENT in the fault there is no such
 * group.
 */
char *cgroupfs_group(const struct cgroupfs *c, const char *name, struct fault *fault);
