/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "import/importer.h"

#define FILES_SHOWN 12

/* Text that grows in a buffer and is cut at its end. */
struct text {
	char *buf;
	size_t at, cap;
};

_printf_(2, 3) static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->at, t->cap - t->at, fmt, ap);
	va_end(ap);
	t->at = MIN(t->at + (size_t)MAX(n, 0), t->cap - 1);
}

/* The count, and a text in which {ONE|MANY} is the one or the other by it. */
static void add_counted(struct text *t, uint64_t count, const char *text)
{
	add(t, "%" PRIu64 " ", count);
	while (*text) {
		size_t n = strcspn(text, "{");
		size_t one = text[n] ? strcspn(text + n, "|") : 0, both = text[n] ? strcspn(text + n, "}") : 0;

		add(t, "%.*s", (int)n, text);
		text += n;
		if (!both)
			return;
		if (count == 1)
			add(t, "%.*s", (int)one - 1, text + 1);
		else
			add(t, "%.*s", (int)(both - one) - 1, text + one + 1);
		text += both + 1;
	}
}

static void add_seconds(struct text *t, int64_t ns)
{
	if (ns < NS_PER_SEC)
		add(t, "0.%06" PRId64 " s", ns / NS_PER_USEC);
	else
		add(t, "%" PRId64 ".%03" PRId64 " s", ns / NS_PER_SEC, ns % NS_PER_SEC / NS_PER_MSEC);
}

/* Requests per second, INT64_MAX when no time passed. */
static int64_t rate_of(const struct import_summary *s)
{
	return s->span ? (int64_t)((double)s->requests * 1e9 / (double)s->span) : INT64_MAX;
}

void import_get_summary(const struct import *imp, struct import_summary *out)
{
	*out = imp->sum;
	out->span = imp->sum.timed ? (int64_t)((uint64_t)imp->latest - (uint64_t)imp->earliest) : 0;
}

static void add_ops(struct text *t, const uint64_t *ops)
{
	const char *separator = "";

	for (int op = 0; op < OP_COUNT; op++) {
		if (!ops[op])
			continue;
		add(t, "%s%" PRIu64 " %s", separator, ops[op], op_name((enum op)op));
		separator = ", ";
	}
}

char *import_summary_line(const struct import_summary *s, char *buf, size_t cap)
{
	struct text t = {.buf = buf, .cap = cap};

	add(&t, "%s%s%s: ", s->format, s->packing ? ", " : "", s->packing ? s->packing : "");
	add_counted(&t, s->requests, "{request|requests}");
	if (!s->requests)
		return buf;
	add(&t, " (");
	add_ops(&t, s->ops);
	add(&t, "), %" PRIu64 " bytes, offsets %" PRIu64 " to %" PRIu64, s->bytes, s->begin, s->end);
	if (!s->timed) {
		add(&t, ", no times");
		return buf;
	}
	add(&t, ", ");
	add_seconds(&t, s->span);
	if (s->span)
		add(&t, ", %" PRId64 " requests/s", rate_of(s));
	return buf;
}

static void add_name(struct text *t, const struct name *e)
{
	char quoted[64];

	fault_quote(quoted, sizeof(quoted), e->text, e->length);
	add(t, "%s (%" PRIu64 ")", quoted, e->requests);
}

/* More than one file has requests: they are one pattern only to who knows that. */
static bool remark_files(const struct import *imp, struct text *t)
{
	unsigned shown = 0;

	if (imp->sum.files < 2)
		return false;
	add(t, "%" PRIu64 " files or devices are in it, told apart by their column (--path chooses):", imp->sum.files);
	for (uint32_t i = 0; i < imp->names.count && shown < FILES_SHOWN; i++) {
		if (!imp->names.name[i].requests)
			continue;
		add(t, "%s ", shown++ ? "," : "");
		add_name(t, &imp->names.name[i]);
	}
	if (imp->sum.files > shown)
		add(t, ", and %" PRIu64 " more", imp->sum.files - shown);
	return true;
}

