/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/recording_report.h"

#include <errno.h>
#include <float.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/field.h"

#define NAME 160 /* bytes of a path of names */

struct reader {
	struct recording *to;
	json_t *report;
	char phase[32];
	struct fault *fault;
	uint64_t line;
};

/* Objects of circumstances; "ops" and the like are figures. */
static const char *const circumstances[] = {"target", "trace", "engine", "limits", "load"};

/* What identifies a run, repeats another figure, or is of the tool and not of the play. */
static const char *const left_out[] = {
    "schema",	   "tool",	 "version",   "command", "kernel",   "start_unix_ns", "play",	   "run",
    "runs",	   "seed",	 "ended_by",  "signal",	 "failure",  "errnos",	      "first_bad", "log",
    "jobs",	   "repeat",	 "vmstat",    "requests", "bytes",   "loops",	      "count",	   "sum",
    "clock_drift_ppb", "timed",	 "buckets",   "min",	 "cache_left_pages",
};

int recording_tell_json(struct recording *r, const char *name, const json_t *value)
{
	_cleanup_free_ char *dump = NULL;
	char number[32];
	size_t n;

	/* an integer that was read as a double looks like one again */
	if (json_is_real(value)) {
		n = (size_t)snprintf(number, sizeof(number), "%.*g", DBL_DIG, json_real_value(value));
		return recording_tell(r, name, number, n);
	}
	dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	if (!dump)
		return -ENOMEM;
	n = strlen(dump);
	return json_is_string(value) ? recording_tell(r, name, dump + 1, n - 2) : recording_tell(r, name, dump, n);
}

static bool is_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* "engine.depth"; false: too long to be one of ours. */
static bool join(char *out, const char *prefix, const char *name)
{
	return snprintf(out, NAME, "%s%s%s", prefix, prefix[0] ? "." : "", name) < NAME;
}

static int tell(struct reader *r, const char *prefix, json_t *parent)
{
	const char *key;
	json_t *value;
	char name[NAME];
	int err = 0;

	json_object_foreach(parent, key, value) {
		/* an array as it stands: of words or processors */
		if (!is_of(key, left_out, ARRAY_SIZE(left_out)) && !json_is_object(value) && join(name, prefix, key))
			err = recording_tell_json(r->to, name, value);
		if (err)
			break;
	}
	return err;
}

static int tell_all(struct reader *r)
{
	static const char *const top[] = {"version", "kernel", "seed", "ended_by"};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(top) && !err; i++) {
		const json_t *value = json_object_get(r->report, top[i]);

		/* of which nothing was drawn, a seed is no circumstance */
		if (json_is_false(json_object_get(r->report, "seed_used")) && strcmp(top[i], "seed") == 0)
			continue;
		if (value)
			err = recording_tell_json(r->to, top[i], value);
	}
	/* a trace of requests and bytes is told as such */
	for (size_t i = 0; i < ARRAY_SIZE(circumstances) && !err; i++)
		err = tell(r, circumstances[i], json_object_get(r->report, circumstances[i]));
	return err;
}

static int add(struct reader *r, const char *name, const char *unit, double value, double events)
{
	struct figure *f;

	return recording_add(r->to, r->phase, name, FIGURE_LEVEL, unit, value, events, &f);
}

/* Times are told in seconds, those of single requests in microseconds; what else there is, is counted. */
static int add_number(struct reader *r, const char *path, double value, bool latency)
{
	char name[NAME];
	size_t n = strlen(path);

	if (latency)
		return add(r, path, "us", value / (double)NS_PER_USEC, -1);
	if (n <= 3 || (strcmp(path + n - 3, "_ns") != 0 && strcmp(path + n - 3, ".ns") != 0))
		return add(r, path, "", value, value >= 0 && !strstr(path, "ppm") ? value : -1);
	snprintf(name, sizeof(name), "%.*s", (int)(n - 3), path);
	return add(r, name, "s", value / (double)NS_PER_SEC, -1);
}

/* The numbers below an object; those of times of requests are in the objects of a histogram, which has a "p50". */
static int walk(struct reader *r, const char *prefix, json_t *parent)
{
	bool latency = json_object_get(parent, "p50") != NULL;
	const char *key;
	json_t *value;
	char name[NAME];
	int err = 0;

	json_object_foreach(parent, key, value) {
		bool wrapper = strcmp(key, "ops") == 0;

		if (is_of(key, left_out, ARRAY_SIZE(left_out)) || is_of(key, circumstances, ARRAY_SIZE(circumstances)))
			continue;
		if (!join(name, prefix, key))
			continue;
		if (json_is_number(value))
			err = add_number(r, name, json_number_value(value), latency);
		else if (json_is_object(value))
			err = walk(r, wrapper ? prefix : name, value);
		if (err)
			break;
	}
	return err;
}

static int rates(struct reader *r)
{
	const json_t *elapsed = json_object_get(r->report, "elapsed_ns");
	const json_t *requests = json_object_get(r->report, "requests"), *bytes = json_object_get(r->report, "bytes");
	double seconds;
	int err = 0;

	if (!json_is_number(elapsed) || !json_is_number(requests) || !json_is_number(bytes))
		return fault_set_line(r->fault, -EINVAL, r->line,
				      "a report without \"elapsed_ns\", \"requests\" or \"bytes\"");
	seconds = json_number_value(elapsed) / (double)NS_PER_SEC;
	err = add(r, "elapsed", "s", seconds, -1);
	if (!err && seconds > 0)
		err = add(r, "MB/s", "", json_number_value(bytes) / (1 << 20) / seconds, -1);
	if (!err && seconds > 0)
		err = add(r, "requests/s", "", json_number_value(requests) / seconds, -1);
	return err;
}

/* From the one to the other; integers exactly. */
static double difference(const json_t *begin, const json_t *end)
{
	json_int_t exact;

	if (json_is_integer(begin) && json_is_integer(end) &&
	    !__builtin_sub_overflow(json_integer_value(end), json_integer_value(begin), &exact))
		return (double)exact;
	return json_number_value(end) - json_number_value(begin);
}

/* What the counters counted meanwhile; of a gauge its two ends say little. */
static int vmstat(struct reader *r)
{
	json_t *counters = json_object_get(r->report, "vmstat"), *pair;
	const char *name;
	int err = 0;

	json_object_foreach(counters, name, pair) {
		const json_t *begin = json_array_get(pair, 0), *end = json_array_get(pair, 1);
		double n;

		if (!json_is_number(begin) || !json_is_number(end) || field_class_of(name) != FIELD_COUNTER)
			continue;
		n = difference(begin, end);
		if (n >= 0)
			err = add(r, name, "", n, n);
		if (err)
			break;
	}
	return err;
}

int recording_report(struct recording *to, json_t *report, uint64_t line, struct fault *fault)
{
	struct reader r = {.to = to, .report = report, .fault = fault, .line = line};
	const json_t *number = json_object_get(report, "play");
	double play = json_is_number(number) ? json_number_value(number) : 1;
	int err;

	/* the plays of one command line may be in files of their own, and are compared by their place there */
	if (to->plays == 0 || play < to->play || play > to->play)
		to->plays++;
	to->play = play;
	snprintf(r.phase, sizeof(r.phase), "play %u", to->plays);
	err = rates(&r);
	if (!err)
		err = walk(&r, "", report);
	if (!err)
		err = vmstat(&r);
	if (!err)
		err = tell_all(&r);
	to->runs++;
	return recording_fault(fault, err, line);
}
