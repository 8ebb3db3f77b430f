/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel files of other forms as lines of "name number". They take n bytes of any text and write at most SOURCE_LINES
 * bytes to lines, whole lines only; fields that are not there, or no numbers, have no line. They return the length.
 * Pure.
 */
#pragma once

#include <stddef.h>

/* SYS/class/block/DISK/stat: "read_bytes 8192" for sectors of 512 bytes. */
size_t rewrite_disk(const char *text, size_t n, char *lines);

/* PROC/pressure/R: "some:avg10 12" for 0.12 (hundredths), "some:total 3456" (microseconds). */
size_t rewrite_pressure(const char *text, size_t n, char *lines);

/* PROC/PID/stat: the fields for users, "utime 120" in milliseconds. */
size_t rewrite_process(const char *text, size_t n, char *lines);
