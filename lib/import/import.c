/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"
#include "import/importer.h"
#include "import/layout.h"
#include "import/scan.h"

static const struct importer *const importers[] = {
    &import_fio,     &import_blkparse, &import_blktrace, &import_strace,  &import_ftrace, &import_spc, &import_msr,
    &import_alibaba, &import_tencent,  &import_systor,	 &import_disksim, &import_fiu,	  &import_csv,
};

const char *import_format(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(importers))
		return NULL;
	*help = importers[i]->help;
	return importers[i]->name;
}

const struct importer *import_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(importers); i++)
		if (strcmp(importers[i]->name, name) == 0)
			return importers[i];
	return NULL;
}

static int check_event(const struct import_options *o, struct fault *fault)
{
	static const char *const known[] = {"Q", "D", "C", "add", "get", "map", "fault"};
	const char *at = o->event;

	while (at) {
		size_t n = strcspn(at, ","), i;

		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (strlen(known[i]) == n && memcmp(known[i], at, n) == 0)
				break;
		if (i == ARRAY_SIZE(known) || (i < 3 && strlen(o->event) > 1))
			return fault_set(fault, -EINVAL,
					 "--event is one of Q D C, or of add,get,map,fault for ftrace, not '%s'",
					 o->event);
		at = at[n] ? at + n + 1 : NULL;
	}
	return 0;
}

int import_check(const struct import_options *o, struct fault *fault)
{
	struct layout layout;
	int r;

	if (strcmp(o->format, "auto") != 0 && !import_kind(o->format))
		return fault_set(fault, -EINVAL, "'%s' is no format that can be imported", o->format);
	r = check_event(o, fault);
	if (r)
		return r;
	return o->csv_columns ? layout_parse(o->csv_columns, &layout, fault) : 0;
}

int import_inode(struct import_options *o, const char *text, struct fault *fault)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	size_t n = strlen(text);
	const char *why = "not a hex number of at most 64 bits";
	char quoted[64];

	o->by_inode = hex ? scan_hex(text + 2, n - 2, &o->inode) : !units_count(text, n, &o->inode, &why);
	if (o->by_inode)
		return 0;
	return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), text, n), why);
}

void import_free(struct import *imp)
{
	if (!imp)
		return;
	if (imp->kind && imp->kind->close && imp->state)
		imp->kind->close(imp);
	free(imp->state);
	feed_fini(&imp->feed);
	names_fini(&imp->names);
	free(imp);
}

void import_freep(struct import **imp)
{
	import_free(*imp);
}

/* Look at the beginning: what encoding, and which format when that was not said. */
static int look(struct import *imp, struct fault *fault)
{
	struct feed *f = &imp->feed;
	const char *name;
	int r = 0;

	/* one line and what came with it; a pipe is not waited for any longer */
	for (size_t seen = 0; !r && !f->at_end && seen < FEED_MAX; seen = f->end) {
		if (memchr(f->buf + seen, '\n', f->end - seen))
			break;
		r = feed_need(f, f->end + 1, fault);
	}
	if (r)
		return r;
	if (f->end >= 2 && (memcmp(f->buf, "\xff\xfe", 2) == 0 || memcmp(f->buf, "\xfe\xff", 2) == 0))
		return fault_set(fault, -EINVAL, "is UTF-16 text; convert it first (iconv -f UTF-16 -t UTF-8)");
	if (f->end >= 3 && memcmp(f->buf, "\xef\xbb\xbf", 3) == 0)
		feed_take(f, 3);
	if (strcmp(imp->opt.format, "auto") != 0)
		return 0;
	name = import_recognise(f->buf + f->begin, f->end - f->begin, f->at_end);
	if (!name)
		return fault_set(
		    fault, -EINVAL,
		    "is not recognised as a foreign trace; name its format, or --load it when it is one of ours");
	imp->kind = import_kind(name);
	return 0;
}

/* imp->path may be set before. */
static int begin(struct import *imp, struct input *in, struct fault *fault)
{
	int r = feed_init(&imp->feed, in);

	if (r)
		return fault_set(fault, r, "out of memory");
	imp->sum.packing = input_packing(in);
	if (!imp->opt.ops)
		imp->opt.ops = IMPORT_OPS_DEFAULT;
	imp->kind = import_kind(imp->opt.format);
	r = look(imp, fault);
	if (r)
		return r;
	imp->sum.format = imp->kind->name;
	imp->state = calloc(1, MAX(imp->kind->state_size, 1));
	if (!imp->state)
		return fault_set(fault, -ENOMEM, "out of memory");
	return imp->kind->open ? imp->kind->open(imp, fault) : 0;
}

static int import_new(struct import **out, struct input *in, const char *path, const struct import_options *o,
		      struct fault *fault)
{
	_cleanup_(import_freep) struct import *imp = calloc(1, sizeof(*imp));
	int r;

	if (!imp) {
		input_free(in);
		return fault_set(fault, -ENOMEM, "out of memory");
	}
	imp->opt = *o;
	imp->path = path;
	r = begin(imp, in, fault);
	if (!r)
		*out = TAKE_PTR(imp);
	return r;
}

