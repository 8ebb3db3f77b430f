/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What vmmon tells at the end. */
#pragma once

#include "mon/sampler.h"

/*
 * Write the tables of all runs of a sampler that has stopped to fd, and under repeats what they have in common. what: how a run is
 * called, "play" or "run". Returns the exit status.
 */
int summary_write(struct sampler *s, const char *what, bool repeats, int fd);
