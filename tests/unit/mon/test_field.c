/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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

static void distance_counts_edits(void **state _unused_)
{
	assert_int_equal(field_distance("nr_dirty", "nr_dirty"), 0);
	assert_int_equal(field_distance("", "abc"), 3);
	assert_int_equal(field_distance("abc", ""), 3);
	assert_int_equal(field_distance("nr_drity", "nr_dirty"), 1);
	assert_int_equal(field_distance("nr_dirt", "nr_dirty"), 1);
	assert_int_equal(field_distance("nr_mirty", "nr_dirty"), 1);
	assert_int_equal(field_distance("kitten", "sitting"), 3);
}

static const char text[] = "nr_dirty 1\nnr_dirty_threshold 2\nnr_dirtied 3\npgscan_kswapd 4\nallocstall_dma 5\n"
			   "allocstall_normal 6\npgfault 7\n";

static void an_unknown_field_is_answered_with_what_is_near(void **state _unused_)
{
	struct fault f;

	assert_int_equal(field_unknown("nr_drity", text, strlen(text), &f), -ENOENT);
	assert_string_equal(f.text, "no field 'nr_drity'; nearest: nr_dirty");
	field_unknown("pgfualt", text, strlen(text), &f);
	assert_string_equal(f.text, "no field 'pgfualt'; nearest: pgfault");
	field_unknown("quite_other", text, strlen(text), &f);
	assert_string_equal(f.text, "no field 'quite_other'");
}

static void an_old_name_is_answered_with_what_became_of_it(void **state _unused_)
{
	struct fault f;

	field_unknown("allocstall", text, strlen(text), &f);
	assert_non_null(strstr(f.text, "'sum(allocstall_*)'"));
	assert_non_null(strstr(f.text, "nearest: allocstall_dma, allocstall_normal"));
	field_unknown("pgscan_kswapd_normal", text, strlen(text), &f);
	assert_non_null(strstr(f.text, "pgscan_kswapd;"));
	assert_non_null(strstr(f.text, "nearest: pgscan_kswapd"));
	assert_non_null(strstr(field_history("nr_unstable"), "nr_writeback"));
	assert_null(field_history("pgfault"));
}

static void a_name_of_any_length_and_bytes_is_answered(void **state _unused_)
{
	struct fault f;
	char longest[1000];

	memset(longest, 'n', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(field_unknown(longest, text, strlen(text), &f), -ENOENT);
	assert_int_equal(field_unknown("\xff\x1b", text, strlen(text), &f), -ENOENT);
	assert_string_equal(f.text, "no field '\\xff\\x1b'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gauges_counters_and_constants_are_told_apart),
		cmocka_unit_test(units_follow_the_kernel),
		cmocka_unit_test(distance_counts_edits),
		cmocka_unit_test(an_unknown_field_is_answered_with_what_is_near),
		cmocka_unit_test(an_old_name_is_answered_with_what_became_of_it),
		cmocka_unit_test(a_name_of_any_length_and_bytes_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
