/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>

#include "base/cgroupfs.h"
#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
#include "mon/near.h"

#define GLOB_CHARS "*?["

static int no_memory(struct fault *fault)
{
	return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
}

static int open_refresh(struct sources *s, struct fault *fault)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/sys/vm/stat_refresh", s->proc) < 0) {
		path = NULL;
		return no_memory(fault);
	}
	s->refresh = open(path, O_WRONLY | O_CLOEXEC);
	s->fresh = s->refresh >= 0;
	if (!s->fresh)
		return fault_set(fault, -errno, "--fresh: %s: %s%s", path, strerror(errno),
				 errno == EACCES || errno == EPERM ? "; only root may have the counters gathered" : "");
	return 0;
}

int sources_init(struct sources *out, const struct sources_params *p, struct fault *fault)
{
	_cleanup_(sources_fini) struct sources s = {.replay = p->replay, .replay_ctx = p->replay_ctx};
	int r;

	s.proc = strdup(p->proc ? p->proc : "/proc");
	s.sys = strdup(p->sys ? p->sys : "/sys");
	s.plain = strdup(p->plain ? p->plain : "vmstat");
	s.replay_cgroup = p->replay_cgroup ? strdup(p->replay_cgroup) : NULL;
	if (!s.proc || !s.sys || !s.plain || (p->replay_cgroup && !s.replay_cgroup))
		return no_memory(fault);
	r = p->fresh ? open_refresh(&s, fault) : 0;
	if (r < 0)
		return r;
	*out = s;
	s = (struct sources){0};
	return 0;
}

void sources_fini(struct sources *s)
{
	for (size_t i = 0; i < s->count; i++)
		source_close(&s->source[i]);
	free(s->source);
	free(s->proc);
	free(s->sys);
	free(s->plain);
	free(s->replay_cgroup);
	free(s->cgroup);
	if (s->fresh)
		close(s->refresh);
	*s = (struct sources){0};
}

/* The kind before the first colon; NULL: there is none of that name. */
static const struct source_kind *prefix_of(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon ? source_kind_find(text, (size_t)(colon - text)) : NULL;
}

static bool is_disk(const struct source_kind *kind)
{
	return strcmp(kind->prefix, "disk") == 0;
}

/* Cgroups are named by paths, and disks may be named by theirs below /dev. */
static bool may_have_slashes(const struct source_kind *kind)
{
	return kind->root == SOURCE_CGROUP || is_disk(kind);
}

static int take_instance(struct source_scope *out, const char *text, size_t n, struct fault *fault)
{
	char quoted[64];

	if (n >= sizeof(out->instance) || (!may_have_slashes(out->kind) && memchr(text, '/', n)))
		return fault_set(fault, -EINVAL, "no %s %s", out->kind->noun,
				 fault_quote(quoted, sizeof(quoted), text, n));
	memcpy(out->instance, text, n);
	out->instance[n] = '\0';
	return 0;
}

static int plain_scope(const struct sources *s, struct source_scope *out, struct fault *fault)
{
	const char *colon = strchrnul(s->plain, ':');

	out->kind = source_kind_find(s->plain, (size_t)(colon - s->plain));
	return *colon ? take_instance(out, colon + 1, strlen(colon + 1), fault) : 0;
}

int sources_scope(const struct sources *s, const char *text, struct source_scope *out, struct fault *fault)
{
	const struct source_kind *kind = prefix_of(text);
	const char *end;
	char quoted[64];
	int r;

	*out = (struct source_scope){.kind = kind, .name = text};
	if (!kind)
		return plain_scope(s, out, fault);
	out->name = text + strlen(kind->prefix) + 1;
	if (kind->noun) {
		/* a path may have colons, its fields have none */
		end = kind->root == SOURCE_CGROUP ? strrchr(out->name, ':') : strchr(out->name, ':');
		if (!end)
			return fault_set(fault, -EINVAL, "%s: the form is %s:%s:FIELD",
					 fault_quote(quoted, sizeof(quoted), text, strlen(text)), kind->prefix,
					 kind->root == SOURCE_CGROUP ? "PATH" : "NAME");
		r = take_instance(out, out->name, (size_t)(end - out->name), fault);
		if (r < 0)
			return r;
		out->name = end + 1;
	}
	return 0;
}

