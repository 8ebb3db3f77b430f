/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of the test's own that look like /proc, /sys and a cgroup mount, and columns on them. */
#pragma once

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/column.h"

#define SEC INT64_C(1000000000)
#define VALUES 64

struct tree {
	char dir[64], proc[80], sys[80];
	struct columns columns;
	uint64_t values[2][VALUES];
	bool missing[2][VALUES];
	struct sample sample[2];
	struct source_replay replay;
};

/* The folders on the way are made; a text of n bytes replaces the file's. */
static inline void put(const struct tree *t, const char *path, const char *text)
{
	char whole[512];
	FILE *f;

	snprintf(whole, sizeof(whole), "%s/%s", t->dir, path);
	for (char *p = whole + strlen(t->dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(whole, 0777);
	}
	f = fopen(whole, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static inline void replay(void *ctx, struct source_replay *out)
{
	*out = ((struct tree *)ctx)->replay;
}

static inline void open_columns(struct tree *t, const char *plain)
{
	const struct sources_params p = {
		.proc = t->proc, .sys = t->sys, .plain = plain, .replay = replay, .replay_ctx = t};
	struct fault fault;

	columns_fini(&t->columns);
	assert_int_equal(columns_init(&t->columns, &p, &fault), 0);
}

static inline int set_up(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));
	char text[512];

	strcpy(t->dir, "/tmp/sources-test.XXXXXX");
	if (!mkdtemp(t->dir))
		return -1;
	snprintf(t->proc, sizeof(t->proc), "%s/proc", t->dir);
	snprintf(t->sys, sizeof(t->sys), "%s/sys", t->dir);
	put(t, "proc/vmstat", "nr_dirty 5\npgfault 100\npgpgin 8\nnr_odd 7\n");
	put(t, "proc/meminfo", "MemTotal:       24683656 kB\nActive(anon):     162444 kB\nHugePages_Total:       3\n");
	put(t, "proc/pressure/io", "some avg10=1.25 avg60=0.00 avg300=0.00 total=1000\n");
	put(t, "proc/77/stat", "77 (x) S 1 1 1 1 1 1 9 0 2 0 30 4 0 0 20 0 1 0 1 4096 3 1 1 1 1 1 1 1\n");
	put(t, "proc/77/io", "rchar: 5\nwchar: 6\nread_bytes: 4096\n");
	put(t, "sys/devices/system/node/node0/vmstat", "nr_dirty 2\nnr_free_pages 10\n");
	put(t, "sys/devices/system/node/node1/vmstat", "nr_dirty 3\nnr_free_pages 20\n");
	put(t, "sys/class/block/sda/stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	put(t, "sys/class/block/sda1/stat", "10 2 3 4 5 6 7 8 9 10 11\n");
	put(t, "sys/class/block/nvme0n1/stat", "100 2 3 4 5 6 7 8 9 10 11\n");
	snprintf(text, sizeof(text), "30 1 0:26 / %s/cg rw - cgroup2 cgroup2 rw\n", t->dir);
	put(t, "proc/self/mountinfo", text);
	put(t, "proc/self/cgroup", "0::/\n");
	put(t, "cg/cgroup.controllers", "cpu memory io\n");
	put(t, "cg/memory.stat", "anon 8192\nfile 40960\n");
	put(t, "cg/a/b:c/memory.stat",
	    "anon 8192\nfile 40960\nkernel_stack 16384\nactive_file 4096\nfile_dirty 12288\npgscan 6\nworkingset_refault_file 9\n");
	*state = t;
	open_columns(t, NULL);
	return 0;
}

static inline int remove_one(const char *path, const struct stat *st _unused_, int type _unused_, struct FTW *ftw _unused_)
{
	return remove(path);
}

static inline int tear_down(void **state)
{
	struct tree *t = *state;

	columns_fini(&t->columns);
	nftw(t->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(t);
	return 0;
}

static inline void add(struct tree *t, const char *spec)
{
	struct fault fault;

	if (columns_add(&t->columns, spec, COLUMN_AUTO, &fault))
		fail_msg("%s: %s", spec, fault.text);
}

/* Read now as sample i, a second after the other. */
static inline void read_as(struct tree *t, int i)
{
	const char *bad = NULL;

	assert_in_range(t->columns.term_count, 0, VALUES);
	assert_int_equal(sources_read(&t->columns.sources, &bad), 0);
	columns_values(&t->columns, t->values[i], t->missing[i]);
	t->sample[i] = (struct sample){.when = i * SEC, .values = t->values[i], .missing = t->missing[i]};
}

static inline const char *shown(const struct tree *t, size_t column)
{
	static char text[CELL_TEXT];
	struct cell cell = columns_cell(&t->columns, column, &t->sample[0], &t->sample[1]);

	cell_text(text, &cell);
	return text;
}

static inline void refuse(struct tree *t, const char *spec, int error, const char *part)
{
	struct fault fault;
	size_t before = t->columns.count;

	assert_int_equal(columns_add(&t->columns, spec, COLUMN_AUTO, &fault), error);
	assert_int_equal(t->columns.count, before);
	if (!strstr(fault.text, part))
		fail_msg("%s: '%s' lacks '%s'", spec, fault.text, part);
}
