/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page-cache events as text: what tracefs, trace-cmd report and perf script show of
 *
 *	mm_filemap_add_to_page_cache  dev 8:1 ino 1a2b pfn=0x1234 ofs=4096 order=2   pages come into the cache
 *	mm_filemap_get_pages          dev=8:1 ino=1a2b ofs=0-16383                   a read looks for them
 *	mm_filemap_map_pages          dev=8:1 ino=1a2b ofs=0-65535                   pages around a fault are mapped
 *	mm_filemap_fault              dev=8:1 ino=1a2b ofs=4096                      a fault on one page
 *
 * in front of which stand process, CPU, flags and the time, as "SECONDS.FRACTION:". Inodes are hex. All become reads.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "import/importer.h"
#include "import/scan.h"

#define PREFIX "mm_filemap_"

enum kind { ADD, GET, MAP, FAULT, KINDS };

static const struct {
	const char *event;  /* behind PREFIX */
	const char *choice; /* in --event */
} kinds[KINDS] = {
    [ADD] = {"add_to_page_cache", "add"},
    [GET] = {"get_pages", "get"},
    [MAP] = {"map_pages", "map"},
    [FAULT] = {"fault", "fault"},
};

struct ftrace {
	unsigned wanted; /* 1 << kind */
	unsigned seen;
	bool by_file; /* only the file that --path is on this machine */
	uint64_t ino;
	unsigned major, minor;
};

struct event {
	enum kind kind;
	struct word time, dev, ino, ofs, order;
};

static int ftrace_open(struct import *imp, struct fault *fault)
{
	struct ftrace *f = imp->state;
	const char *at = imp->opt.event;
	struct stat st;

	f->wanted = at ? 0 : (1u << KINDS) - 1;
	while (at) {
		struct word w = {at, strcspn(at, ",")};
		unsigned before = f->wanted;

		for (size_t i = 0; i < KINDS; i++)
			if (word_is(w, kinds[i].choice))
				f->wanted |= 1u << i;
		if (f->wanted == before)
			return fault_set(fault, -EINVAL, "--event is some of add,get,map,fault here, not '%s'",
					 imp->opt.event);
		at = at[w.n] ? at + w.n + 1 : NULL;
	}
	if (imp->opt.path && stat(imp->opt.path, &st) == 0) {
		f->by_file = true;
		f->ino = st.st_ino;
		f->major = major(st.st_dev);
		f->minor = minor(st.st_dev);
	}
	return 0;
}

/* The value behind a key, as "KEY=VALUE" or "KEY VALUE". */
static struct word value_of(struct word w, size_t key, const char **at, const char *end)
{
	if (w.n == key)
		return scan_word(at, end);
	return (struct word){w.s + key + 1, w.n - key - 1};
}

static void fields(struct event *e, const char *at, const char *end)
{
	static const char *const keys[] = {"dev", "ino", "ofs", "order"};
	struct word *value[] = {&e->dev, &e->ino, &e->ofs, &e->order};

	for (;;) {
		struct word w = scan_word(&at, end);

		if (!w.n)
			return;
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			size_t n = strlen(keys[i]);

			if (w.n < n || memcmp(w.s, keys[i], n) != 0 || (w.n > n && w.s[n] != '='))
				continue;
			*value[i] = value_of(w, n, &at, end);
			break;
		}
	}
}

/* 1 an event to be imported, 0 another, -EINVAL. */
static int parse(struct import *imp, const char *s, size_t n, struct event *e)
{
	static const struct word none = {"", 0};
	const char *at = memmem(s, n, PREFIX, strlen(PREFIX)), *end = s + n, *before = at;
	struct word name;
	size_t i;

	if (!at)
		return 0;
	name.s = at + strlen(PREFIX);
	at = memchr(name.s, ':', (size_t)(end - name.s));
	if (!at)
		return import_bad_token(imp, "event", before, (size_t)(end - before), "no ':' behind its name");
	name.n = (size_t)(at - name.s);
	for (i = 0; i < KINDS; i++)
		if (word_is(name, kinds[i].event))
			break;
	if (i == KINDS)
		return 0;
	*e = (struct event){.kind = (enum kind)i, .dev = none, .ino = none, .ofs = none, .order = none};
	fields(e, at + 1, end);
	if (word_begins(MAX(before - 8, s), (size_t)(before - MAX(before - 8, s)), "filemap:"))
		before -= 8;
	e->time = scan_last_word(s, &before);
	if (e->time.n < 2 || e->time.s[e->time.n - 1] != ':')
		return import_bad_token(imp, "time", e->time.s, e->time.n, "SECONDS.FRACTION: is expected");
	e->time.n--;
	return 1;
}

