/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/area.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

int area_reserve(struct area *a, size_t length)
{
	/* reach: what a page of a page table maps, by entries of 8 bytes */
	size_t page = (size_t)sysconf(_SC_PAGESIZE), reach = page / 8 * page, size;
	char *at;

	*a = AREA_NONE;
	if (length > SIZE_MAX / 2)
		return -ENOMEM;
	size = page + reach + round_up(length, reach) + page;
	at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -ENOMEM;
	*a = (struct area){.base = at + (round_up((uintptr_t)at + page, reach) - (uintptr_t)at),
			   .reserved = at,
			   .reserved_length = size};
	return 0;
}

void area_release(struct area *a)
{
	if (a->base)
		munmap(a->reserved, a->reserved_length);
	*a = AREA_NONE;
}
