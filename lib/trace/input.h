/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of an input, whatever it is: a file, a pipe, a terminal, standard input, or memory.
 *
 * gzip, zstd, xz and lz4 are told by their first bytes, never by a name, and come out unpacked. Everything streams:
 * memory does not grow with the input. Plain input goes from read(2) into the caller's buffer, without a copy but for
 * the first few bytes. Damaged or cut-off packing is an error, also when the check sum alone tells.
 *
 * A struct input belongs to one thread at a time.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/fault.h"

struct input;

/*
 * Open path; "-" is standard input. May wait for the first bytes of a pipe. 0 and *out, or -errno with the text
 * (without the name): -EISDIR, -ENOMEM, another of open(2) or read(2), -EINTR as below.
 */
int input_open(struct input **out, const char *path, struct fault *fault);

/* The same for a descriptor, which is borrowed. */
int input_of_fd(struct input **out, int fd, struct fault *fault);

/*
 * The same two for a reader that another thread may send home: once *cancel (borrowed; NULL: never) is true, opening
 * and reading return -ECANCELED, within INPUT_CANCEL_MSEC when they wait for a pipe.
 */
#define INPUT_CANCEL_MSEC 50
int input_open_until(struct input **out, const char *path, const atomic_bool *cancel, struct fault *fault);
int input_of_fd_until(struct input **out, int fd, const atomic_bool *cancel, struct fault *fault);

/* The same for n bytes of memory, which are borrowed. */
int input_of_memory(struct input **out, const void *data, size_t n, struct fault *fault);

/*
 * Up to n bytes (n > 0) into buf. Returns how many, 0 at the end (also when asked again), or -errno with the text:
 * -EINVAL for packed data that are damaged or cut off, -EINTR when stop_signal() was set meanwhile, another from read(2).
 */
ssize_t input_read(struct input *in, void *buf, size_t n, struct fault *fault);

/* "gzip", "zstd", "xz", "lz4", or NULL for plain input. */
const char *input_packing(const struct input *in);

/* NULL does no harm. */
void input_free(struct input *in);
void input_freep(struct input **in);
