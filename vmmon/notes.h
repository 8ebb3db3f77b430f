/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user should know of the columns before the first row, on standard error. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mon/column.h"

/*
 * Once for each column or field: that the kernel does not count it any more; that the name stands for a sum; and once
 * in all, that the interval is shorter than the time after which the kernel gathers such a field.
 */
void notes_tell(const struct columns *c, int64_t interval_ns);

/* Is a word that is no field the name of a program in PATH (or its path), so that "--" was probably forgotten? */
bool notes_is_program(const char *word);