static const char *root_of(struct sources *s, const struct source_kind *kind, struct fault *fault)
{
	struct cgroupfs found;

	if (kind->root != SOURCE_CGROUP)
		return kind->root == SOURCE_SYS ? s->sys : s->proc;
	if (s->cgroup)
		return s->cgroup;
	if (cgroupfs_find(&found, s->proc, fault) < 0)
		return NULL;
	s->cgroup = TAKE_PTR(found.mount);
	cgroupfs_fini(&found);
	return s->cgroup;
}

/* A disk as sysfs names it, where a '/' is a '!' (cciss/c0d0). */
static const char *disk_of(const char *name, char buf[static SOURCE_INSTANCE])
{
	strcpy(buf, strncmp(name, "/dev/", 5) == 0 ? name + 5 : name);
	for (char *c = buf; *c; c++)
		if (*c == '/')
			*c = '!';
	return buf;
}

/*
 * A cgroup as a user names it: from the mount on, which may stand before it, without slashes at its ends; "/" is the
 * root.
 */
static const char *instance_of(const struct sources *s, const struct source_scope *scope,
			       char buf[static SOURCE_INSTANCE])
{
	const char *from = scope->instance;
	size_t n = s->cgroup ? strlen(s->cgroup) : 0;

	if (scope->kind->root != SOURCE_CGROUP)
		return is_disk(scope->kind) ? disk_of(from, buf) : from;
	if (s->replay_cgroup && strcmp(from, "replay") == 0)
		from = s->replay_cgroup;
	if (n && !strncmp(from, s->cgroup, n) && (from[n] == '/' || !from[n]))
		from += n;
	from += strspn(from, "/");
	n = strlen(from);
	while (n && from[n - 1] == '/')
		n--;
	if (!n)
		return "/";
	n = MIN(n, (size_t)SOURCE_INSTANCE - 1);
	memcpy(buf, from, n);
	buf[n] = '\0';
	return buf;
}

/* Index of the source; a new one is opened. */
static long have_source(struct sources *s, const struct source_kind *kind, const char *path, const char *instance,
			unsigned number, struct fault *fault)
{
	struct source *source;
	int r;

	for (size_t i = 0; i < s->count; i++)
		if (s->source[i].kind == kind && s->source[i].number == number &&
		    !strcmp(s->source[i].instance, instance))
			return (long)i;
	source = reallocarray(s->source, s->count + 1, sizeof(*source));
	if (!source)
		return no_memory(fault);
	s->source = source;
	r = source_open(&source[s->count], kind, path, instance, number, fault);
	return r < 0 ? r : (long)s->count++;
}

struct visitor {
	int (*visit)(void *ctx, size_t index);
	void *ctx;
};

/* All files of an instance. -ENOENT: it is not there. */
static int visit_instance(struct sources *s, const struct source_kind *kind, const char *root, const char *instance,
			  const struct visitor *v, struct fault *fault)
{
	for (unsigned i = 0; i < SOURCE_FILES; i++) {
		_cleanup_free_ char *path = NULL;
		long index;
		int r;

		if (i > 0 && !kind->after[i])
			break;
		if (kind->root != SOURCE_NO_FILE) {
			path = source_path(kind, root, instance, i);
			if (!path)
				return no_memory(fault);
		}
		index = have_source(s, kind, path, instance, i, fault);
		if (index < 0)
			return (int)index;
		r = v->visit(v->ctx, (size_t)index);
		if (r < 0)
			return r;
	}
	return 0;
}

static void globfreep(glob_t *g)
{
	globfree(g);
}

/* Call for each instance that is there and matches. */
static int each_match(const struct source_kind *kind, const char *root, const char *pattern,
		      int (*call)(void *ctx, const char *instance), void *ctx)
{
	_cleanup_free_ char *path = source_path(kind, root, pattern, 0);
	_cleanup_(globfreep) glob_t found = {0};
	size_t before = strlen(root) + 1 + strlen(kind->before), after = strlen(kind->after[0]);
	int r = path ? glob(path, 0, NULL, &found) : GLOB_NOSPACE;

	if (r == GLOB_NOSPACE)
		return -ENOMEM;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *at = found.gl_pathv[i] + before;

		at[strlen(at) - after] = '\0';
		r = call(ctx, at);
		if (r < 0)
			return r;
	}
	return 0;
}

static int consider(void *ctx, const char *instance)
{
	near_consider(ctx, instance, strlen(instance));
	return 0;
}