/* Nothing was chosen: show what could have been. */
static bool remark_unwanted(const struct import *imp, struct text *t)
{
	unsigned shown = 0;

	if (!imp->sum.other_files)
		return false;
	add_counted(t, imp->sum.other_files, "{request|requests} of other files or devices {is|are} left out");
	for (uint32_t i = 0; !imp->sum.requests && i < imp->names.count && shown < FILES_SHOWN; i++) {
		char quoted[64];

		if (imp->names.name[i].choice == NAME_UNWANTED)
			add(t, "%s %s", shown++ ? "," : ":",
			    fault_quote(quoted, sizeof(quoted), imp->names.name[i].text, imp->names.name[i].length));
	}
	return true;
}

static bool remark_left_out(const struct import *imp, struct text *t)
{
	uint64_t all = 0;

	for (int op = 0; op < OP_COUNT; op++)
		all += imp->sum.left_out[op];
	if (!all)
		return false;
	add(t, "left out: ");
	add_ops(t, imp->sum.left_out);
	add(t, " (--import-ops all takes them in)");
	return true;
}

static bool remark_backwards(const struct import *imp, struct text *t)
{
	if (!imp->sum.backwards)
		return false;
	add_counted(t, imp->sum.backwards,
		    "{time lies before the time in front of it|times lie before the time in front of them}");
	if (imp->clipped) {
		add(t, "; ");
		add_counted(t, imp->clipped, "{lies|lie} before the first and became 0 (--sort time keeps {it|them})");
	}
	return true;
}

/* A trace that lasts for days at a few requests a second, or brings millions of them a second, is seldom meant. */
static bool remark_unit(const struct import *imp, struct text *t)
{
	struct import_summary s;
	int64_t rate;

	import_get_summary(imp, &s);
	rate = rate_of(&s);
	if (!s.timed || !s.span || s.requests < 10)
		return false;
	if (s.span > 24 * 3600 * NS_PER_SEC && rate < 10) {
		add(t, "%" PRId64 " days at %" PRId64 " requests/s: is the unit of the times right?",
		    s.span / (24 * 3600 * NS_PER_SEC), rate);
		return true;
	}
	if (rate < 20000000)
		return false;
	add(t, "%" PRId64 " requests/s: is the unit of the times right?", rate);
	return true;
}

static bool remark_bad(const struct import *imp, struct text *t)
{
	if (!imp->sum.bad)
		return false;
	add_counted(t, imp->sum.bad,
		    "{line is left out because it|lines are left out because they} could not be understood");
	add(t, "%s", imp->sum.bad > IMPORT_ODD ? ", the first of them:" : ":");
	return true;
}

bool import_remark(const struct import *imp, size_t i, char *buf, size_t cap)
{
	static bool (*const remark[])(const struct import *, struct text *) = {
	    remark_files, remark_unwanted, remark_left_out, remark_backwards, remark_unit,
	};
	struct text t = {.buf = buf, .cap = cap};

	buf[0] = '\0';
	for (size_t r = 0; r < ARRAY_SIZE(remark); r++) {
		if (remark[r](imp, &t) && i-- == 0)
			return true;
		t.at = 0;
	}
	for (size_t n = 0; n < IMPORT_NOTES && imp->note[n].text; n++) {
		if (i-- != 0)
			continue;
		add_counted(&t, imp->note[n].count, imp->note[n].text);
		return true;
	}
	if (remark_bad(imp, &t) && i-- == 0)
		return true;
	t.at = 0;
	if (i >= MIN(imp->sum.bad, IMPORT_ODD))
		return false;
	if (imp->sum.odd[i].line)
		add(&t, "line %" PRIu64 ": ", imp->sum.odd[i].line);
	add(&t, "%s", imp->sum.odd[i].text);
	return true;
}
