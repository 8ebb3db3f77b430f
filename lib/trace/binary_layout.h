/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things stand in a binary trace. Private to its reader and writer. */
#pragma once

#include "trace/binary.h"

extern const size_t binary_element[BINARY_COLUMNS]; /* bytes of one */

/* More requests than any file can hold. */
#define BINARY_COUNT_MAX (UINT64_C(1) << 56)

/*
 * Fill in size, at and tail from count, columns, names and comment. What stands at the end, one sum for each block of
 * each array, begins behind the comment at the next multiple of 8. Returns where.
 */
uint64_t binary_lay_out(struct binary_header *h);

static inline uint64_t binary_blocks(uint64_t count)
{
	return count / BINARY_BLOCK + (count % BINARY_BLOCK != 0);
}

static inline uint64_t binary_round(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}