static int no_instance(const struct source_kind *kind, const char *root, const char *instance, struct fault *fault)
{
	struct near near = {.asked = instance};
	char quoted[64], text[NEAR_TEXT];

	if (kind->root == SOURCE_CGROUP && strcmp(instance, "replay") == 0)
		return fault_set(fault, -ENXIO, "no memory cgroup 'replay' below %s, and no play is in one", root);
	/* another process is none that was meant */
	if (kind->root != SOURCE_CGROUP && strcmp(kind->prefix, "pid") != 0)
		each_match(kind, root, "*", consider, &near);
	near_text(&near, text);
	/* what is near is there, so the kernel has them */
	if (kind->needs && !text[0])
		snprintf(text, sizeof(text), "; it takes %s", kind->needs);
	return fault_set(fault, -ENXIO, "no %s %s%s%s%s", kind->noun,
			 fault_quote(quoted, sizeof(quoted), instance, strlen(instance)),
			 kind->root == SOURCE_CGROUP ? " below " : "", kind->root == SOURCE_CGROUP ? root : "", text);
}

struct matches {
	struct sources *sources;
	const struct source_kind *kind;
	const char *root;
	const struct visitor *visitor;
	struct fault *fault;
	size_t count;
};

static int match(void *ctx, const char *instance)
{
	struct matches *m = ctx;
	int r;

	/* node* has the node's number behind it, and other files too */
	if (m->kind->digits && instance[strspn(instance, "0123456789")])
		return 0;
	r = visit_instance(m->sources, m->kind, m->root, instance, m->visitor, m->fault);
	m->count += r == 0;
	return r == -ENOENT ? 0 : r;
}

int sources_each(struct sources *s, const struct source_scope *scope, int (*visit)(void *ctx, size_t index), void *ctx,
		 struct fault *fault)
{
	const struct source_kind *kind = scope->kind;
	const struct visitor visitor = {.visit = visit, .ctx = ctx};
	const char *root = root_of(s, kind, fault), *instance;
	char buf[SOURCE_INSTANCE];
	int r;

	if (!root)
		return -EINVAL;
	if (kind->root == SOURCE_NO_FILE && !s->replay)
		return fault_set(fault, -EINVAL, "replay: there is no play among the actions");
	instance = instance_of(s, scope, buf);
	if (!strpbrk(instance, GLOB_CHARS)) {
		bool odd = kind->digits && (!*instance || instance[strspn(instance, "0123456789")]);

		r = odd ? -ENOENT : visit_instance(s, kind, root, instance, &visitor, fault);
		return r == -ENOENT && kind->noun ? no_instance(kind, root, instance, fault) : r;
	}
	/* all processes would be files without end */
	if (!strcmp(kind->prefix, "pid"))
		return fault_set(fault, -EINVAL, "pid: takes the number of one process, and no glob");
	struct matches m = {.sources = s, .kind = kind, .root = root, .visitor = &visitor, .fault = fault};

	r = each_match(kind, root, instance, match, &m);
	if (r == -ENOMEM)
		return no_memory(fault);
	/* a name may have such characters in itself */
	if (r == 0 && m.count == 0)
		r = match(&m, instance);
	return r == 0 && m.count == 0 ? no_instance(kind, root, instance, fault) : r;
}

int sources_read(struct sources *s, const char **bad)
{
	s->torn = 0;
	/* -EINVAL is what older kernels say when a number is below zero at the moment */
	if (s->fresh && pwrite(s->refresh, "1\n", 2, 0) < 0 && errno != EINVAL) {
		*bad = "/proc/sys/vm/stat_refresh";
		return -errno;
	}
	for (size_t i = 0; i < s->count; i++) {
		int r = source_read(&s->source[i], s->replay, s->replay_ctx);

		if (r < 0) {
			*bad = s->source[i].file.path;
			return r;
		}
		s->torn += s->source[i].file.reads > 1;
	}
	return 0;
}

int64_t sources_fold_ns(const struct sources *s)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_(vmstat_close) struct vmstat v = {.fd = -1};
	struct fault ignored;
	uint64_t seconds;
	const char *why;

	if (asprintf(&path, "%s/sys/vm/stat_interval", s->proc) < 0) {
		path = NULL;
		return 0;
	}
	if (vmstat_open_file(&v, path, &ignored) < 0 || !v.used ||
	    units_count(v.buf, v.used - (v.buf[v.used - 1] == '\n'), &seconds, &why) < 0 || seconds > INT32_MAX)
		return 0;
	return (int64_t)seconds * NS_PER_SEC;
}
