/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>

#include "base/units.h"
#include "import/importer.h"

int import_file(struct import *imp, const char *name, size_t length, uint32_t *id)
{
	int r = names_id(&imp->names, name, length, id);

	if (likely(!r))
		return 0;
	return r == -ENOMEM ? import_fail(imp, r, "out of memory")
			    : import_fail(imp, r, "more than %u files, or more than %u MiB of their names", NAMES_MAX,
					  NAMES_BYTES >> 20);
}

bool import_wants(struct import *imp, uint32_t id)
{
	struct name *e = &imp->names.name[id];

	if (unlikely(e->choice == NAME_UNDECIDED))
		e->choice = !imp->opt.path || fnmatch(imp->opt.path, e->text, 0) == 0 ? NAME_WANTED : NAME_UNWANTED;
	return e->choice == NAME_WANTED;
}

/* The number of a file in the trace: one of its name, else the next. A file without a name is number 0. */
static int number_file(struct import *imp, struct name *e)
{
	struct trace *t = imp->t;
	uint32_t n = 0;
	int r;

	if (e->length) {
		while (n < t->file_count && !(t->files[n] && strcmp(t->files[n], e->text) == 0))
			n++;
		/* requests of a file without a name are there already, and this may be another file */
		if (n == 0 && t->count && !t->file_count)
			n = 1;
		if (n > TRACE_FILE_MAX)
			return import_fail(imp, -E2BIG, "more than %u files have requests; choose with --path",
					   TRACE_FILE_MAX + 1);
		r = trace_name_file(t, n, e->text, e->length);
		if (r)
			return import_fail(imp, r, r == -ENOMEM ? "out of memory" : "'%s' cannot be a file's name",
					   e->text);
	}
	e->number = (int32_t)n;
	imp->sum.files++;
	return 0;
}

/* The time of the request just pushed. */
static int set_time(struct import *imp, int64_t time)
{
	struct trace *t = imp->t;
	int64_t since;

	if (unlikely(!imp->sum.timed)) {
		imp->sum.timed = true;
		imp->first = imp->last = imp->latest = imp->earliest = time;
	}
	if (unlikely(!t->time) && trace_need_time(t))
		return import_fail(imp, -ENOMEM, "out of memory");
	if (unlikely(__builtin_sub_overflow(time, imp->first, &since) || since == TIME_NONE))
		return import_bad(imp, "the time is too far from the first");
	imp->sum.backwards += time < imp->last;
	imp->last = time;
	if (time > imp->latest)
		imp->latest = time;
	if (unlikely(since < 0)) {
		imp->earliest = MIN(imp->earliest, time);
		if (!imp->opt.settles) {
			imp->clipped++;
			since = 0;
		}
	}
	t->time[t->count - 1] = since;
	return 0;
}

int import_settle(const struct import *imp, struct trace *t, size_t from, struct fault *fault)
{
	int64_t ahead, span;

	if (imp->earliest == imp->first)
		return 0;
	if (__builtin_sub_overflow(imp->latest, imp->earliest, &span))
		return fault_set(fault, -EINVAL, "the times lie too far apart");
	ahead = imp->first - imp->earliest;
	for (size_t i = from; i < t->count; i++)
		if (t->time[i] != TIME_NONE)
			t->time[i] += ahead;
	return 0;
}

static void count(struct import_summary *s, enum op op, uint64_t offset, uint64_t length)
{
	s->requests++;
	s->ops[op]++;
	if (op == OP_SYNC || op == OP_DATASYNC)
		return;
	if (__builtin_add_overflow(s->bytes, length, &s->bytes))
		s->bytes = UINT64_MAX;
	s->begin = s->ops[OP_READ] + s->ops[OP_WRITE] + s->ops[OP_TRIM] == 1 ? offset : MIN(s->begin, offset);
	s->end = MAX(s->end, offset + length);
}

int import_emit(struct import *imp, enum op op, uint64_t offset, uint64_t length, int64_t time, uint32_t id)
{
	struct name *e = &imp->names.name[id];
	struct trace *t = imp->t;
	int r;

	if (unlikely(offset > REQ_MAX || length > REQ_MAX - offset))
		return import_bad(imp, "%" PRIu64 " bytes at %" PRIu64 " pass 2^63 - 1", length, offset);
	if (unlikely((op == OP_SYNC || op == OP_DATASYNC) && length > REQ_SYNC_LENGTH_MAX))
		return import_bad(imp, "a sync of %" PRIu64 " bytes", length);
	if (unlikely(!import_wants(imp, id))) {
		imp->sum.other_files++;
		return 0;
	}
	if (unlikely(!(imp->opt.ops >> op & 1))) {
		imp->sum.left_out[op]++;
		return 0;
	}
	if (unlikely(e->number < 0)) {
		r = number_file(imp, e);
		if (r)
			return r;
	}
	if (unlikely(trace_push(t, req_make(offset, length, op))))
		return import_fail(imp, -ENOMEM, "out of memory");
	if (unlikely(e->number > 0)) {
		if (!t->file && trace_need_file(t))
			return import_fail(imp, -ENOMEM, "out of memory");
		t->file[t->count - 1] = (uint32_t)e->number;
	}
	if (time != TIME_NONE) {
		r = set_time(imp, time);
		if (unlikely(r)) {
			t->count--;
			return r;
		}
	}
	e->requests++;
	count(&imp->sum, op, offset, length);
	return 0;
}

void import_note(struct import *imp, const char *text)
{
	import_notes(imp, text, 1);
}

void import_notes(struct import *imp, const char *text, uint64_t count)
{
	for (size_t i = 0; i < IMPORT_NOTES; i++) {
		if (!imp->note[i].text)
			imp->note[i].text = text;
		if (imp->note[i].text == text) {
			imp->note[i].count += count;
			return;
		}
	}
}

int import_count(struct import *imp, const char *what, const char *s, size_t n, uint64_t *value)
{
	const char *why;

	return likely(!units_count(s, n, value, &why)) ? 0 : import_bad_token(imp, what, s, n, why);
}

int import_sectors(struct import *imp, const char *what, const char *s, size_t n, uint64_t *bytes)
{
	uint64_t sectors;
	int r = import_count(imp, what, s, n, &sectors);

	if (r)
		return r;
	if (sectors > REQ_MAX >> 9)
		return import_bad_token(imp, what, s, n, "in bytes passes 2^63 - 1");
	*bytes = sectors << 9;
	return 0;
}

int import_time(struct import *imp, const char *s, size_t n, int64_t scale, int64_t *ns)
{
	const char *why = "not a time";

	if (likely(n && s[n - 1] >= '0' && s[n - 1] <= '9' && !units_time(s, n, scale, ns, &why)))
		return 0;
	return import_bad_token(imp, "time", s, n, why);
}
