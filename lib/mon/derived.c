/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/derived.h"

#include <string.h>

#include "base/macro.h"

/*
 * Reclaim is counted in two views, by who reclaims and by what is reclaimed. Only the second has memory cgroups in it,
 * so that is the one to use, and the two are never to be added. pgpgin counts KiB.
 */
const struct derived derived_columns[] = {
	{"reclaim_efficiency", "percent", "100 * (pgsteal_anon + pgsteal_file) / (pgscan_anon + pgscan_file)", 100,
	 "of the pages scanned, those reclaimed"},
	{"refault_share", "percent", "100 * workingset_refault_file * page_size / (pgpgin * 1024)", 100,
	 "of what was read from disks, what had been in the cache before"},
	{"replay_refault_share", "percent", "100 * workingset_refault_file * page_size / replay:bytes", 100,
	 "of what was replayed, what had been in the cache before"},
	{"pages_per_activation", "pages", "pgpgin * 1024 / page_size / pgactivate", 0,
	 "pages read from disks for each that became active"},
	{"replay_pages_per_activation", "pages", "replay:bytes / page_size / pgactivate", 0,
	 "pages replayed for each that became active"},
	{"inactive_rotation", "s", "nr_inactive_file * seconds / pgscan_file", 0,
	 "time to scan the inactive file list once at this rate"},
	{"active_rotation", "s", "(nr_active_anon + nr_active_file) * seconds / pgrefill", 0,
	 "time to scan the active lists once at this rate"},
	{"free_per_deactivate", "1", "pgfree / pgdeactivate", 0, "pages freed for each that was deactivated: N of 1:N"},
	{"read_amplification", "1", "pgpgin * 1024 / replay:bytes", 0,
	 "bytes read from disks for each replayed"},
};
const size_t derived_count = ARRAY_SIZE(derived_columns);

const struct derived *derived_find(const char *name)
{
	for (size_t i = 0; i < derived_count; i++)
		if (!strcmp(derived_columns[i].name, name))
			return &derived_columns[i];
	return NULL;
}
