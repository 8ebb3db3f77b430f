/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that plays write beside their report: request logs (--log) and reports for programs (--json). All plays that
 * name a file share it. It is opened by the first of them and takes its name at the end of the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/outfile.h"
#include "run/json.h"
#include "run/log.h"

struct sink {
	const char *name;      /* borrowed */
	bool is_log;
	struct log *log;
	struct outfile file;   /* of JSON, as the next */
	struct json json;
};

/* All zero is empty. */
struct sinks {
	struct sink **sink;    /* each in its own memory, so that pointers into it stay valid */
	size_t count;
	const char *json_option; /* what the option is called; NULL: "json" */
};

/* What users call the option of reports, without the dashes. */
const char *sinks_json_option(const struct sinks *s);

/* Open the file of that name, or find it open. 0 and *out, or -errno with the text (without the name). */
int sinks_log(struct sinks *s, const char *name, struct log **out, struct fault *fault);
int sinks_json(struct sinks *s, const char *name, struct json **out, struct fault *fault);

/*
 * Write all out and close. 0, or the -errno of the first failure with the text, which begins with the option and the
 * name; the others are closed all the same.
 */
int sinks_close(struct sinks *s, struct fault *fault);

/* Drop what is open; the name of the option stays. */
void sinks_abort(struct sinks *s);
