/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/source.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/macro.h"
#include "mon/derived.h"
#include "base/units.h"
#include "mon/cgroup_names.h"
#include "mon/rewrite.h"

const struct source_kind source_kinds[] = {
	{.prefix = "vmstat", .root = SOURCE_PROC, .before = "vmstat", .after = {""}},
	{.prefix = "node", .noun = "node", .root = SOURCE_SYS, .before = "devices/system/node/node",
	 .after = {"/vmstat"}, .digits = true, .may_end = true},
	{.prefix = "cgroup", .noun = "memory cgroup", .root = SOURCE_CGROUP, .before = "", .after = {"/memory.stat"},
	 .may_end = true},
	{.prefix = "meminfo", .root = SOURCE_PROC, .before = "meminfo", .after = {""}},
	{.prefix = "pressure", .noun = "pressure file", .root = SOURCE_PROC, .before = "pressure/", .after = {""},
	 .rewrite = {rewrite_pressure}, .needs = "CONFIG_PSI, and psi=1 at boot where that is off"},
	{.prefix = "disk", .noun = "disk", .root = SOURCE_SYS, .before = "class/block/", .after = {"/stat"},
	 .rewrite = {rewrite_disk}, .may_end = true},
	{.prefix = "self", .root = SOURCE_PROC, .before = "self", .after = {"/stat", "/io"},
	 .rewrite = {rewrite_process}},
	{.prefix = "pid", .noun = "process", .root = SOURCE_PROC, .before = "", .after = {"/stat", "/io"},
	 .rewrite = {rewrite_process}, .digits = true, .may_end = true},
	{.prefix = "replay", .root = SOURCE_NO_FILE},
};
const size_t source_kind_count = ARRAY_SIZE(source_kinds);

const struct source_kind *source_kind_find(const char *prefix, size_t n)
{
	for (size_t i = 0; i < source_kind_count; i++)
		if (strlen(source_kinds[i].prefix) == n && !memcmp(source_kinds[i].prefix, prefix, n))
			return &source_kinds[i];
	return NULL;
}

char *source_path(const struct source_kind *kind, const char *root, const char *instance, unsigned number)
{
	char *path;

	if (strcmp(instance, "/") == 0)
		return asprintf(&path, "%s%s", root, kind->after[number]) < 0 ? NULL : path;
	return asprintf(&path, "%s/%s%s%s", root, kind->before, instance, kind->after[number]) < 0 ? NULL : path;
}

/* What a reading of something that has ended gives: a process, a cgroup, a disk or a node. */
static bool is_end(int r)
{
	return r == -ESRCH || r == -ENODEV || r == -ENOENT || r == -ENODATA;
}

static size_t replay_lines(source_replay_fn *replay, void *ctx, char *lines)
{
	struct source_replay at = {0};
	char *p = lines;

	if (replay)
		replay(ctx, &at);
	p = stpcpy(p, "requests ");
	p += units_print_count(p, at.requests);
	p = stpcpy(p, "\nbytes ");
	p += units_print_count(p, at.bytes);
	*p++ = '\n';
	return (size_t)(p - lines);
}

static void look_up(struct source *s, const char *text, size_t n)
{
	s->absent = vmstat_lookup(text, n, s->want, s->want_count);
}

/* Without what may be a cut line. */
static size_t whole_lines(const struct vmstat *file)
{
	const char *newline = memrchr(file->buf, '\n', file->used);

	return newline ? (size_t)(newline - file->buf) + 1 : 0;
}

/* No further than the names stand: what they tell then is of one instant, and of half the cost. */
static int read_wanted(struct source *s)
{
	size_t enough = 0;
	int more;

	for (size_t i = 0; i < s->want_count; i++)
		enough = MAX(enough, s->want[i].hint);
	vmstat_rewind(&s->file);
	do {
		do
			more = vmstat_read_on(&s->file);
		while (more > 0 && s->file.used <= enough);
		if (more < 0)
			return more;
		look_up(s, s->file.buf, more ? whole_lines(&s->file) : s->file.used);
		enough = SIZE_MAX;
	} while (more && s->absent);
	return 0;
}

static int read_rewritten(struct source *s)
{
	int r = vmstat_read(&s->file);

	if (r < 0)
		return r;
	s->lines_length = s->kind->rewrite[s->number](s->file.buf, s->file.used, s->lines);
	look_up(s, s->lines, s->lines_length);
	return 0;
}

int source_read(struct source *s, source_replay_fn *replay, void *ctx)
{
	int r;

	if (s->error)
		return 0;
	if (s->kind->root == SOURCE_NO_FILE) {
		s->lines_length = replay_lines(replay, ctx, s->lines);
		look_up(s, s->lines, s->lines_length);
		return 0;
	}
	r = s->lines ? read_rewritten(s) : read_wanted(s);
	s->ended = s->kind->may_end && is_end(r);
	if (!s->ended)
		return r;
	look_up(s, "", 0);
	return 0;
}

