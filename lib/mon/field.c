/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/field.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "base/macro.h"

/* Exceptions to "nr_* is a gauge, everything else a counter". */
static const struct {
	const char *glob;
	enum field_class class;
} classes[] = {
	{"nr_unstable", FIELD_CONSTANT}, /* 0 since 5.8, kept for readers that insist on it */
	{"nr_memmap_boot_pages", FIELD_CONSTANT},
	{"nr_dirtied", FIELD_COUNTER},
	{"nr_written", FIELD_COUNTER},
	{"nr_throttled_written", FIELD_COUNTER},
	{"nr_vmscan_write", FIELD_COUNTER},
	{"nr_vmscan_immediate_reclaim", FIELD_COUNTER},
	{"nr_foll_pin_*", FIELD_COUNTER},
	{"nr_tlb_*", FIELD_COUNTER},
	{"nr_promote*", FIELD_COUNTER},
	{"nr_*", FIELD_GAUGE},
	{"workingset_nodes", FIELD_GAUGE},
};

/* What is kept by zone or node, but for what is not. First match counts. */
static const struct {
	const char *glob;
	enum field_fresh fresh;
} freshness[] = {
	{"nr_tlb_*", FIELD_ALWAYS},
	{"nr_dirty_*threshold", FIELD_ALWAYS}, /* made up at each reading, from numbers that are folded */
	{"nr_unstable", FIELD_ALWAYS},
	{"nr_memmap_*", FIELD_ALWAYS},
	{"nr_*", FIELD_FOLDED},
	{"workingset_*", FIELD_FOLDED},
	{"pgpromote_*", FIELD_FOLDED},
	{"pgdemote_*", FIELD_FOLDED},
};

/* First match counts. */
static const struct {
	const char *glob, *unit;
} units[] = {
	{"pgpgin", "KiB"}, /* sectors / 2, whatever the page size (vmstat_start() in mm/vmstat.c) */
	{"pgpgout", "KiB"},
	{"nr_kernel_stack", "KiB"},
	{"nr_*hugepages", "huge pages"},
	{"nr_*_pmdmapped", "huge pages"},
	{"thp_*_alloc", "huge pages"},
	{"thp_file_mapped", "huge pages"},
	{"thp_swpout", "huge pages"},
	{"thp_migration_success", "huge pages"},
	{"nr_tlb_*", "events"},
	{"nr_*", "pages"},
	{"workingset_node*", "nodes"},
	{"workingset_*", "pages"},
	{"pswp*", "pages"},
	{"pgscan_direct_throttle", "events"},
	{"pgscan*", "pages"},
	{"pgsteal*", "pages"},
	{"kswapd_steal", "pages"},
	{"*inodesteal", "pages"},
	{"pgalloc_*", "pages"},
	{"pgskip_*", "pages"},
	{"pgfree", "pages"},
	{"pg*activate", "pages"},
	{"pglazyfree*", "pages"},
	{"pgrefill*", "pages"},
	{"pgrotated", "pages"},
	{"pgmigrate_*", "pages"},
	{"pgpromote_*", "pages"},
	{"pgdemote_*", "pages"},
	{"numa_*updates", "events"},
	{"numa_hint_*", "events"},
	{"numa_*", "pages"},
	{"compact_*scanned", "pages"},
	{"compact_isolated", "pages"},
	{"unevictable_pgs_*", "pages"},
	{"balloon_*", "pages"},
	{"swap_ra*", "pages"},
	{"swpin_zero", "pages"},
	{"swpout_zero", "pages"},
	{"zswp*", "pages"},
};

/*
 * Names that came, went or split, from mm/vmstat.c and include/linux/vm_event_item.h of 2.6.3x, 3.10, 4.19, 5.10 and
 * 6.18 and the commits between them; "by" where only two such readings are known. First match counts.
 */
