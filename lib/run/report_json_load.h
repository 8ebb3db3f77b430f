/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the document that says what was asked for: members "trace", "engine", "limits" and "load". */
#pragma once

#include "run/json.h"
#include "run/report.h"

void report_json_load(struct json *j, const struct report *r, const struct play_result *result);
