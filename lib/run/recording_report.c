/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/recording_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/field.h"

#define NAME 160 /* bytes of a path of names */

struct reader {
	struct recording *to;
	const struct document *d;
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

static bool is_of(const struct document_node *node, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (node->name && node->name_length == strlen(names[i]) &&
		    memcmp(node->name, names[i], node->name_length) == 0)
			return true;
	return false;
}

/* "engine.depth"; false: too long to be one of ours. */
static bool join(char *out, const char *prefix, const struct document_node *node)
{
	int n = snprintf(out, NAME, "%s%s%.*s", prefix, prefix[0] ? "." : "",
			 (int)MIN(node->name_length, (size_t)NAME), node->name);

	return n < NAME;
}

static int tell(struct reader *r, const char *prefix, const struct document_node *parent)
{
	const struct document_node *node;
	char name[NAME];
	size_t at = 0;
	int err = 0;

	while (!err && (node = document_child(r->d, parent, &at)) != NULL) {
		/* an array as it stands: of words or processors */
		if (node->name && !is_of(node, left_out, ARRAY_SIZE(left_out)) && node->type != DOCUMENT_OBJECT &&
		    join(name, prefix, node))
			err = recording_tell(r->to, name, node->text, node->length);
	}
	return err;
}

static int tell_all(struct reader *r)
{
	static const char *const top[] = {"version", "kernel", "seed", "ended_by"};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(top) && !err; i++) {
		const struct document_node *node = document_member(r->d, r->d->node, top[i]);

		if (node)
			err = recording_tell(r->to, top[i], node->text, node->length);
	}
	for (size_t i = 0; i < ARRAY_SIZE(circumstances) && !err; i++) {
		const struct document_node *node = document_typed(r->d, r->d->node, circumstances[i], DOCUMENT_OBJECT);

		/* a trace of requests and bytes is told as such */
		if (node)
			err = tell(r, circumstances[i], node);
	}
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
static int walk(struct reader *r, const char *prefix, const struct document_node *parent)
{
	bool latency = document_member(r->d, parent, "p50") != NULL;
	const struct document_node *node;
	char name[NAME];
	size_t at = 0;
	int err = 0;

	while (!err && (node = document_child(r->d, parent, &at)) != NULL) {
		bool wrapper = node->name_length == 3 && memcmp(node->name, "ops", 3) == 0;

		if (is_of(node, left_out, ARRAY_SIZE(left_out)) || is_of(node, circumstances, ARRAY_SIZE(circumstances)))
			continue;
		if (!join(name, prefix, node))
			continue;
		if (node->type == DOCUMENT_NUMBER)
			err = add_number(r, name, node->number, latency);
		else if (node->type == DOCUMENT_OBJECT)
			err = walk(r, wrapper ? prefix : name, node);
	}
	return err;
}

static int rates(struct reader *r)
{
	const struct document_node *top = r->d->node;
	const struct document_node *elapsed = document_typed(r->d, top, "elapsed_ns", DOCUMENT_NUMBER);
	const struct document_node *requests = document_typed(r->d, top, "requests", DOCUMENT_NUMBER);
	const struct document_node *bytes = document_typed(r->d, top, "bytes", DOCUMENT_NUMBER);
	double seconds;
	int err = 0;

	if (!elapsed || !requests || !bytes)
		return fault_set_line(r->fault, -EINVAL, top->line,
				      "a report without \"elapsed_ns\", \"requests\" or \"bytes\"");
	seconds = elapsed->number / (double)NS_PER_SEC;
	err = add(r, "elapsed", "s", seconds, -1);
	if (!err && seconds > 0)
		err = add(r, "MB/s", "", bytes->number / (1 << 20) / seconds, -1);
	if (!err && seconds > 0)
		err = add(r, "requests/s", "", requests->number / seconds, -1);
	return err;
}

/* What the counters counted meanwhile; of a gauge its two ends say little. */
static int vmstat(struct reader *r)
{
	const struct document_node *counters = document_typed(r->d, r->d->node, "vmstat", DOCUMENT_OBJECT), *node;
	size_t at = 0;
	int err = 0;

	while (counters && !err && (node = document_child(r->d, counters, &at)) != NULL) {
		_cleanup_free_ char *name = document_text(node->name, node->name_length);
		size_t within = 0;
		const struct document_node *begin = document_child(r->d, node, &within);
		const struct document_node *end = begin ? document_child(r->d, node, &within) : NULL;
		double n;

		if (!name)
			return -ENOMEM;
		if (!end || begin->type != DOCUMENT_NUMBER || end->type != DOCUMENT_NUMBER ||
		    field_class_of(name) != FIELD_COUNTER)
			continue;
		n = end->number - begin->number;
		if (n >= 0)
			err = add(r, name, "", n, n);
	}
	return err;
}

int recording_report(struct recording *to, const struct document *d, struct fault *fault)
{
	struct reader r = {.to = to, .d = d, .fault = fault};
	const struct document_node *node = document_typed(d, d->node, "play", DOCUMENT_NUMBER);
	double play = node ? node->number : 1;
	int err;

	/* the plays of one command line may be in files of their own, and are compared by their place there */
	if (to->plays == 0 || play < to->play || play > to->play)
		to->plays++;
	to->play = play;
	snprintf(r.phase, sizeof(r.phase), "play %u", to->plays);
	err = rates(&r);
	if (!err)
		err = walk(&r, "", d->node);
	if (!err)
		err = vmstat(&r);
	if (!err)
		err = tell_all(&r);
	to->runs++;
	return recording_fault(fault, err, d->node->line);
}
