/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "base/units.h"

enum key { KEY_OP, KEY_OFFSET, KEY_LENGTH, KEY_TIME, KEY_FILE, KEY_COUNT };

static const char *const key_name[KEY_COUNT] = {"op", "offset", "length", "time", "file"};

/* A part of the expression, without a terminator. */
struct word {
	const char *s;
	size_t n;
};

static int refuse(struct word w, const char *why, struct fault *fault)
{
	char quoted[80];

	return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), w.s, w.n), why);
}

static int parse_ops(struct filter *f, struct word w, struct fault *fault)
{
	f->ops = 0;
	for (size_t i = 0; i < w.n; i++) {
		int op = op_of_letter(w.s[i]);

		if (op < 0)
			return refuse(w, "not letters of R W T S D", fault);
		f->ops |= 1u << op;
	}
	return f->ops ? 0 : refuse(w, "letters of R W T S D are missing", fault);
}

static int parse_number(enum key key, struct word w, unsigned shift, uint64_t *value, struct fault *fault)
{
	const char *why = NULL;
	int64_t ns;
	int err;

	if (key == KEY_FILE) {
		err = units_count(w.s, w.n, value, &why);
	} else if (key == KEY_TIME) {
		err = units_time(w.s, w.n, NS_PER_SEC, &ns, &why);
		*value = err ? 0 : (uint64_t)ns;
	} else {
		err = units_bytes(w.s, w.n, shift, value, &why);
	}
	return err < 0 ? refuse(w, why, fault) : 0;
}

static int parse_range(enum key key, struct word w, unsigned shift, struct filter_range *r, struct fault *fault)
{
	const char *dash = memchr(w.s, '-', w.n);
	struct word low = {w.s, dash ? (size_t)(dash - w.s) : w.n};
	struct word high = {dash ? dash + 1 : w.s, dash ? (size_t)(w.s + w.n - dash - 1) : w.n};
	bool half_open = dash && (key == KEY_OFFSET || key == KEY_TIME);
	int err = 0;

	*r = (struct filter_range){.max = UINT64_MAX};
	if (dash && !low.n && !high.n)
		return refuse(w, "a range needs a beginning or an end", fault);
	if (low.n || !dash)
		err = parse_number(key, low, shift, &r->min, fault);
	if (err == 0 && (high.n || !dash))
		err = parse_number(key, high, shift, &r->max, fault);
	if (err < 0)
		return err;
	if (half_open && high.n) {
		if (r->min >= r->max)
			return refuse(w, "the range is empty", fault);
		r->max--;
	}
	return r->min > r->max ? refuse(w, "the range is empty", fault) : 0;
}

static int parse_file(struct filter *f, struct word w, unsigned shift, struct fault *fault)
{
	if (w.n == 0)
		return refuse(w, "a number or a name is missing", fault);
	if ((w.s[0] >= '0' && w.s[0] <= '9') || w.s[0] == '-')
		return parse_range(KEY_FILE, w, shift, &f->file, fault);
	f->file_glob = strndup(w.s, w.n);
	return f->file_glob ? 0 : -ENOMEM;
}

static int parse_pair(struct filter *f, struct word pair, unsigned *seen, unsigned shift, struct fault *fault)
{
	const char *equals = memchr(pair.s, '=', pair.n);
	size_t n = equals ? (size_t)(equals - pair.s) : pair.n;
	struct word value = {pair.s + n + 1, equals ? pair.n - n - 1 : 0};
	unsigned key = 0;

	while (key < KEY_COUNT && (strlen(key_name[key]) != n || memcmp(pair.s, key_name[key], n) != 0))
		key++;
	if (key == KEY_COUNT || !equals)
		return refuse(pair, "not one of op=LETTERS offset=RANGE length=RANGE time=RANGE file=RANGE|GLOB",
			      fault);
	if (*seen & 1u << key)
		return refuse(pair, "comes twice", fault);
	*seen |= 1u << key;
	switch ((enum key)key) {
	case KEY_OP:
		return parse_ops(f, value, fault);
	case KEY_FILE:
		return parse_file(f, value, shift, fault);
	case KEY_OFFSET:
		return parse_range(KEY_OFFSET, value, shift, &f->offset, fault);
	case KEY_LENGTH:
		return parse_range(KEY_LENGTH, value, shift, &f->length, fault);
	case KEY_TIME:
	case KEY_COUNT:
		break;
	}
	f->has_time = true;
	return parse_range(KEY_TIME, value, shift, &f->time, fault);
}

int filter_parse(struct filter *f, const char *text, unsigned shift, struct fault *fault)
{
	const struct filter_range all = {.max = UINT64_MAX};
	_cleanup_(filter_fini) struct filter made = {
	    .ops = ~0u, .offset = all, .length = all, .time = all, .file = all};
	unsigned seen = 0;

	for (const char *next = text; next;) {
		const char *comma = strchr(next, ',');
		struct word pair = {next, comma ? (size_t)(comma - next) : strlen(next)};
		int err = parse_pair(&made, pair, &seen, shift, fault);

		if (err < 0)
			return err;
		next = comma ? comma + 1 : NULL;
	}
	*f = made;
	made.file_glob = NULL;
	return 0;
}

void filter_fini(struct filter *f)
{
	free(f->file_glob);
}

static bool in(struct filter_range r, uint64_t value)
{
	return value >= r.min && value <= r.max;
}

/* For each file of the trace: does its name match? */
static bool *match_names(const struct filter *f, const struct trace *t)
{
	bool *match = calloc(t->file_count + 1, sizeof(*match));

	for (uint32_t n = 0; match && n < t->file_count; n++)
		match[n] = t->files[n] && fnmatch(f->file_glob, t->files[n], 0) == 0;
	return match;
}

int filter_apply(const struct filter *f, struct trace *t)
{
	_cleanup_free_ bool *match = f->file_glob ? match_names(f, t) : NULL;
	size_t w = 0;

	if (f->file_glob && !match)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++) {
		struct req r = t->req[i];
		uint32_t file = t->file ? t->file[i] : 0;
		int64_t time = t->time ? t->time[i] : TIME_NONE;
		bool passes = f->ops >> req_op(r) & 1 && in(f->offset, req_offset(r)) && in(f->length, req_length(r)) &&
			      in(f->file, file) &&
			      (!f->has_time || (time != TIME_NONE && in(f->time, (uint64_t)time))) &&
			      (!match || (file < t->file_count && match[file]));

		if (passes)
			trace_put(t, w++, t, i);
		if (stop_polled(i))
			return -EINTR;
	}
	t->count = w;
	return 0;
}
