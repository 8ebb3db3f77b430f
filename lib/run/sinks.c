/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/sinks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

static int open_file(struct sink *sink, struct fault *fault)
{
	int err;

	if (sink->is_log)
		return log_open(&sink->log, sink->name, fault);
	err = outfile_open(&sink->file, sink->name, fault);
	if (err < 0)
		return err;
	sink->file.despite_stop = true;
	json_init(&sink->json, &sink->file);
	return 0;
}

static int find(struct sinks *s, const char *name, bool is_log, struct sink **out, struct fault *fault)
{
	_cleanup_free_ struct sink *fresh = NULL;
	struct sink **more;
	int err;

	for (size_t i = 0; i < s->count; i++) {
		*out = s->sink[i];
		if ((*out)->is_log == is_log && strcmp((*out)->name, name) == 0)
			return 0;
	}
	more = reallocarray(s->sink, s->count + 1, sizeof(struct sink *));
	if (more)
		s->sink = more;
	fresh = calloc(1, sizeof(*fresh));
	if (!more || !fresh)
		return fault_set(fault, -ENOMEM, "no memory");
	*fresh = (struct sink){.name = name, .is_log = is_log, .file.fd = -1};
	err = open_file(fresh, fault);
	if (err < 0)
		return err;
	*out = s->sink[s->count++] = TAKE_PTR(fresh);
	return 0;
}

int sinks_log(struct sinks *s, const char *name, struct log **out, struct fault *fault)
{
	struct sink *sink;
	int err = find(s, name, true, &sink, fault);

	if (err == 0)
		*out = sink->log;
	return err;
}

int sinks_json(struct sinks *s, const char *name, struct json **out, struct fault *fault)
{
	struct sink *sink;
	int err = find(s, name, false, &sink, fault);

	if (err == 0)
		*out = &sink->json;
	return err;
}

const char *sinks_json_option(const struct sinks *s)
{
	return s->json_option ? s->json_option : "json";
}

int sinks_close(struct sinks *s, struct fault *fault)
{
	int first = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct sink *sink = s->sink[i];
		struct fault why = {0};
		int err = sink->is_log ? log_close(TAKE_PTR(sink->log), &why) : outfile_commit(&sink->file, &why);

		if (err < 0 && first == 0)
			first = fault_set(fault, err, "--%s: %s: %s", sink->is_log ? "log" : sinks_json_option(s),
					  sink->name, why.text);
	}
	sinks_abort(s);
	return first;
}

void sinks_abort(struct sinks *s)
{
	for (size_t i = 0; i < s->count; i++) {
		log_abort(s->sink[i]->log);
		outfile_abort(&s->sink[i]->file);
		free(s->sink[i]);
	}
	free(s->sink);
	*s = (struct sinks){.json_option = s->json_option};
}
