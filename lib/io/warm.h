/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bringing parts of a target into the page cache, those and nothing beside them.
 *
 * Each part is announced (POSIX_FADV_WILLNEED), in pieces as small as the kernel reads at once for an advice, and
 * waited for when 32 MiB or 256 pieces have been announced behind it; what has not come then is read, page by page. So
 * all was in once, however the advice was taken, and what leaves again does so for want of memory. All goes by a
 * descriptor of its own, without readahead (POSIX_FADV_RANDOM); where there is no /proc to open it by, by the target's,
 * and then readahead may bring in more.
 *
 * A struct warm belongs to one thread.
 */
#pragma once

#include <stdint.h>

#include "io/residency.h"

struct warm {
	const struct target *target; /* borrowed; NULL: not open */
	int fd;
	struct residency_view view;
	bool tells;                  /* mincore does; else each page is read */
	struct warm_piece {
		uint64_t offset, length;
	} piece[256];                /* announced, a ring */
	unsigned first, count;
	uint64_t failed;             /* offset of the page that could not be read, after an error */
};

/* 0, -ENODEV: the target has no page cache, or -errno. */
int warm_open(struct warm *w, const struct target *t);

/* A part, which is cut to what is inside the target. 0, or -errno of reading with w->failed set. */
int warm_put(struct warm *w, uint64_t offset, uint64_t length);

/* Wait for all. As warm_put(). */
int warm_end(struct warm *w);

void warm_close(struct warm *w);