static int range(struct import *imp, const struct event *e, uint64_t *offset, uint64_t *length)
{
	const char *dash = memchr(e->ofs.s, '-', e->ofs.n);
	uint64_t last, order = 0;
	int r;

	if (e->kind == ADD || e->kind == FAULT) {
		r = import_count(imp, "ofs", e->ofs.s, e->ofs.n, offset);
		if (!r && e->order.n)
			r = import_count(imp, "order", e->order.s, e->order.n, &order);
		if (!r && order > 30)
			r = import_bad_token(imp, "order", e->order.s, e->order.n, "is too large");
		*length = PAGE_BYTES << (order & 31);
		return r;
	}
	if (!dash)
		return import_bad_token(imp, "ofs", e->ofs.s, e->ofs.n, "FIRST-LAST is expected");
	r = import_count(imp, "ofs", e->ofs.s, (size_t)(dash - e->ofs.s), offset);
	if (!r)
		r = import_count(imp, "ofs", dash + 1, e->ofs.n - (size_t)(dash + 1 - e->ofs.s), &last);
	if (!r && (last < *offset || last == UINT64_MAX))
		r = import_bad_token(imp, "ofs", e->ofs.s, e->ofs.n, "ends before it begins");
	if (!r)
		*length = last - *offset + 1;
	return r;
}

/* Whose event it is. 1 and *id, 0: of a file that was not asked for, -errno. */
static int file_of(struct import *imp, const struct event *e, uint32_t *id)
{
	const struct ftrace *f = imp->state;
	const char *colon = memchr(e->dev.s, ':', e->dev.n);
	uint64_t major_number, minor_number, ino;
	char name[64];
	int n, r;

	if (!colon)
		return import_bad_token(imp, "dev", e->dev.s, e->dev.n, "MAJOR:MINOR is expected");
	r = import_count(imp, "dev", e->dev.s, (size_t)(colon - e->dev.s), &major_number);
	if (!r)
		r = import_count(imp, "dev", colon + 1, e->dev.n - (size_t)(colon + 1 - e->dev.s), &minor_number);
	if (r)
		return r;
	if (!scan_hex(e->ino.s, e->ino.n, &ino))
		return import_bad_token(imp, "ino", e->ino.s, e->ino.n, "not a hex number");
	if ((imp->opt.by_inode && ino != imp->opt.inode) ||
	    (f->by_file && (ino != f->ino || major_number != f->major || minor_number != f->minor))) {
		imp->sum.other_files++;
		return 0;
	}
	if (f->by_file)
		r = import_file(imp, imp->opt.path, strlen(imp->opt.path), id);
	else {
		n = snprintf(name, sizeof(name), "%" PRIu64 ":%" PRIu64 "/%" PRIx64, major_number, minor_number, ino);
		r = import_file(imp, name, (size_t)n, id);
	}
	if (!r && f->by_file)
		imp->names.name[*id].choice = NAME_WANTED;
	return r ? r : 1;
}

/* "CPU:1 [LOST 123 EVENTS]" of the kernel, "CPU:1 [123 EVENTS DROPPED]" of trace-cmd */
static void look_for_losses(struct import *imp, const char *s, size_t n)
{
	static const char cpu[] = "CPU:", events[] = "EVENTS";

	if (word_begins(s, n, cpu) && s[n - 1] == ']' && memmem(s, n, events, strlen(events)))
		import_note(imp, "{gap is|gaps are} in the log, where the kernel lost events");
}

static int ftrace_line(struct import *imp, const char *s, size_t n)
{
	struct ftrace *f = imp->state;
	uint64_t offset, length = 0;
	struct event e;
	int64_t time;
	uint32_t id;
	int r = parse(imp, s, n, &e);

	if (r == 0)
		look_for_losses(imp, s, n);
	if (r <= 0)
		return r;
	if (!(f->wanted >> e.kind & 1))
		return 1;
	r = range(imp, &e, &offset, &length);
	if (!r)
		r = import_time(imp, e.time.s, e.time.n, NS_PER_SEC, &time);
	if (r)
		return r;
	r = file_of(imp, &e, &id);
	if (r > 0) {
		f->seen |= 1u << e.kind;
		r = import_emit(imp, OP_READ, offset, length, time, id);
	}
	return r ? r : 1;
}

/* An access and the filling of the cache that it led to are two events, and both have come in. */
static int ftrace_end(struct import *imp)
{
	const struct ftrace *f = imp->state;

	if (f->seen & 1u << ADD && f->seen & ~(1u << ADD))
		import_note(
		    imp, "mixture of accesses with the fillings they caused; --event add, or get,map,fault, chooses");
	return 0;
}

const struct importer import_ftrace = {
    .name = "ftrace",
    .help = "page-cache events of ftrace, trace-cmd or perf; --event add,get,map,fault",
    .state_size = sizeof(struct ftrace),
    .open = ftrace_open,
    .line = ftrace_line,
    .end = ftrace_end,
    .nothing = "no line is an event mm_filemap_add_to_page_cache, _get_pages, _map_pages or _fault",
    .comments = true,
};
