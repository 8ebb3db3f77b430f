/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a request of the trace came from, for errors that are found when its line is long read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "run/step.h"

struct origin {
	const char *file;         /* of a step; borrowed from it */
	uint64_t line;            /* from 1 */
};

/*
 * Find the line of request number (from 1) of the trace as it stands before step s, by reading the input again. False
 * when that cannot be told: a step before has made the request or may have moved it to another number, the input is no
 * plain file or has no lines, or a signal came.
 */
bool origin_find(struct origin *o, const struct program *p, const struct step *s, uint64_t number);
