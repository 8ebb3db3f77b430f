/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Catch what goes to stdout or stderr, through a temporary file. One capture of each at a time. */
#pragma once

#include <stddef.h>
#include <stdio.h>

void capture_begin(FILE *f);

/* Give the stream back and what was written, cut to cap - 1 bytes and terminated. */
void capture_end(FILE *f, char *text, size_t cap);
