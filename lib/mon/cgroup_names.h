/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the lines of a cgroup's memory.stat are for users: the names of /proc/vmstat where they mean the same, sizes in
 * pages, hierarchical values. Files of cgroup v1 are known by their total_ lines
 * (Documentation/admin-guide/cgroup-v1/memory.rst, cgroup-v2.rst).
 */
#pragma once

#include <stdbool.h>

#include "mon/source.h"

bool cgroup_describe(const struct vmstat_line *line, bool v1, struct source_field *out);

/* Whether a text is of cgroup v1. */
bool cgroup_is_v1(const char *text, size_t n);