const char *source_text(const struct source *s, size_t *n)
{
	*n = s->lines ? s->lines_length : s->file.used;
	return s->lines ? s->lines : s->file.buf;
}

int source_open(struct source *out, const struct source_kind *kind, const char *path, const char *instance,
		unsigned number, struct fault *fault)
{
	_cleanup_(source_close) struct source s = {.kind = kind, .number = number, .file.fd = -1};
	int r;

	s.instance = strdup(instance);
	if (!s.instance)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	if (kind->rewrite[number] || kind->root == SOURCE_NO_FILE) {
		s.lines = malloc(SOURCE_LINES);
		if (!s.lines)
			return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	}
	r = kind->root == SOURCE_NO_FILE ? 0 : vmstat_open_file(&s.file, path, fault);
	if (r == -ENOENT || r == -ENOTDIR || r == -ESRCH)
		return -ENOENT;
	if (r == -ENOMEM)
		return r;
	s.error = r;
	if (r < 0) {
		/* what a message needs of it */
		s.file.path = strdup(path);
		if (!s.file.path)
			return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	} else if (s.lines) {
		s.lines_length = kind->root == SOURCE_NO_FILE ? replay_lines(NULL, NULL, s.lines)
							      : kind->rewrite[number](s.file.buf, s.file.used, s.lines);
	}
	*out = s;
	s = (struct source){.file.fd = -1};
	return 0;
}

void source_close(struct source *s)
{
	for (size_t i = 0; i < s->want_count; i++)
		free((char *)s->want[i].name);
	free(s->want);
	free(s->lines);
	free(s->instance);
	vmstat_close(&s->file);
	*s = (struct source){.file.fd = -1};
}

/* /proc/PID/io, as Documentation/filesystems/proc.rst has it. */
static const char *const io_names[] = {
	"rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes",
};

bool source_knows_unread(const struct source *s)
{
	return s->error && s->kind->after[s->number] && strcmp(s->kind->after[s->number], "/io") == 0;
}

const char *source_unread(const struct source *s, size_t i)
{
	return source_knows_unread(s) && i < ARRAY_SIZE(io_names) ? io_names[i] : NULL;
}

long source_want(struct source *s, const struct vmstat_line *line)
{
	struct vmstat_want *want;
	char *name;

	for (size_t i = 0; i < s->want_count; i++)
		if (s->want[i].name_length == line->name_length &&
		    !memcmp(s->want[i].name, line->name, line->name_length))
			return (long)i;
	want = reallocarray(s->want, s->want_count + 1, sizeof(*want));
	if (!want)
		return -ENOMEM;
	s->want = want;
	name = malloc(line->name_length + 1);
	if (!name)
		return -ENOMEM;
	memcpy(name, line->name, line->name_length);
	name[line->name_length] = '\0';
	want[s->want_count] = (struct vmstat_want){.name = name,
						   .name_length = line->name_length,
						   .hint = line->start,
						   .value = line->value,
						   .found = true};
	return (long)s->want_count++;
}

/* The first match counts. */
static const struct {
	const char *kind, *glob;
	enum field_class class;
	enum field_fresh fresh;
	const char *unit;
	uint32_t decimals;
} known[] = {
	/* fs/proc/meminfo.c: what is not gathered from per-CPU counters */
	{"meminfo", "HugePages_*", FIELD_GAUGE, FIELD_ALWAYS, "huge pages", 0},
	{"meminfo", "MemTotal", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "Swap[TF]*", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "CommitLimit", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "Vmalloc*", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "Percpu", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "Huge*", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "DirectMap*", FIELD_GAUGE, FIELD_ALWAYS, "KiB", 0},
	{"meminfo", "*", FIELD_GAUGE, FIELD_FOLDED, "KiB", 0},
	/* the averages are renewed each two seconds (kernel/sched/psi.c) */
	{"pressure", "*:avg*", FIELD_GAUGE, FIELD_FOLDED, "percent", 2},
	{"pressure", "*", FIELD_COUNTER, FIELD_ALWAYS, "us", 0},
	{"disk", "in_flight", FIELD_GAUGE, FIELD_ALWAYS, "requests", 0},
	{"disk", "*_bytes", FIELD_COUNTER, FIELD_ALWAYS, "bytes", 0},
	{"disk", "*_ms", FIELD_COUNTER, FIELD_ALWAYS, "ms", 0},
	{"disk", "*", FIELD_COUNTER, FIELD_ALWAYS, "requests", 0},
	{"self", "threads", FIELD_GAUGE, FIELD_ALWAYS, "threads", 0},
	{"self", "vsize", FIELD_GAUGE, FIELD_ALWAYS, "bytes", 0},
	/* pages counted by each thread or CPU are added to it in batches (mm/memory.c) */
	{"self", "rss", FIELD_GAUGE, FIELD_FOLDED, "pages", 0},
	{"self", "*time", FIELD_COUNTER, FIELD_ALWAYS, "ms", 0},
	{"self", "iowait", FIELD_COUNTER, FIELD_ALWAYS, "ms", 0},
	{"self", "*flt", FIELD_COUNTER, FIELD_ALWAYS, "faults", 0},
	{"self", "sysc?", FIELD_COUNTER, FIELD_ALWAYS, "calls", 0},
	{"self", "*", FIELD_COUNTER, FIELD_ALWAYS, "bytes", 0},
	{"replay", "bytes", FIELD_COUNTER, FIELD_ALWAYS, "bytes", 0},
	{"replay", "*", FIELD_COUNTER, FIELD_ALWAYS, "requests", 0},
};

