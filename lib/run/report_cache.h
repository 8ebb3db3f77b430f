/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of the page cache of a target. */
#pragma once

#include <stdio.h>

#include "io/residency.h"
#include "run/json.h"
#include "run/play.h"

/* The members pages, cached, dirty, writeback, evicted, recently_evicted (null where not told) and method. */
void report_residency_json(struct json *j, const struct residency *r);

/*
 * pages_before N           of all targets, cached before the first request
 * pages_after N            and after the last
 * read_bytes N             that the process had read from devices meanwhile
 * device_read_bytes N      that were read from the targets' device, by whomever
 * read_amplification N     as effect.h; each only where it is known
 */
void report_effect(FILE *f, const struct play_result *result);

/*
 * Under --hits:
 * hits N                   reads that were wholly cached
 * misses N miss_bytes N    others, and what of them was not cached (not told by faults)
 * hit_percent N
 *
 * hits_by METHOD: TRUST
 * latency_hit_ns ... latency_miss_ns ...       as report_time.h
 */
void report_hits(FILE *f, const struct play_result *result);
void report_hits_latency(FILE *f, const struct play_result *result);

/* The members hits (an object or null), latency_hit and latency_miss (histograms or null). */
void report_hits_json(struct json *j, const struct play_result *result);

/* The object "cache": the same, with all of before and after; what is not known is null. */
void report_effect_json(struct json *j, const struct play_result *result);
