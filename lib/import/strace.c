/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strace: the file calls of processes become requests at the places where the kernel moved the data.
 *
 * Lengths are those returned. The position of each open description is followed through open, read, write, lseek, dup,
 * fork, exec and close; where it cannot be known (the file was opened before the log began) read and write are left out
 * and counted, never guessed.
 */
#include "import/strace.h"

#include <errno.h>

#include "base/clock.h"
#include "base/units.h"

#define DAY (24 * 3600 * NS_PER_SEC)

static int strace_open(struct import *imp, struct fault *fault _unused_)
{
	struct strace *st = imp->state;

	st->clock = TIME_NONE;
	return 0;
}

static void strace_close(struct import *imp)
{
	struct strace *st = imp->state;

	processes_fini(&st->all);
	free(st->size);
	free(st->call.s);
	free(st->line.s);
}

/* "HH:MM:SS[.FRACTION]" as ns of the day. 0 or -EINVAL. */
static int time_of_day(struct import *imp, struct word w, int64_t *ns)
{
	const char *s = w.s;
	int64_t seconds;
	uint64_t hours, minutes;
	const char *why;

	if (w.n < 8 || s[2] != ':' || s[5] != ':' || units_count(s, 2, &hours, &why) ||
	    units_count(s + 3, 2, &minutes, &why))
		return import_bad_token(imp, "time", s, w.n, "HH:MM:SS is expected");
	if (import_time(imp, s + 6, w.n - 6, NS_PER_SEC, &seconds))
		return -EINVAL;
	*ns = ((int64_t)hours * 60 + (int64_t)minutes) * 60 * NS_PER_SEC;
	if (__builtin_add_overflow(*ns, seconds, ns))
		return import_bad_token(imp, "time", s, w.n, "is too large");
	return 0;
}

/* The time of a line on one clock for the whole log. */
static int set_clock(struct import *imp, const struct strace_front *front)
{
	struct strace *st = imp->state;
	int64_t t;
	int r;

	if (front->stamp == STAMP_NONE)
		return 0;
	r = front->stamp == STAMP_OF_DAY ? time_of_day(imp, front->time, &t)
					 : import_time(imp, front->time.s, front->time.n, NS_PER_SEC, &t);
	if (r)
		return r;
	if (front->stamp == STAMP_RELATIVE) {
		if (__builtin_add_overflow(st->clock == TIME_NONE ? 0 : st->clock, t, &t))
			return import_bad_token(imp, "time", front->time.s, front->time.n, "the sum is too large");
	} else if (front->stamp == STAMP_OF_DAY) {
		/* back by more than half a day: it was midnight */
		if (__builtin_add_overflow(st->day, t, &t))
			return import_bad_token(imp, "time", front->time.s, front->time.n, "is too large");
		if (st->clock != TIME_NONE && t < st->clock - DAY / 2) {
			st->day += DAY;
			t += DAY;
		}
	}
	st->clock = t;
	return 0;
}

/* The fork that has begun and not ended for the longest; NULL: none. *forks: how many there are. */
static struct process *oldest_fork(struct strace *st, unsigned *forks)
{
	struct process *oldest = NULL;

	*forks = 0;
	for (size_t i = 0; st->all.forking && i < PROCESS_CHAINS; i++)
		for (struct process *p = st->all.chain[i]; p; p = p->next) {
			if (!p->forking)
				continue;
			++*forks;
			if (!oldest || p->forking_since < oldest->forking_since)
				oldest = p;
		}
	return oldest;
}

/*
 * The process of a line. One that was not there before is the child of a fork that has not ended; with no such fork it
 * is one that strace was attached to. On a terminal strace shows pids only while there are several processes, and
 * the result of a fork may come before it has met the child.
 */
static int find_or_add(struct import *imp, uint32_t pid, bool resumed, struct process **out)
{
	struct strace *st = imp->state;
	struct process *parent, *nameless;
	unsigned forks;
	bool share;
	int r;

	*out = pid ? process_find(&st->all, pid) : process_only(&st->all);
	if (*out || (!pid && (*out = process_find(&st->all, 0))))
		return 0;
	nameless = pid ? process_find(&st->all, 0) : NULL;
	if (nameless && (resumed || !nameless->forking)) {
		process_rename(&st->all, nameless, pid);
		*out = nameless;
		return 0;
	}
	parent = oldest_fork(st, &forks);
	share = parent && memmem(parent->pending, parent->pending_length, "CLONE_FILES", strlen("CLONE_FILES"));
	if (parent)
		process_forked(&st->all, parent);
	if (forks > 1)
		import_note(
		    imp, "{process|processes} appeared while several forks ran; which made {it|them} is not certain");
	r = process_add(&st->all, pid, parent, share, out);
	return r ? strace_failed(imp, r) : 0;
}

static int find_process(struct import *imp, uint32_t pid, bool resumed, struct process **out)
{
	struct strace *st = imp->state;
	int r = find_or_add(imp, pid, resumed, out);

	if (r == 0)
		process_seen(&st->all, *out);
	return r;
}

