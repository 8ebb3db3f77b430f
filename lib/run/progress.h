/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line on standard error that shows how far a play is: percent, MB/s (MB = 2^20), time left. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_INTERVAL_NS INT64_C(500000000)
#define PROGRESS_TEXT 80

/*
 * The line without its control characters, in buf (PROGRESS_TEXT bytes). done: the part that is done, 0 to 1;
 * bytes: moved in elapsed_ns. Returns its length.
 */
size_t progress_format(char *buf, double done, uint64_t bytes, int64_t elapsed_ns);

/* Write the line over the one before. Errors of standard error are of no interest. */
void progress_show(double done, uint64_t bytes, int64_t elapsed_ns);

/* Erase the line. */
void progress_clear(void);