int import_open_input(struct import **out, struct input *in, const struct import_options *o, struct fault *fault)
{
	return import_new(out, in, NULL, o, fault);
}

int import_open(struct import **out, const char *path, const struct import_options *o, struct fault *fault)
{
	bool binary = strcmp(o->format, import_blktrace.name) == 0 || strcmp(o->format, "auto") == 0;
	_cleanup_free_ char *first = NULL;
	struct input *in;
	int r = import_check(o, fault);

	if (r)
		return r;
	r = input_open_until(&in, path, o->live, fault);
	if (r == -ENOENT && binary) {
		if (asprintf(&first, "%s.blktrace.0", path) < 0)
			return fault_set(fault, -ENOMEM, "out of memory");
		if (input_open_until(&in, first, o->live, &(struct fault){0}) == 0)
			return import_new(out, in, path, o, fault);
	}
	return r ? r : import_new(out, in, NULL, o, fault);
}

/* One line or record. 1, 0 at the end, -errno as line(). */
static int step(struct import *imp)
{
	const char *s;
	size_t n;
	int r;

	if (imp->kind->read) {
		r = imp->kind->read(imp);
		return r == -ENODATA ? 0 : r < 0 ? r : 1;
	}
	r = feed_line(&imp->feed, &s, &n, &imp->bad);
	if (r <= 0) {
		imp->fatal = r < 0;
		return r;
	}
	if (n == 0 || (imp->kind->comments && s[0] == '#'))
		return 1;
	if (unlikely(imp->feed.cut))
		return import_bad(imp, "the line is longer than %u bytes", FEED_MAX);
	r = imp->kind->line(imp, s, n);
	imp->understood += r > 0;
	if (unlikely(imp->feed.open_end && r > 0))
		import_note(imp, "line at the end has no newline: the input may be cut off there");
	return r < 0 ? r : 1;
}

/* A line was bad: the end, or one more to be counted. */
static int forgive(struct import *imp, struct fault *fault)
{
	if (!imp->kind->read && !imp->fatal)
		imp->bad.line = imp->feed.line;
	if (!imp->opt.lenient || imp->fatal) {
		*fault = imp->bad;
		return -EINVAL;
	}
	if (imp->sum.bad < IMPORT_ODD)
		imp->sum.odd[imp->sum.bad] = imp->bad;
	imp->sum.bad++;
	return 0;
}

static int finish(struct import *imp, struct fault *fault)
{
	int r = imp->kind->end ? imp->kind->end(imp) : 0;

	imp->ended = true;
	if (r == -EINVAL)
		r = forgive(imp, fault);
	if (r < 0)
		return r;
	if (imp->understood)
		return 0;
	if (imp->sum.bad)
		*fault = imp->sum.odd[0];
	else
		fault_set_line(fault, -EINVAL, 1, "%s",
			       imp->feed.line || imp->kind->read ? imp->kind->nothing : "the input is empty");
	return -EINVAL;
}

static ssize_t read_on(struct import *imp, size_t max, struct fault *fault)
{
	size_t start = imp->t->count;
	int r;

	while (!imp->ended && imp->t->count - start + IMPORT_BATCH_MIN <= max) {
		if (imp->opt.live && imp->t->count > start && !imp->kind->read && !feed_has_line(&imp->feed))
			break;
		r = step(imp);
		if (likely(r > 0))
			continue;
		if (r == -EINVAL)
			r = forgive(imp, fault);
		else if (r < 0)
			*fault = imp->bad;
		else
			r = finish(imp, fault);
		if (r < 0)
			return r;
	}
	return (ssize_t)(imp->t->count - start);
}

ssize_t import_read(struct import *imp, struct trace *t, size_t max, struct fault *fault)
{
	ssize_t r;

	if (imp->error)
		return fault_set(fault, imp->error, "the import has failed before");
	imp->t = t;
	r = read_on(imp, max, fault);
	if (r < 0)
		imp->error = (int)r;
	return r;
}

uint64_t import_line(const struct import *imp)
{
	return imp->kind->read ? 0 : imp->feed.line;
}

int import_rest(struct import *imp, struct trace *t, struct fault *fault)
{
	ssize_t r;

	do
		r = import_read(imp, t, 1 << 16, fault);
	while (r > 0);
	return (int)r;
}

int import_need(struct import *imp, struct feed *f, size_t n)
{
	int r = feed_need(f, n, &imp->bad);

	imp->fatal |= r < 0;
	return r;
}

int import_bad(struct import *imp, const char *fmt, ...)
{
	char text[sizeof(imp->bad.text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fault_set(&imp->bad, -EINVAL, "%s", text);
}

int import_bad_token(struct import *imp, const char *what, const char *s, size_t n, const char *why)
{
	char quoted[64];

	return import_bad(imp, "%s %s: %s", what, fault_quote(quoted, sizeof(quoted), s, n), why);
}

int import_fail(struct import *imp, int err, const char *fmt, ...)
{
	char text[sizeof(imp->bad.text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fault_set_line(&imp->bad, err, imp->kind->read ? 0 : imp->feed.line, "%s", text);
	imp->fatal = true;
	return err;
}