#define NAME_MOST 128

/* Names longer than any that is known are as unknown ones. */
static const char *terminated(const struct source_field *f, char buf[NAME_MOST])
{
	size_t n = MIN(f->name_length, (size_t)NAME_MOST - 1);

	memcpy(buf, f->name, n);
	buf[n] = '\0';
	return buf;
}

void source_describe_vmstat(struct source_field *f)
{
	char name[NAME_MOST];

	terminated(f, name);
	f->class = field_class_of(name);
	f->fresh = field_fresh_of(name);
	f->unit = field_unit(name);
}

static void describe_known(const char *kind, struct source_field *f)
{
	char name[NAME_MOST];

	terminated(f, name);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].kind, kind) != 0 || fnmatch(known[i].glob, name, 0) != 0)
			continue;
		f->class = known[i].class;
		f->fresh = known[i].fresh;
		f->unit = known[i].unit;
		f->decimals = known[i].decimals;
		/* unsigned int, whatever the machine (part_stat_show() in block/genhd.c) */
		f->narrow = strcmp(kind, "disk") == 0 && strcmp(f->unit, "ms") == 0;
		return;
	}
}

/* meminfo and /proc/PID/io end their names with a colon. */
static size_t name_length(const struct source *s, const struct vmstat_line *line)
{
	size_t n = line->name_length;

	return n - (!s->lines && n > 1 && line->name[n - 1] == ':');
}

bool source_may_be(const struct source *s, const struct vmstat_line *line, const char *name)
{
	size_t n = name_length(s, line);

	return strcmp(s->kind->prefix, "cgroup") == 0 || (strlen(name) == n && memcmp(name, line->name, n) == 0);
}

bool source_describe(const struct source *s, const struct vmstat_line *line, struct source_field *out)
{
	const char *kind = strcmp(s->kind->prefix, "pid") == 0 ? "self" : s->kind->prefix;
	bool described = true;

	*out = (struct source_field){.name = line->name, .name_length = name_length(s, line), .divisor = 1};
	if (strcmp(kind, "cgroup") == 0) {
		described = cgroup_describe(line, cgroup_is_v1(s->file.buf, s->file.used), out);
		/* gathered from the CPUs each two seconds, or past a number of changes (mm/memcontrol.c) */
		out->fresh = FIELD_FOLDED;
	} else if (strcmp(kind, "vmstat") == 0 || strcmp(kind, "node") == 0) {
		source_describe_vmstat(out);
	} else {
		describe_known(kind, out);
	}
	/* most counters are unsigned longs */
	out->narrow |= sizeof(long) == 4 && out->class == FIELD_COUNTER;
	return described;
}

enum field_class source_class_of(const char *title)
{
	const char *name = strncmp(title, "sum(", 4) == 0 ? title + 4 : title;
	const char *colon = strchr(name, ':');
	const struct source_kind *kind = colon ? source_kind_find(name, (size_t)(colon - name)) : NULL;
	struct source_field f = {0};

	if (derived_find(title))
		return FIELD_DERIVED;
	if (kind)
		name = colon + 1;
	colon = strchr(name, ':');
	if (kind && kind->noun && colon)
		name = colon + 1;
	f.name = name;
	f.name_length = strlen(name);
	if (kind && strcmp(kind->prefix, "vmstat") != 0 && strcmp(kind->prefix, "node") != 0 &&
	    strcmp(kind->prefix, "cgroup") != 0)
		describe_known(strcmp(kind->prefix, "pid") == 0 ? "self" : kind->prefix, &f);
	else
		source_describe_vmstat(&f);
	return f.class;
}
