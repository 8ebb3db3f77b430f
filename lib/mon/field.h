/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of vmstat fields: gauge or counter, unit, and what became of old names. One table, field.c,
 * with the rule for names it does not list (valid for names that no table has heard of).
 */
#pragma once

#include <stddef.h>

enum field_class { FIELD_GAUGE, FIELD_COUNTER, FIELD_CONSTANT };

/* By the rule: nr_* is a gauge with exceptions, everything else a counter with exceptions. */
enum field_class field_class_of(const char *name);
const char *field_class_name(enum field_class c);

/* "pages", "KiB", "events", "huge pages", "bytes". */
const char *field_unit(const char *name);

/* What became of a name that this kernel lacks, one sentence; NULL when nothing is known. */
const char *field_history(const char *name);

/* Edit distance for "did you mean": small is near. */
unsigned field_distance(const char *a, const char *b);
