/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place for private anonymous memory of which the kernel keeps nothing together with other memory of the process.
 *
 * Side by side, two mappings of that kind become one (vma_merge_new_range() in mm/vma.c), and whoever faults in either
 * counts in and out of the one lock of both (vma_start_read() in mm/mmap_lock.c): a tenth more for a fault of two
 * threads. Within the reach of one page of a page table they share the lock of that page. And whether they lie so is
 * decided by which thread came first. So an area begins where a page table does, has its page tables for itself, and on
 * either side a page that cannot be accessed. This costs addresses, and no memory.
 */
#pragma once

#include <stddef.h>

struct area {
	char *base;             /* NULL: none */
	char *reserved;         /* with what is around it */
	size_t reserved_length;
};

#define AREA_NONE ((struct area){.base = NULL})

/*
 * Reserve length bytes, whole pages, at a->base, for the caller to map over: until then they cannot be accessed, and
 * count for nothing but RLIMIT_AS. 0, or -ENOMEM and *a is AREA_NONE.
 */
int area_reserve(struct area *a, size_t length);

/* Unmap it with all that was mapped over it; nothing for AREA_NONE. */
void area_release(struct area *a);
