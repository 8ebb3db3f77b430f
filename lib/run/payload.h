/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written, and what is found where it should be. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "run/play.h"

#define PAYLOAD_BLOCK 4096

/* A word of DATA_OFFSET: 8 bytes at a multiple of 8 of the target, their own offset in little endian. */
#define PAYLOAD_WORD 8

/*
 * Make buf (n bytes) ready to be written at offset. ready: nothing but this has filled it since it was made ready the
 * last time, for as many bytes or more and the same data; so zeros need not be written anew, and of random data only 8
 * bytes of each block.
 */
void payload_fill(char *buf, size_t n, enum play_data data, uint64_t offset, struct rng *rng, bool ready);

struct payload_bad {
	uint64_t words;   /* that are not (wholly) as they should be */
	uint64_t offset;  /* of the first one, a multiple of 8 */
	uint64_t value;   /* what it holds; bytes of it outside the n are taken as good */
};

/* Compare n bytes that were read at offset with DATA_OFFSET. */
void payload_check(const char *buf, size_t n, uint64_t offset, struct payload_bad *bad);
