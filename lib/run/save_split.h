/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace saved as several: one a file of the trace, or one a job that would play it (--split-by). The number of the
 * file or job stands behind the name, before ".bin": "out.0", "out.0.bin". Those without requests are not written.
 * Numbers of files are kept.
 */
#pragma once

#include "base/fault.h"
#include "run/step.h"

/* To be called before any I/O: 0 or -errno with the text. */
int save_split_check(struct program *p, const struct step *s, struct fault *fault);

/* 0 or -errno with the text; what is complete by then stays. */
int save_split(const struct program *p, const struct step *s, struct fault *fault);
