/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cgroupfs.h"
#include "base/macro.h"
#include "base/outfile.h"
#include "base/smallfile.h"
#include "base/units.h"

/* A thread that was ending when the process moved out may be in the group a moment longer. */
#define REMOVE_TRIES 500
#define REMOVE_PAUSE_NS 10000000

static const char *limit_file(bool v2)
{
	return v2 ? "memory.max" : "memory.limit_in_bytes";
}

static char *path_below(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* 0 or -errno. */
static int write_file(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
}

/* The number behind word in a file of a group, or at its beginning with "". UINT64_MAX: none. */
static uint64_t number_in(const char *folder, const char *file, const char *word)
{
	_cleanup_free_ char *path = path_below(folder, file);
	uint64_t v = path ? smallfile_number(path, word) : SMALLFILE_NONE;

	/* v1 says "no limit" by the largest multiple of a page below 2^63 (PAGE_COUNTER_MAX); v2 by "max" */
	return v >= UINT64_C(1) << 62 ? UINT64_MAX : v;
}

static bool gives_memory(const char *folder)
{
	_cleanup_free_ char *path = path_below(folder, "cgroup.subtree_control");
	char text[512], *rest = text, *word;

	if (!path || smallfile_read(path, text, sizeof(text)) < 0)
		return false;
	while ((word = strsep(&rest, " \n")))
		if (strcmp(word, "memory") == 0)
			return true;
	return false;
}

static int may_make(const char *folder, struct fault *fault)
{
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0)
		return 0;
	if (errno == EROFS)
		return fault_set(fault, -EACCES, "%s is mounted read-only, so no memory cgroup can be made there",
				 folder);
	return fault_set(fault, -EACCES, "no permission to make a memory cgroup in %s", folder);
}

/*
 * A group of v2 has the controller only if the one above gives it, and one with processes gives nothing (the "no
 * internal processes" rule of cgroup-v2.rst): the nearest that gives it, from the own group up.
 */
static int place_v2(const struct cgroupfs *c, char **place, struct fault *fault)
{
	_cleanup_free_ char *at = strdup(c->own);
	size_t top = strlen(c->mount);

	if (!at)
		return fault_set(fault, -ENOMEM, "no memory");
	while (!gives_memory(at)) {
		if (strlen(at) <= top)
			return fault_set(fault, -ENOENT,
					 "no cgroup from %s up gives the memory controller to those below it "
					 "(cgroup.subtree_control)",
					 c->own);
		*strrchr(at, '/') = '\0';
	}
	*place = TAKE_PTR(at);
	return 0;
}

int cgroup_place(char **place, const char *proc, struct fault *fault)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	_cleanup_free_ char *at = NULL;
	int r = cgroupfs_find(&c, proc, fault);

	if (r < 0)
		return r;
	if (c.v2)
		r = place_v2(&c, &at, fault);
	else
		at = TAKE_PTR(c.own);
	if (r == 0)
		r = may_make(at, fault);
	if (r == 0)
		*place = TAKE_PTR(at);
	return r;
}

char *cgroup_name(const char *place, const char *name)
{
	for (unsigned i = 0;; i++) {
		_cleanup_free_ char *path = NULL;
		char number[16] = "";
		struct stat st;

		if (i)
			snprintf(number, sizeof(number), ".%u", i);
		if (asprintf(&path, "%s/%s-%d%s", place, name, (int)getpid(), number) < 0) {
			path = NULL;
			return NULL;
		}
		if (stat(path, &st) < 0)
			return TAKE_PTR(path);
	}
}

static void forget(struct cgroup *g)
{
	free(g->folder);
	free(g->home);
	*g = (struct cgroup){.limit = UINT64_MAX};
}

static int set_limit(struct cgroup *g, uint64_t bytes, struct fault *fault)
{
	_cleanup_free_ char *path = path_below(g->folder, limit_file(g->v2));
	char text[32];
	int r;

	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	r = path ? write_file(path, text) : -ENOMEM;
	if (r < 0)
		return fault_set(fault, r,
				 "the kernel refuses a limit of %" PRIu64 " bytes for the memory cgroup %s: %s", bytes,
				 g->folder, strerror(-r));
	g->limit = number_in(g->folder, limit_file(g->v2), "");
	return 0;
}

static int make(struct cgroup *g, const char *folder, struct fault *fault)
{
	_cleanup_free_ char *stat = path_below(folder, "cgroup.controllers");
	int err;

	*g = (struct cgroup){.folder = strdup(folder), .limit = UINT64_MAX};
	if (!g->folder || !stat)
		return fault_set(fault, -ENOMEM, "no memory");
	if (mkdir(folder, 0755) < 0) {
		err = errno;
		return fault_set(fault, -err, "cannot make the memory cgroup %s: %s", folder, strerror(err));
	}
	g->made = true;
	g->v2 = access(stat, F_OK) == 0;
	return 0;
}

