/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small files of /proc and /sys, which one read(2) gives whole. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file, or its first cap - 1 bytes, as a text. How many bytes, 0 when it is empty, or -errno; text then is "". */
ssize_t smallfile_read(const char *path, char *text, size_t cap);

/*
 * The decimal number behind word at the beginning of a line, with blanks, tabs or a colon between them; the first of
 * the file for "". SMALLFILE_NONE when there is no such file, line or number of 64 bits. At most SMALLFILE_TEXT bytes
 * are looked at.
 */
#define SMALLFILE_TEXT 8192
#define SMALLFILE_NONE UINT64_MAX
uint64_t smallfile_number(const char *path, const char *word);
