/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/advise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/macro.h"

/* As in include/uapi/asm-generic/mman-common.h, for headers older than these (5.4, 5.14). */
#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

static const struct advice {
	const char *name;
	int file, memory;                    /* where there is a name */
	const char *file_name, *memory_name; /* NULL: there is no such advice */
	bool whole;                          /* of a file, whatever the range */
	bool lasts;                          /* of memory */
} advices[ADVISE_COUNT] = {
#define FILE_(a) .file = POSIX_FADV_##a, .file_name = "POSIX_FADV_" #a
#define MEMORY_(a) .memory = MADV_##a, .memory_name = "MADV_" #a
	[ADVISE_NORMAL] = {"normal", FILE_(NORMAL), MEMORY_(NORMAL), .whole = true, .lasts = true},
	[ADVISE_RANDOM] = {"random", FILE_(RANDOM), MEMORY_(RANDOM), .whole = true, .lasts = true},
	[ADVISE_SEQUENTIAL] = {"sequential", FILE_(SEQUENTIAL), MEMORY_(SEQUENTIAL), .whole = true, .lasts = true},
	[ADVISE_WILLNEED] = {"willneed", FILE_(WILLNEED), MEMORY_(WILLNEED)},
	[ADVISE_HUGEPAGE] = {"hugepage", MEMORY_(HUGEPAGE), .lasts = true},
	[ADVISE_NOHUGEPAGE] = {"nohugepage", MEMORY_(NOHUGEPAGE), .lasts = true},
	[ADVISE_NOREUSE] = {"noreuse", FILE_(NOREUSE), .whole = true},
	[ADVISE_DONTNEED] = {"dontneed", FILE_(DONTNEED), MEMORY_(DONTNEED)},
	[ADVISE_COLD] = {"cold", MEMORY_(COLD)},
	[ADVISE_PAGEOUT] = {"pageout", MEMORY_(PAGEOUT)},
	[ADVISE_POPULATE_READ] = {"populate-read", MEMORY_(POPULATE_READ)},
};

const char *advise_name(enum io_advice a)
{
	return advices[a].name;
}

int advise_of_name(const char *name)
{
	for (int i = 0; i < ADVISE_COUNT; i++)
		if (strcmp(advices[i].name, name) == 0)
			return i;
	return -1;
}

bool advise_is_of_file(enum io_advice a)
{
	return advices[a].file_name;
}

bool advise_is_of_memory(enum io_advice a)
{
	return advices[a].memory_name;
}

bool advise_ignores_range(enum io_advice a)
{
	return advices[a].whole;
}

bool advise_lasts(enum io_advice a)
{
	return advices[a].lasts;
}

char *hint_text(char *buf, size_t cap, const char *name, const struct io_hint *h)
{
	if (hint_is_whole(h))
		snprintf(buf, cap, "%s", name);
	else if (h->length == HINT_TO_END)
		snprintf(buf, cap, "%s %" PRIu64 "-", name, h->offset);
	else
		snprintf(buf, cap, "%s %" PRIu64 "-%" PRIu64, name, h->offset, h->offset + h->length);
	return buf;
}

const char *advise_file_name(enum io_advice a)
{
	return advices[a].file_name;
}

const char *advise_memory_name(enum io_advice a)
{
	return advices[a].memory_name;
}

int advise_file(int fd, const struct io_hint *h)
{
	/* 0 is to the end, and so is what reaches past the largest offset */
	off_t length = h->length > (uint64_t)INT64_MAX - h->offset ? 0 : (off_t)h->length;

	return -posix_fadvise(fd, (off_t)h->offset, length, advices[h->advice].file);
}

int advise_memory(void *at, uint64_t length, enum io_advice a)
{
	if (madvise(at, (size_t)length, advices[a].memory) == 0)
		return 0;
	return errno == EINVAL ? -EOPNOTSUPP : -errno;
}
