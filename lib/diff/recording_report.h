/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report that iotrace --json wrote, as a run of a recording. */
#pragma once

#include "diff/recording_forms.h"

struct json_t; /* of jansson */

/*
 * An object, which begins on that line. Its phase is "play N", the Nth of the file. Facts: what it says of kernel,
 * target, trace, engine, limits and load; figures: all other numbers, by their names, and the counters of /proc/vmstat.
 * 0 or -errno, as recording_parse().
 */
int recording_report(struct recording *r, struct json_t *report, uint64_t line, struct fault *fault);

/* recording_tell() of any value, as JSON, a string without its quotes. 0 or -ENOMEM. */
int recording_tell_json(struct recording *r, const char *name, const struct json_t *value);
