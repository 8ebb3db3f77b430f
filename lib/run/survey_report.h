/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a survey of a trace says, for people and for programs. Described in iotrace(1). */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "run/json.h"
#include "trace/survey.h"

/*
 * The smallest LRU cache, in pages and at least 1, in which only first touches miss: one more than the largest
 * distance. About right when sampled.
 */
uint64_t survey_cache_needed(const struct survey *s);

/*
 * One "name value" a line, then lines of histograms: "size FROM TO REQUESTS PERCENT" in bytes, "seek" likewise
 * (negative is backwards), "reuse FROM TO TOUCHES PERCENT" in pages, and the miss ratio, "cache BYTES PERCENT", for
 * sizes that are powers of two.
 */
int survey_print(FILE *f, const struct survey *s);

/* The same as one object under a key. 0 or -ENOMEM. */
int survey_json(struct json *j, const char *key, const struct survey *s);
