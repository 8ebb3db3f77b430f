/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report that iotrace --json wrote, as a run of a recording. */
#pragma once

#include "run/document.h"
#include "run/recording_forms.h"

/*
 * The object that d holds. Its phase is "play N", the Nth of the file. Facts: what it says of kernel, target, trace, engine, limits and load; figures:
 * all other numbers, by their names, and the counters of /proc/vmstat. 0 or -errno, as recording_parse().
 */
int recording_report(struct recording *r, const struct document *d, struct fault *fault);
