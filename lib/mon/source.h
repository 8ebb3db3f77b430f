/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source: one small file of the kernel that is read again and again, and the fields in it.
 *
 * Whatever the form of the file, its fields are found in lines of "name number" (mon/vmstat.h): files that are not of
 * that form (a disk's stat, /proc/pressure, /proc/PID/stat) are rewritten into it after each reading, the others are
 * taken as they are. What a line is called by the user, its unit and its scale are source_describe()'s.
 *
 * Sources by their prefix, with the files (PROC is /proc, SYS is /sys):
 *   vmstat:NAME            PROC/vmstat
 *   node:N:NAME            SYS/devices/system/node/nodeN/vmstat
 *   cgroup:PATH:NAME       memory.stat of the memory cgroup, v1 (hierarchical values) or v2; sizes in pages, and the
 *                          names of PROC/vmstat for what is the same
 *   meminfo:KEY            PROC/meminfo
 *   pressure:R:NAME        PROC/pressure/R (Documentation/accounting/psi.rst), NAME as some:avg10, full:total
 *   disk:DISK:NAME         SYS/class/block/DISK/stat (Documentation/block/stat.rst); sectors are told as bytes
 *   self:NAME, pid:N:NAME  PROC/PID/stat and PROC/PID/io (proc(5))
 *   replay:NAME            requests and bytes replayed so far, from the caller
 *
 * A struct source belongs to one thread at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/field.h"
#include "mon/vmstat.h"

/* Roots of the files above. */
struct source_roots {
	const char *proc;
	const char *sys;
};

/* How far a replay is. */
struct source_replay {
	uint64_t requests, bytes;
};
typedef void source_replay_fn(void *ctx, struct source_replay *out);

#define SOURCE_FILES 2

struct source;

struct source_kind {
	const char *prefix;       /* "node" */
	const char *noun;         /* what an instance is, for messages; NULL: the kind has no instances */
	enum { SOURCE_PROC, SOURCE_SYS, SOURCE_CGROUP, SOURCE_NO_FILE } root;
	const char *before;       /* of the file below the root: before, instance, after */
	const char *after[SOURCE_FILES];
	/* Rewrite the text into lines of at most SOURCE_LINES bytes, their length is returned. NULL: taken as it is. */
	size_t (*rewrite[SOURCE_FILES])(const char *text, size_t n, char *lines);
	const char *needs;        /* what a kernel must have for it, where that may well be missing; NULL: nothing */
	bool may_end;             /* what it tells of may end, and then has no values */
	bool digits;              /* instances are numbers */
};

#define SOURCE_LINES 2048

extern const struct source_kind source_kinds[];
extern const size_t source_kind_count;

/* The kind of a prefix of n bytes, or NULL. */
const struct source_kind *source_kind_find(const char *prefix, size_t n);

struct source {
	const struct source_kind *kind;
	char *instance;           /* "" where the kind has none */
	unsigned number;          /* of the kind's files */
	struct vmstat file;       /* fd -1: not open */
	char *lines;              /* rewritten text; NULL: taken as it is */
	size_t lines_length;
	bool ended;               /* the last reading found that what it tells of has ended */
	int error;                /* why it could not be opened though it is there, -errno; 0: open */
	struct vmstat_want *want; /* names owned; as the last reading found them */
	size_t want_count;
	size_t absent;            /* of them */
};

/*
 * Open and read the file of a kind and instance. 0, also when the file is there and may not be read (then
 * source->error); or -errno with the text: -ENOENT there is no such instance or file.
 */
int source_open(struct source *s, const struct source_kind *kind, const char *path, const char *instance,
		unsigned number, struct fault *fault);
void source_close(struct source *s);

/* The path of a file of an instance, which may be a glob; to be freed. NULL: no memory. root: of the kind. */
char *source_path(const struct source_kind *kind, const char *root, const char *instance, unsigned number);

/*
 * Read anew what is wanted. 0 or -errno; what has ended is no error where the kind allows it. Allocates only as
 * vmstat_read().
 */
int source_read(struct source *s, source_replay_fn *replay, void *ctx);

/* The lines that the opening has read, later what source_read() needed of them. */
const char *source_text(const struct source *s, size_t *n);

/*
 * Field i of a file that is there and may not be read, where each kernel has the same ones in it. NULL: no more, or
 * they are not known.
 */
const char *source_unread(const struct source *s, size_t i);

/* Are they known? */
bool source_knows_unread(const struct source *s);

/* What a line is. */
struct source_field {
	const char *name;         /* as users call it, without the prefix; not terminated; in the text or a constant */
	size_t name_length;
	enum field_class class;
	enum field_fresh fresh;
	const char *unit;
	uint32_t divisor;         /* of the file's number, to have the unit */
	uint32_t decimals;        /* the number then is in steps of 10^-decimals */
	bool narrow;              /* the kernel counts it in 32 bits, so that it begins anew at 2^32 */
};

/* Class, freshness and unit of a field of /proc/vmstat by its name alone. */
void source_describe_vmstat(struct source_field *f);

/*
 * Class of a field by the name that a column had (node:0:nr_dirty, pressure:io:some:total, sum(pgscan_*), a derived
 * name), as far as it is known without its file: a formula of the user's own is taken for a field of /proc/vmstat.
 */
enum field_class source_class_of(const char *title);

/* Can the user call the line by this name? Cheaper than to describe all lines; of a cgroup's, each can. */
bool source_may_be(const struct source *s, const struct vmstat_line *line, const char *name);

/* False when the line is none for users. */
bool source_describe(const struct source *s, const struct vmstat_line *line, struct source_field *out);

/* Number of the want of a line of the opening's, made if need be; negative: no memory. */
long source_want(struct source *s, const struct vmstat_line *line);
