/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of the page cache of a target. */
#pragma once

#include "io/residency.h"
#include "run/json.h"

/* The members pages, cached, dirty, writeback, evicted, recently_evicted (null where not told) and method. */
void report_residency_json(struct json *j, const struct residency *r);
