/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/cgroup_names.h"

#include <string.h>
#include <unistd.h>

#include "base/macro.h"

enum { PAGES = 1, KIB = 2, COUNT = 4, V1 = 8, V2 = 16 };

/*
 * Names that are not those of /proc/vmstat, and sizes, which are in bytes. Without a row a line is what /proc/vmstat
 * has under its name. v1's pgpgin and pgpgout count charges of any size, not the KiB of /proc/vmstat.
 */
static const struct {
	const char *key, *name; /* name NULL: the same */
	unsigned what;
} rows[] = {
	/* v1, without total_ */
	{"cache", "nr_file_pages", V1 | PAGES},
	{"rss", "nr_anon_pages", V1 | PAGES},
	{"rss_huge", NULL, V1 | PAGES},
	{"mapped_file", "nr_mapped", V1 | PAGES},
	{"dirty", "nr_dirty", V1 | PAGES},
	{"writeback", "nr_writeback", V1 | PAGES},
	{"swap", NULL, V1 | PAGES},
	{"pgpgin", "charges", V1 | COUNT},
	{"pgpgout", "uncharges", V1 | COUNT},
	/* v2 */
	{"anon", "nr_anon_pages", V2 | PAGES},
	{"file", "nr_file_pages", V2 | PAGES},
	{"kernel", NULL, V2 | PAGES},
	{"kernel_stack", "nr_kernel_stack", V2 | KIB},
	{"pagetables", "nr_page_table_pages", V2 | PAGES},
	{"sec_pagetables", "nr_sec_page_table_pages", V2 | PAGES},
	{"percpu", NULL, V2 | PAGES},
	{"sock", NULL, V2 | PAGES},
	{"vmalloc", NULL, V2 | PAGES},
	{"zswap", NULL, V2 | PAGES},
	{"zswapped", NULL, V2 | PAGES},
	{"file_mapped", "nr_mapped", V2 | PAGES},
	{"file_dirty", "nr_dirty", V2 | PAGES},
	{"file_writeback", "nr_writeback", V2 | PAGES},
	{"anon_thp", NULL, V2 | PAGES},
	{"file_thp", NULL, V2 | PAGES},
	{"shmem_thp", NULL, V2 | PAGES},
	{"slab", NULL, V2 | PAGES},
	{"slab_reclaimable", "nr_slab_reclaimable", V2 | PAGES},
	{"slab_unreclaimable", "nr_slab_unreclaimable", V2 | PAGES},
	{"hugetlb", NULL, V2 | PAGES},
	/* both */
	{"shmem", "nr_shmem", V1 | V2 | PAGES},
	{"swapcached", "nr_swapcached", V1 | V2 | PAGES},
	{"inactive_anon", "nr_inactive_anon", V1 | V2 | PAGES},
	{"active_anon", "nr_active_anon", V1 | V2 | PAGES},
	{"inactive_file", "nr_inactive_file", V1 | V2 | PAGES},
	{"active_file", "nr_active_file", V1 | V2 | PAGES},
	{"unevictable", "nr_unevictable", V1 | V2 | PAGES},
	{"pgscan", NULL, V2 | COUNT},
	{"pgsteal", NULL, V2 | COUNT},
};

#define TOTAL "total_"
#define LIMIT "hierarchical_"

static bool begins(const char *text, size_t n, const char *with)
{
	size_t length = strlen(with);

	return n > length && memcmp(text, with, length) == 0;
}

static void scale(struct source_field *out, unsigned what)
{
	if (what & COUNT)
		return;
	out->class = FIELD_GAUGE;
	out->divisor = what & KIB ? 1024 : (uint32_t)sysconf(_SC_PAGESIZE);
	out->unit = what & KIB ? "KiB" : "pages";
}

bool cgroup_describe(const struct vmstat_line *line, bool v1, struct source_field *out)
{
	if (v1 && begins(line->name, line->name_length, LIMIT)) {
		scale(out, PAGES);
		return true;
	}
	if (v1) {
		/* the others are those of the group without the groups in it */
		if (!begins(line->name, line->name_length, TOTAL))
			return false;
		out->name += strlen(TOTAL);
		out->name_length -= strlen(TOTAL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!(rows[i].what & (v1 ? V1 : V2)) || strlen(rows[i].key) != out->name_length ||
		    memcmp(rows[i].key, out->name, out->name_length) != 0)
			continue;
		if (rows[i].name) {
			out->name = rows[i].name;
			out->name_length = strlen(rows[i].name);
		}
		source_describe_vmstat(out);
		scale(out, rows[i].what);
		return true;
	}
	source_describe_vmstat(out);
	return true;
}

bool cgroup_is_v1(const char *text, size_t n)
{
	return memmem(text, n, "\n" TOTAL, strlen("\n" TOTAL)) != NULL;
}