static const struct {
	const char *glob, *history;
} histories[] = {
	{"nr_unstable", "always 0 since Linux 5.8, NFS's unstable pages are in nr_writeback"},
	{"nr_slab", "split into nr_slab_reclaimable and nr_slab_unreclaimable in Linux 2.6.19"},
	{"nr_bounce", "gone since Linux 6.16, with bounce buffers"},
	{"nr_writeback_temp", "gone by Linux 6.18, FUSE's pages under writeback are in nr_writeback"},
	{"nr_pages_scanned", "gone since Linux 4.12"},
	{"nr_alloc_batch", "gone since Linux 4.8"},
	{"allocstall", "counted by zone since Linux 4.8: 'sum(allocstall_*)'"},
	{"allocstall_*", "one allocstall for all zones before Linux 4.8"},
	{"pgscan_direct_throttle", "since Linux 3.6"},
	{"pgscan_kswapd_*", "not counted by zone since Linux 4.8: pgscan_kswapd"},
	{"pgscan_direct_*", "not counted by zone since Linux 4.8: pgscan_direct"},
	{"pgsteal_kswapd_*", "not counted by zone since Linux 4.8: pgsteal_kswapd"},
	{"pgsteal_direct_*", "not counted by zone since Linux 4.8: pgsteal_direct"},
	{"pgscan_kswapd", "counted by zone before Linux 4.8: 'sum(pgscan_kswapd_*)'"},
	{"pgscan_direct", "counted by zone before Linux 4.8: 'sum(pgscan_direct_[!t]*)'"},
	{"pgsteal_kswapd", "counted by zone before Linux 4.8: 'sum(pgsteal_kswapd_*)'"},
	{"pgsteal_direct", "counted by zone before Linux 4.8: 'sum(pgsteal_direct_*)'"},
	{"pgsteal_dma", "split by Linux 3.10 into pgsteal_kswapd and pgsteal_direct"},
	{"pgsteal_dma32", "split by Linux 3.10 into pgsteal_kswapd and pgsteal_direct"},
	{"pgsteal_normal", "split by Linux 3.10 into pgsteal_kswapd and pgsteal_direct"},
	{"pgsteal_high", "split by Linux 3.10 into pgsteal_kswapd and pgsteal_direct"},
	{"pgsteal_movable", "split by Linux 3.10 into pgsteal_kswapd and pgsteal_direct"},
	{"kswapd_steal", "pgsteal_kswapd by Linux 3.10"},
	{"pg*_khugepaged", "only in newer kernels (by Linux 6.16), in the direct counter before"},
	{"pg*_proactive", "only in newer kernels (by Linux 6.16), in the direct counter before"},
	{"pgscan_anon", "since Linux 5.8"},
	{"pgscan_file", "since Linux 5.8"},
	{"pgsteal_anon", "since Linux 5.8"},
	{"pgsteal_file", "since Linux 5.8"},
	{"pgrefill_*", "not counted by zone since Linux 4.8: pgrefill"},
	{"pgrefill", "counted by zone before Linux 4.8: 'sum(pgrefill_*)'"},
	{"workingset_refault", "split into workingset_refault_anon and workingset_refault_file in Linux 5.9"},
	{"workingset_activate", "split into workingset_activate_anon and workingset_activate_file in Linux 5.9"},
	{"workingset_restore", "split into workingset_restore_anon and workingset_restore_file in Linux 5.9"},
	{"workingset_*_anon", "since Linux 5.9; before, one counter without the suffix"},
	{"workingset_*_file", "since Linux 5.9; before, one counter without the suffix"},
	{"thp_split", "split into thp_split_page and thp_split_pmd in Linux 4.5"},
	{"compact_pages_moved", "pgmigrate_success since Linux 3.8"},
	{"compact_pagemigrate_failed", "pgmigrate_fail since Linux 3.8"},
	{"compact_blocks_moved", "gone since Linux 3.8, compact_isolated and compact_migrate_scanned tell the work"},
	{"unevictable_pgs_mlockfreed", "gone by Linux 3.10"},
	{"nr_dirtied", "since Linux 2.6.37"},
	{"nr_written", "since Linux 2.6.37"},
	{"nr_dirty_threshold", "since Linux 2.6.37"},
	{"nr_dirty_background_threshold", "since Linux 2.6.37"},
	{"nr_zone_*", "since Linux 4.8; before, the names without zone_ were counted by zone"},
	{"nr_foll_pin_*", "since Linux 5.7"},
	{"nr_throttled_written", "since Linux 5.16"},
	{"oom_kill", "since Linux 4.13"},
	{"drop_pagecache", "since Linux 3.15"},
	{"drop_slab", "since Linux 3.15"},
};

/* Names that other kernels count in parts, which are disjoint and complete; from the same sources. */
static const struct {
	const char *name, *glob;
} aliases[] = {
	{"allocstall", "allocstall_*"},
	{"pgscan_kswapd", "pgscan_kswapd_*"},
	{"pgscan_direct", "pgscan_direct_[!t]*"}, /* not pgscan_direct_throttle */
	{"pgsteal_kswapd", "pgsteal_kswapd_*"},
	{"pgsteal_direct", "pgsteal_direct_*"},
	{"pgrefill", "pgrefill_*"},
	{"workingset_refault", "workingset_refault_*"},
	{"workingset_activate", "workingset_activate_*"},
	{"workingset_restore", "workingset_restore_*"},
	/* anonymous pages were not counted before the split */
	{"workingset_refault_file", "workingset_refault"},
	{"workingset_activate_file", "workingset_activate"},
	{"workingset_restore_file", "workingset_restore"},
	{"nr_slab", "nr_slab_*"},
};

const char *field_alias(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].name, name))
			return aliases[i].glob;
	return NULL;
}

enum field_class field_class_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!fnmatch(classes[i].glob, name, 0))
			return classes[i].class;
	return FIELD_COUNTER;
}

const char *field_class_name(enum field_class c)
{
	static const char *const names[] = {
		[FIELD_GAUGE] = "gauge",
		[FIELD_COUNTER] = "counter",
		[FIELD_CONSTANT] = "constant",
		[FIELD_DERIVED] = "derived",
	};

	return names[c];
}

enum field_fresh field_fresh_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(freshness); i++)
		if (!fnmatch(freshness[i].glob, name, 0))
			return freshness[i].fresh;
	return FIELD_ALWAYS;
}

const char *field_fresh_name(enum field_fresh f)
{
	return f == FIELD_ALWAYS ? "always" : "folded";
}

const char *field_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!fnmatch(units[i].glob, name, 0))
			return units[i].unit;
	return "events";
}

const char *field_history(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(histories); i++)
		if (!fnmatch(histories[i].glob, name, 0))
			return histories[i].history;
	return NULL;
}