int cgroup_make(struct cgroup *g, const char *folder, uint64_t bytes, struct fault *fault)
{
	int r = make(g, folder, fault);

	if (r == 0)
		r = set_limit(g, bytes, fault);
	if (r < 0) {
		if (g->made)
			rmdir(g->folder);
		forget(g);
	}
	return r;
}

int cgroup_open(struct cgroup *g, const char *proc, const char *name, struct fault *fault)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c;
	_cleanup_free_ char *folder = NULL, *procs = NULL;
	int r = cgroupfs_find(&c, proc, fault);

	*g = (struct cgroup){.limit = UINT64_MAX};
	if (r < 0)
		return r;
	folder = cgroupfs_group(&c, name, fault);
	if (!folder)
		return -ENOENT;
	procs = path_below(folder, "cgroup.procs");
	if (!procs)
		return fault_set(fault, -ENOMEM, "no memory");
	if (faccessat(AT_FDCWD, procs, W_OK, AT_EACCESS) < 0)
		return errno == ENOENT ? fault_set(fault, -ENOENT, "%s is not a cgroup", folder)
				       : fault_set(fault, -EACCES, "no permission to move into the cgroup %s", folder);
	g->v2 = c.v2;
	g->limit = number_in(folder, limit_file(c.v2), "");
	g->folder = TAKE_PTR(folder);
	return 0;
}

/* Of v2, a group that has groups below it with controllers takes no processes. */
static int enter_error(const struct cgroup *g, int err, struct fault *fault)
{
	const char *why = strerror(-err);

	if (err == -EBUSY && g->v2)
		why = "it gives controllers to groups below it, so it takes no processes";
	else if (err == -ENOENT || err == -ENODEV)
		why = "it is gone";
	return fault_set(fault, err, "cannot move into the cgroup %s: %s", g->folder, why);
}

int cgroup_enter(struct cgroup *g, const char *proc, struct fault *fault)
{
	_cleanup_(cgroupfs_fini) struct cgroupfs c = {0};
	_cleanup_free_ char *procs = NULL, *home = NULL;
	int r;

	if (g->home)
		return 0;
	r = cgroupfs_find(&c, proc, fault);
	if (r < 0)
		return r;
	home = path_below(c.own, "cgroup.procs");
	procs = path_below(g->folder, "cgroup.procs");
	if (!home || !procs)
		return fault_set(fault, -ENOMEM, "no memory");
	r = write_file(procs, "0");
	if (r < 0)
		return enter_error(g, r, fault);
	g->home = TAKE_PTR(home);
	return 0;
}

int cgroup_leave(struct cgroup *g, struct fault *fault)
{
	_cleanup_free_ char *home = TAKE_PTR(g->home);
	int r = home ? write_file(home, "0") : 0;

	if (r < 0)
		return fault_set(fault, r, "cannot move back to the cgroup of %s: %s", home, strerror(-r));
	return 0;
}

static int remove_group(const struct cgroup *g, struct fault *fault)
{
	for (int i = 0; rmdir(g->folder) < 0; i++) {
		int err = errno;

		if (err == ENOENT)
			return 0;
		if (err != EBUSY || i == REMOVE_TRIES)
			return fault_set(fault, -err, "the cgroup %s cannot be removed: %s", g->folder, strerror(err));
		nanosleep(&(const struct timespec){.tv_nsec = REMOVE_PAUSE_NS}, NULL);
	}
	return 0;
}

int cgroup_close(struct cgroup *g, struct fault *fault)
{
	int r = cgroup_leave(g, fault), removed = 0;
	struct fault why = {0};

	if (g->folder && g->made && r == 0)
		removed = remove_group(g, &why);
	if (removed < 0)
		*fault = why;
	forget(g);
	return r < 0 ? r : removed;
}

char *cgroup_kill_file(const struct cgroup *g)
{
	return path_below(g->folder, g->v2 ? "memory.events" : "memory.oom_control");
}

void cgroup_usage(const struct cgroup *g, struct cgroup_usage *u)
{
	if (g->v2)
		*u = (struct cgroup_usage){
		    .now = number_in(g->folder, "memory.current", ""),
		    .peak = number_in(g->folder, "memory.peak", ""),
		    .at_limit = number_in(g->folder, "memory.events", "max"),
		};
	else
		*u = (struct cgroup_usage){
		    .now = number_in(g->folder, "memory.usage_in_bytes", ""),
		    .peak = number_in(g->folder, "memory.max_usage_in_bytes", ""),
		    .at_limit = number_in(g->folder, "memory.failcnt", ""),
		};
}
