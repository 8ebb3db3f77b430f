/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio iologs, versions 2 and 3 (fio's HOWTO, "Trace file format"; checked against what fio 3.33 writes and does).
 *
 * A name may hold blanks here, although fio itself cannot read such a log: what stands behind it is found from the end
 * of the line. wait N of version 2 lets fio wait until N milliseconds have passed since it started (the manual says
 * microseconds and relative; 3.33 does neither).
 */
#include <errno.h>

#include "base/clock.h"
#include "import/importer.h"
#include "import/scan.h"

struct fio {
	unsigned version; /* 0: the header is to come */
	int64_t clock;	  /* ns, of the last wait; TIME_NONE: none */
};

enum action {
	ACT_READ,
	ACT_WRITE,
	ACT_TRIM,
	ACT_SYNC,
	ACT_DATASYNC,
	ACT_RANGE,
	ACT_WAIT,
	ACT_ADD,
	ACT_OPEN,
	ACT_CLOSE
};

static const struct {
	char name[16];
	enum op op;
} action[] = {
    [ACT_READ] = {"read", OP_READ},
    [ACT_WRITE] = {"write", OP_WRITE},
    [ACT_TRIM] = {"trim", OP_TRIM},
    [ACT_SYNC] = {"sync", OP_SYNC},
    [ACT_DATASYNC] = {"datasync", OP_DATASYNC},
    [ACT_RANGE] = {"sync_file_range", OP_COUNT},
    [ACT_WAIT] = {"wait", OP_COUNT},
    [ACT_ADD] = {"add", OP_COUNT},
    [ACT_OPEN] = {"open", OP_COUNT},
    [ACT_CLOSE] = {"close", OP_COUNT},
};

static int action_of(struct word w)
{
	for (size_t i = 0; i < ARRAY_SIZE(action); i++)
		if (word_is(w, action[i].name))
			return (int)i;
	return -1;
}

static int header(struct import *imp, const char *s, size_t n)
{
	static const char before[] = "fio version ", behind[] = " iolog";
	struct fio *f = imp->state;
	char quoted[64];

	if (!word_begins(s, n, before)) {
		if (f->version)
			return 0;
		return import_fail(imp, -EINVAL, "expected 'fio version 2 iolog' or 'fio version 3 iolog', not %s",
				   fault_quote(quoted, sizeof(quoted), s, n));
	}
	if (n != strlen(before) + 1 + strlen(behind) || !word_begins(s + strlen(before) + 1, strlen(behind), behind) ||
	    (s[strlen(before)] != '2' && s[strlen(before)] != '3'))
		return import_fail(imp, -EINVAL, "%s is not known; versions 2 and 3 of the iolog are",
				   fault_quote(quoted, sizeof(quoted), s, n));
	if (f->version)
		import_note(
		    imp,
		    "further {log is appended in the same file; its|logs are appended in the same file; their} times "
		    "begin anew");
	f->version = (unsigned)(s[strlen(before)] - '0');
	f->clock = TIME_NONE;
	return 1;
}

static int wait_line(struct import *imp, struct word w)
{
	struct fio *f = imp->state;
	uint64_t ms;
	int r = import_count(imp, "wait", w.s, w.n, &ms);

	if (r)
		return r;
	if (f->version == 3) {
		import_note(imp, "wait {line is|lines are} ignored in version 3, as fio does");
		return 1;
	}
	if (ms > (uint64_t)(INT64_MAX / NS_PER_MSEC))
		return import_bad_token(imp, "wait", w.s, w.n, "the time is too large");
	/* Requests before the first wait are at the start: what is waited for counts from there. */
	if (f->clock == TIME_NONE && imp->sum.requests && !imp->sum.timed) {
		imp->sum.timed = true;
		imp->first = imp->last = imp->latest = imp->earliest = 0;
	}
	f->clock = MAX(f->clock, (int64_t)ms * NS_PER_MSEC);
	return 1;
}

static int request(struct import *imp, int act, uint32_t id, int64_t time, struct word a, struct word b)
{
	uint64_t offset, length;
	int r = import_count(imp, "offset", a.s, a.n, &offset);

	if (!r)
		r = import_count(imp, "length", b.s, b.n, &length);
	if (r)
		return r;
	if (unlikely(!imp->names.name[id].mark))
		import_note(imp, "{request is on a file|requests are on files} without add and open lines");
	if (unlikely(act == ACT_RANGE)) {
		import_note(imp, "sync_file_range {line is|lines are} left out");
		return 1;
	}
	r = import_emit(imp, action[act].op, offset, length, time, id);
	return r ? r : 1;
}

/* What stands behind the name, from the end of the line. The action, or -1; *end is moved behind the name. */
static int tail(const char *begin, const char **end, struct word *a, struct word *b)
{
	int act;

	*b = scan_last_word(begin, end);
	act = action_of(*b);
	if (act >= ACT_ADD)
		return act;
	*a = scan_last_word(begin, end);
	act = action_of(*a);
	if (act == ACT_WAIT) {
		*a = *b;
		return act;
	}
	act = action_of(scan_last_word(begin, end));
	return act >= ACT_ADD ? -1 : act;
}

static int fio_line(struct import *imp, const char *s, size_t n)
{
	struct fio *f = imp->state;
	const char *begin = s, *end = s + n;
	struct word a = {0}, b, stamp, name;
	int64_t time = f->clock;
	uint32_t id;
	int r, act;

	if (unlikely(!f->version || s[0] == 'f')) {
		r = header(imp, s, n);
		if (r)
			return r;
	}
	stamp = f->version == 3 ? scan_word(&begin, end) : (struct word){0};
	act = tail(begin, &end, &a, &b);
	name = scan_trim(begin, end);
	if (unlikely(act < 0 || !name.n)) {
		if (!scan_trim(s, s + n).n)
			return 0;
		return import_bad_token(imp, "line", s, n,
					f->version == 3 ? "TIME NAME ACTION [OFFSET LENGTH] is expected"
							: "NAME ACTION [OFFSET LENGTH] is expected");
	}
	if (f->version == 3) {
		r = import_time(imp, stamp.s, stamp.n, NS_PER_USEC, &time);
		if (r)
			return r;
	}
	if (act == ACT_WAIT)
		return wait_line(imp, a);
	r = import_file(imp, name.s, name.n, &id);
	if (r)
		return r;
	if (act >= ACT_ADD) {
		imp->names.name[id].mark = true;
		return 1;
	}
	return request(imp, act, id, time, a, b);
}

const struct importer import_fio = {
    .name = "fio",
    .help = "fio iolog, version 2 or 3",
    .state_size = sizeof(struct fio),
    .line = fio_line,
    .nothing = "expected 'fio version 2 iolog' or 'fio version 3 iolog'",
};
