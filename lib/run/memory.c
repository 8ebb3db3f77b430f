/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cgroupfs.h"
#include "base/macro.h"
#include "base/smallfile.h"
#include "base/units.h"

/* What a cgroup leaves: its limit, less what it uses but for file pages that can go. */
static uint64_t left_in(const char *folder, const char *limit_name, const char *used_name, const char *word)
{
	char path[PATH_MAX + 64];
	uint64_t limit, used, files;

	snprintf(path, sizeof(path), "%s/%s", folder, limit_name);
	limit = smallfile_number(path, "");
	snprintf(path, sizeof(path), "%s/%s", folder, used_name);
	used = smallfile_number(path, "");
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	files = smallfile_number(path, word);
	if (limit == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	if (files != UINT64_MAX)
		used -= MIN(used, files);
	return limit - MIN(limit, used);
}

static uint64_t left_in_cgroup(void)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	struct fault none;

	if (cgroupfs_find(&c, "/proc", &none) < 0)
		return UINT64_MAX;
	if (c.v2)
		return left_in(c.own, "memory.max", "memory.current", "inactive_file");
	return left_in(c.own, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
}

/* What a limit of address space leaves; word: what counts for it in proc_pid_status(5), in KiB. */
static uint64_t left_of_limit(__rlimit_resource_t what, const char *word)
{
	struct rlimit limit;
	uint64_t kib;

	if (getrlimit(what, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	kib = smallfile_number("/proc/self/status", word);
	return kib > UINT64_MAX >> 10 ? UINT64_MAX : limit.rlim_cur - MIN(limit.rlim_cur, kib << 10);
}

uint64_t memory_left(void)
{
	uint64_t kib = smallfile_number("/proc/meminfo", "MemAvailable");
	uint64_t left = MIN(kib > UINT64_MAX >> 10 ? UINT64_MAX : kib << 10, left_in_cgroup());

	left = MIN(left, left_of_limit(RLIMIT_AS, "VmSize"));
	return MIN(left, left_of_limit(RLIMIT_DATA, "VmData"));
}

bool memory_has_room(uint64_t bytes)
{
	uint64_t left = memory_left();

	return left >= MEMORY_RESERVE && left - MEMORY_RESERVE >= bytes;
}

int memory_check(const struct trace *t, struct fault *fault)
{
	return memory_has_room(0) ? 0 : memory_refuse(t, fault);
}

int memory_refuse(const struct trace *t, struct fault *fault)
{
	return fault_set(fault, -ENOMEM,
			 "the trace does not fit into memory: %zu request%s in, %" PRIu64 " MiB are left", t->count,
			 t->count == 1 ? " is" : "s are", memory_left() >> 20);
}
