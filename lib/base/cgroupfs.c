/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cgroupfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/macro.h"
#include "base/mountinfo.h"

static FILE *open_below(const char *folder, const char *name)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return NULL;
	}
	return fopen(path, "re");
}

/* Is word in a list whose words are separated by blanks or commas? */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (*list) {
		size_t here = strcspn(list, " ,\n");

		if (here == n && memcmp(list, word, n) == 0)
			return true;
		list += here;
		list += strspn(list, " ,\n");
	}
	return false;
}

static bool has_memory_v2(const char *mount)
{
	_cleanup_fclose_ FILE *f = open_below(mount, "cgroup.controllers");
	char line[512];

	return f && fgets(line, sizeof(line), f) && has_word(line, "memory");
}

static bool has_memory(const struct mountinfo *m, bool *v2)
{
	*v2 = strcmp(m->type, "cgroup2") == 0;
	return *v2 ? has_memory_v2(m->point) : strcmp(m->type, "cgroup") == 0 && has_word(m->options, "memory");
}

/* A file of proc that is not there tells nothing; what else keeps it from being opened is a failure of its own. */
static int cannot_open(const char *proc, const char *name, int err, struct fault *fault)
{
	if (err == ENOENT || err == ENOTDIR)
		return 0;
	return fault_set(fault, -err, "where the cgroups are cannot be told: %s/%s: %s", proc, name, strerror(err));
}

/* The process's own place, as a path of the hierarchy in *own: NULL when it is not told. 0 or -errno. */
static int own_path(const char *proc, bool v2, char **own, struct fault *fault)
{
	_cleanup_fclose_ FILE *f = open_below(proc, "self/cgroup");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	*own = NULL;
	if (!f)
		return cannot_open(proc, "self/cgroup", errno, fault);
	while (getline(&line, &cap, f) > 0) {
		char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		controllers++;
		if (v2 ? *controllers : !has_word(controllers, "memory"))
			continue;
		*own = strdup(path);
		return *own ? 0 : fault_set(fault, -ENOMEM, "no memory");
	}
	return 0;
}

/*
 * What is mounted may be a part of the hierarchy, its root then is a path of it. A container may be shown the paths of
 * the host and not have them: its own group then is where its mount begins.
 */
static char *own_folder(const char *mount, const char *root, const char *path)
{
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	char *folder = NULL;
	struct stat st;

	/* "/../x" is a group outside of what a cgroup namespace shows (cgroup_namespaces(7)) */
	if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != '\0') || strncmp(path + n, "/..", 3) == 0)
		return strdup(mount);
	path += n;
	if (asprintf(&folder, "%s%s", mount, strcmp(path, "/") == 0 ? "" : path) < 0)
		return NULL;
	if (stat(folder, &st) == 0)
		return folder;
	free(folder);
	return strdup(mount);
}

void cgroupfs_fini(struct cgroupfs *c)
{
	free(c->mount);
	free(c->own);
	*c = (struct cgroupfs){0};
}

int cgroupfs_find(struct cgroupfs *c, const char *proc, struct fault *fault)
{
	_cleanup_fclose_ FILE *f = open_below(proc, "self/mountinfo");
	_cleanup_free_ char *line = NULL;
	struct mountinfo m;
	int r = f ? 0 : cannot_open(proc, "self/mountinfo", errno, fault);
	size_t cap = 0;

	*c = (struct cgroupfs){0};
	if (r < 0)
		return r;
	while (f && getline(&line, &cap, f) > 0) {
		_cleanup_(cgroupfs_fini) struct cgroupfs new = {0};
		_cleanup_free_ char *path = NULL;

		if (!mountinfo_parse(line, &m) || !has_memory(&m, &new.v2))
			continue;
		r = own_path(proc, new.v2, &path, fault);
		if (r < 0)
			return r;
		if (!path)
			continue;
		new.mount = strdup(m.point);
		new.own = own_folder(m.point, m.root, path);
		if (!new.mount || !new.own)
			return fault_set(fault, -ENOMEM, "no memory");
		*c = new;
		new = (struct cgroupfs){0};
		return 0;
	}
	return fault_set(fault, -ENOENT, "no cgroup file system with the memory controller is mounted here");
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *cgroupfs_group(const struct cgroupfs *c, const char *name, struct fault *fault)
{
	size_t n = strlen(c->mount);
	char *path = NULL;

	if (strncmp(name, c->mount, n) == 0 && (name[n] == '/' || name[n] == '\0'))
		path = strdup(name);
	else if (asprintf(&path, "%s/%s", c->mount, name + strspn(name, "/")) < 0)
		path = NULL;
	if (!path) {
		fault_set(fault, -ENOMEM, "no memory");
		return NULL;
	}
	if (is_folder(path))
		return path;
	free(path);
	fault_set(fault, -ENOENT, "there is no cgroup '%s' below %s", name, c->mount);
	return NULL;
}
