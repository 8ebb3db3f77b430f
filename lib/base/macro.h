/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes and small macros that every file may use.
 *
 * Ownership of a local is written where it is declared: _cleanup_(f) calls f(&local) when the local goes
 * out of scope. A function that hands the object out takes it with TAKE_PTR or TAKE_FD as its last act.
 * One function never mixes the attribute with a release by hand of the same object.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _printf_(fmt, first) __attribute__((format(printf, fmt, first)))
#define _must_check_ __attribute__((warn_unused_result))
#define _unused_ __attribute__((unused))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* The value of a variable, which is emptied: the caller owns it now. */
#define TAKE_PTR(p)                         \
	__extension__({                     \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

static inline int take_fd_(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}
#define TAKE_FD(fd) take_fd_(&(fd))

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_ _cleanup_(freep)
#define _cleanup_close_ _cleanup_(closep)
#define _cleanup_fclose_ _cleanup_(fclosep)

/* The page of the trace format and of all page counts: 4096 bytes, on every machine. */
#define PAGE_SHIFT 12
#define PAGE_BYTES (UINT64_C(1) << PAGE_SHIFT)
