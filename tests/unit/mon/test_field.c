/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/field.h"

static void gauges_counters_and_constants_are_told_apart(void **state _unused_)
{
	static const char *const gauges[] = {"nr_dirty", "nr_mapped", "nr_free_pages", "nr_dirty_threshold",
					     "nr_dirty_background_threshold", "workingset_nodes", "nr_memmap_pages",
					     "nr_pages_scanned", "nr_alloc_batch", "nr_zone_active_file", "nr_of_2040"};
	static const char *const counters[] = {"pgfault", "pgpgin", "nr_dirtied", "nr_written", "nr_vmscan_write",
					       "nr_vmscan_immediate_reclaim", "nr_throttled_written", "nr_foll_pin_acquired",
					       "nr_foll_pin_released", "nr_tlb_remote_flush", "workingset_refault_file",
					       "workingset_nodereclaim", "oom_kill", "pgpromote_success", "thp_of_2040"};

	for (size_t i = 0; i < ARRAY_SIZE(gauges); i++)
		if (field_class_of(gauges[i]) != FIELD_GAUGE)
			fail_msg("%s is no gauge", gauges[i]);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (field_class_of(counters[i]) != FIELD_COUNTER)
			fail_msg("%s is no counter", counters[i]);
	assert_int_equal(field_class_of("nr_unstable"), FIELD_CONSTANT);
	assert_int_equal(field_class_of("nr_memmap_boot_pages"), FIELD_CONSTANT);
}

static void units_follow_the_kernel(void **state _unused_)
{
	static const char *const units[][2] = {
		{"pgpgin", "KiB"}, {"pgpgout", "KiB"}, {"nr_kernel_stack", "KiB"}, {"pswpin", "pages"}, {"nr_dirty", "pages"},
		{"nr_anon_transparent_hugepages", "huge pages"}, {"nr_shmem_pmdmapped", "huge pages"}, {"pgscan_file", "pages"},
		{"pgscan_direct_throttle", "events"}, {"pgsteal_kswapd", "pages"}, {"workingset_refault_anon", "pages"},
		{"workingset_nodes", "nodes"}, {"slabs_scanned", "events"}, {"allocstall_normal", "events"},
		{"pageoutrun", "events"}, {"oom_kill", "events"}, {"pgfault", "events"}, {"pgmajfault", "events"},
		{"pgactivate", "pages"}, {"pgdeactivate", "pages"}, {"pgfree", "pages"}, {"thp_fault_alloc", "huge pages"},
		{"thp_split_page", "events"}, {"nr_tlb_local_flush_all", "events"}, {"something_new", "events"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		assert_string_equal(field_unit(units[i][0]), units[i][1]);
}

static void what_is_kept_by_zone_or_node_is_folded(void **state _unused_)
{
	static const char *const folded[] = {"nr_dirty", "nr_dirtied", "nr_free_pages", "workingset_refault_file",
					     "pgdemote_kswapd", "pgpromote_success"};
	static const char *const always[] = {"pgfault", "pgscan_file", "nr_dirty_threshold", "nr_dirty_background_threshold",
					     "nr_tlb_remote_flush", "oom_kill", "numa_hit"};

	for (size_t i = 0; i < ARRAY_SIZE(folded); i++)
		if (field_fresh_of(folded[i]) != FIELD_FOLDED)
			fail_msg("%s is not folded", folded[i]);
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (field_fresh_of(always[i]) != FIELD_ALWAYS)
			fail_msg("%s is folded", always[i]);
}

static void what_became_of_old_names_is_known(void **state _unused_)
{
	assert_non_null(strstr(field_history("allocstall"), "'sum(allocstall_*)'"));
	assert_non_null(strstr(field_history("nr_unstable"), "nr_writeback"));
	assert_null(field_history("pgfault"));
	assert_string_equal(field_alias("allocstall"), "allocstall_*");
	assert_null(field_alias("pgfault"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gauges_counters_and_constants_are_told_apart),
		cmocka_unit_test(units_follow_the_kernel),
		cmocka_unit_test(what_is_kept_by_zone_or_node_is_folded),
		cmocka_unit_test(what_became_of_old_names_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
