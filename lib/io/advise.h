/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel is told about the use of a target: by posix_fadvise(2) of its descriptor, or by madvise(2) of what an
 * engine maps of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum io_advice {
	ADVISE_NORMAL,
	ADVISE_RANDOM,
	ADVISE_SEQUENTIAL,
	ADVISE_WILLNEED,
	ADVISE_HUGEPAGE,
	ADVISE_NOHUGEPAGE,
	ADVISE_NOREUSE,
	ADVISE_DONTNEED,
	ADVISE_COLD,
	ADVISE_PAGEOUT,
	ADVISE_POPULATE_READ,
	ADVISE_COUNT
};

/* To the end of the target. */
#define HINT_TO_END UINT64_MAX

struct io_hint {
	enum io_advice advice;
	uint64_t offset, length;   /* bytes; length HINT_TO_END */
};

static inline bool hint_is_whole(const struct io_hint *h)
{
	return h->offset == 0 && h->length == HINT_TO_END;
}

/* "willneed", "populate-read". */
const char *advise_name(enum io_advice a);

/* The advice that is called so, or -1. */
int advise_of_name(const char *name);

/* Has posix_fadvise(2), madvise(2) such an advice? */
bool advise_is_of_file(enum io_advice a);
bool advise_is_of_memory(enum io_advice a);

/*
 * Does the advice to a descriptor hold for the whole file, whatever the range? Such are those that set how it is read
 * on (mm/fadvise.c: they change the open file, f_ra and f_mode).
 */
bool advise_ignores_range(enum io_advice a);

/* Its name in the C library: "POSIX_FADV_RANDOM", "MADV_COLD". */
const char *advise_file_name(enum io_advice a);
const char *advise_memory_name(enum io_advice a);

/* Does the advice to memory hold until it is unmapped? The others do something to the pages that are there. */
bool advise_lasts(enum io_advice a);

/* "NAME", or "NAME BEGIN-END" of a part. Returns buf. */
char *hint_text(char *buf, size_t cap, const char *name, const struct io_hint *h);

/* The advice to a descriptor. 0 or -errno. */
int advise_file(int fd, const struct io_hint *h);

/*
 * The advice to length bytes of memory from at on, which begins a page. 0 or -errno: -EOPNOTSUPP when this kernel has
 * it not.
 */
int advise_memory(void *at, uint64_t length, enum io_advice a);
