/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Was the timing of a play kept? In words, for people. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "run/play.h"

#define VERDICT_TEXT 256

/*
 * True and "timing valid: p99 lag 80 us, median gap 1000 us" when 99 % of the requests were issued later than due by
 * less than the median gap between requests (the mean gap where most are due together), and the last one not too late
 * by more than 1 % of the whole time and 1 ms. Else false and "timing lost: ..." with what was lost, or "timing
 * unknown: ..." when there was no request to judge by. What was never issued, and what had no time, is told in both.
 * text holds VERDICT_TEXT bytes.
 */
bool verdict_of(const struct play_fidelity *f, char *text);

/* Issued over due time of the whole; 1 where there is nothing to divide. */
double verdict_stretch(const struct play_fidelity *f);