static int keep(struct import *imp, struct process *p, struct word name, struct word args)
{
	struct strace *st = imp->state;
	int r = process_keep(&st->all, p, args.s, args.n);

	if (r)
		return strace_failed(imp, r);
	p->pending_time = st->clock;
	if (strace_forks(name))
		process_forks(&st->all, p, imp->feed.line);
	return 1;
}

/* Put two pieces together; the first may be there already. */
static int join(struct joined *out, struct word a, struct word b)
{
	size_t n = MAX(a.n + b.n, 1);

	if (n > out->capacity) {
		char *bigger = malloc(n);

		if (!bigger)
			return -ENOMEM;
		memcpy(bigger, a.s, a.n);
		free(out->s);
		*out = (struct joined){bigger, n};
	} else if (a.s != out->s) {
		memcpy(out->s, a.s, a.n);
	}
	memcpy(out->s + a.n, b.s, b.n);
	return 0;
}

static int resume(struct import *imp, struct process *p, struct word name, struct word rest)
{
	struct strace *st = imp->state;
	size_t n = p->pending_length + rest.n;

	if (!p->pending) {
		import_note(imp, "{call|calls} had begun before the log did; {it is|they are} left out");
		return 1;
	}
	if (join(&st->call, (struct word){p->pending, p->pending_length}, rest))
		return strace_failed(imp, -ENOMEM);
	process_keep(&st->all, p, NULL, 0);
	return strace_call(imp, p, p->pending_time, name, (struct word){st->call.s, n});
}

/*
 * On a terminal the message "strace: Process N attached" comes into the middle of a line, and the rest of that line
 * follows it. Is this such a beginning? Then it is kept in st->line.
 */
static int interrupted(struct import *imp, const char *s, const char *end)
{
	static const char message[] = "strace: Process ", attached[] = " attached";
	struct strace *st = imp->state;
	const char *at;

	if ((size_t)(end - s) < sizeof(message) + sizeof(attached) ||
	    memcmp(end - strlen(attached), attached, strlen(attached)) != 0)
		return 0;
	at = memmem(s, (size_t)(end - s), message, strlen(message));
	if (!at || at == s || memchr(at, '"', (size_t)(end - at)))
		return 0;
	if (join(&st->line, (struct word){s, (size_t)(at - s)}, (struct word){at, 0}))
		return strace_failed(imp, -ENOMEM);
	st->interrupted = (size_t)(at - s);
	return 1;
}

/* The table of strace -C, from its heading to the line of totals. */
static bool in_summary(struct strace *st, const char *s, const char *end)
{
	static const char heading[] = "% time ", total[] = " total";
	bool inside = st->summary || word_begins(s, (size_t)(end - s), heading);

	st->summary =
	    inside && !((size_t)(end - s) > strlen(total) && word_begins(end - strlen(total), strlen(total), total));
	return inside;
}

static int strace_line(struct import *imp, const char *s, size_t n)
{
	struct strace *st = imp->state;
	const char *end = s + n;
	struct strace_front front;
	enum strace_kind kind;
	struct word name, args;
	struct process *p;
	int r;

	while (end > s && scan_blank(end[-1]))
		end--;
	if (unlikely(st->interrupted)) {
		n = st->interrupted;
		st->interrupted = 0;
		if (n + (size_t)(end - s) > FEED_MAX)
			return import_bad(imp, "the line is longer than %u bytes", FEED_MAX);
		if (join(&st->line, (struct word){st->line.s, n}, (struct word){s, (size_t)(end - s)}))
			return strace_failed(imp, -ENOMEM);
		end = st->line.s + n + (end - s);
		s = st->line.s;
	}
	if (unlikely(in_summary(st, s, end)))
		return 0;
	r = interrupted(imp, s, end);
	if (unlikely(r))
		return r < 0 ? r : 0;
	strace_front(&s, end, &front);
	kind = strace_body(s, end, &name, &args);
	if (kind == STRACE_ODD)
		return s == end ? 0
				: import_bad_token(imp, "line", s, (size_t)(end - s), "no call as strace prints them");
	r = set_clock(imp, &front);
	if (r)
		return r;
	if (kind == STRACE_NOISE)
		return 0;
	r = find_process(imp, front.pid, kind == STRACE_RESUMED, &p);
	if (r)
		return r;
	switch (kind) {
	case STRACE_UNFINISHED:
		return keep(imp, p, name, args);
	case STRACE_RESUMED:
		return resume(imp, p, name, args);
	case STRACE_EXIT:
		process_remove(&st->all, p);
		return 1;
	default:
		return strace_call(imp, p, st->clock, name, args);
	}
}

const struct importer import_strace = {
    .name = "strace",
    .help = "strace, best with -f -ttt -y; --path GLOB chooses the file",
    .state_size = sizeof(struct strace),
    .open = strace_open,
    .line = strace_line,
    .close = strace_close,
    .nothing = "no line is a call as strace prints them",
};
