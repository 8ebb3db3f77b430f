/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a target is in the page cache: how much, and which parts.
 *
 * The kernel is asked by cachestat(2), since Linux 6.5, whose time grows with the pages that are cached; else by
 * mincore(2), which takes some 20 ns a page of the target and tells nothing but what is there. Pages count as 4096
 * bytes, however large the kernel's own are. All here returns -ENODEV for a target that has no page cache of its own,
 * and -EPERM when the kernel does not tell, as it does only those who own the file or may write to it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/target.h"

struct residency {
	uint64_t pages;            /* of the range */
	uint64_t cached;
	uint64_t dirty;            /* this and what follows: 0 unless exact */
	uint64_t writeback;
	uint64_t evicted;          /* were cached, and the kernel remembers */
	uint64_t recently_evicted; /* so recently that to read them again is taken for a lack of memory */
	bool exact;                /* by cachestat */
};

/* The method in a word: "cachestat" or "mincore". */
const char *residency_method(const struct residency *r);

/* Of the whole target. 0 or -errno. */
int target_residency(const struct target *t, struct residency *r);

/* The same, but -EFBIG where that would mean to look at each page of a target larger than limit bytes. */
int target_residency_below(const struct target *t, uint64_t limit, struct residency *r);

/* Of what lies of a range inside the target. 0 or -errno. */
int target_residency_range(const struct target *t, uint64_t offset, uint64_t length, struct residency *r);

/*
 * Call take() for each run of cached pages, in the order of the file: whole pages of the machine, but for the end of
 * the target, and no two of them touch. A value below 0 of take() ends it and is returned. 0 or -errno.
 *
 * Where cachestat(2) tells, the target is halved until a part is wholly cached or not at all, so an empty one of any
 * size takes one call; only parts that are mixed densely are looked at page by page. Pages being read ahead, which are
 * not filled yet, may be in or not.
 */
int residency_runs(const struct target *t, int (*take)(void *ctx, uint64_t offset, uint64_t length), void *ctx);

/*
 * Some pages of the target, one by one, through a mapping that moves to where they are. All zero but the target is one
 * that maps nothing yet.
 */
struct residency_view {
	const struct target *target;
	char *map;
	uint64_t start;            /* of the window, bytes */
	size_t length;
};

/*
 * Bit 0 of vec[i] says whether page i of the machine from offset on (a multiple of it) is cached, and filled. length at
 * most 128 KiB, inside one such multiple of the target, and not past its end. 0 or -errno. It does not look at
 * permission: see residency_tells().
 */
int residency_view_pages(struct residency_view *v, uint64_t offset, uint64_t length, unsigned char *vec);
void residency_view_fini(struct residency_view *v);

/* Does mincore(2) say the truth of this target, or that all is cached? */
bool residency_tells(const struct target *t);
