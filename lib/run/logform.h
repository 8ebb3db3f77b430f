/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms of the request log, as log.h describes them; for log.c alone. */
#pragma once

#include "base/outfile.h"
#include "run/log.h"

enum log_form { LOG_TEXT, LOG_CSV, LOG_BIN };

/* By the end of the name. */
enum log_form logform_of_name(const char *path);

void logform_header(enum log_form form, struct outfile *o);
void logform_record(enum log_form form, struct outfile *o, const struct log_record *r, unsigned job, unsigned play);
