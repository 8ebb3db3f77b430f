/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What input.c and the unpackers agree on. gzip has one of its own, because libarchive (3.6) takes gzip data without
 * looking at their check sum; the others verify theirs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"

#define UNPACK_BUF (1u << 16)

/* Packed bytes: up to n into buf, 0 at the end, -errno with the text. */
struct packed {
	ssize_t (*read)(void *ctx, void *buf, size_t n, struct fault *fault);
	void *ctx;
};

struct unpacker {
	int (*open)(void **state, const struct packed *from, struct fault *fault);
	ssize_t (*read)(void *state, void *buf, size_t n, struct fault *fault);
	void (*close)(void *state);
};

extern const struct unpacker unpack_gzip;
extern const struct unpacker unpack_archive;
