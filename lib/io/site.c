/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/site.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/macro.h"
#include "base/mountinfo.h"
#include "base/smallfile.h"
#include "base/units.h"

static void closedirp(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* The first line of a small file, without its end; false when there is none. */
static bool read_line(const char *path, char *text, size_t cap)
{
	if (smallfile_read(path, text, cap) <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static int64_t read_number(const char *path)
{
	char text[32];
	const char *why;
	uint64_t v;

	return read_line(path, text, sizeof(text)) && units_count(text, strlen(text), &v, &why) == 0 && v <= INT64_MAX
		   ? (int64_t)v
		   : -1;
}

static void copy(char *to, size_t cap, const char *from)
{
	snprintf(to, cap, "%.*s", (int)cap - 1, from);
}

/* The setting that stands in a file, if it is there and none was found before. */
static void ask_read_ahead(struct site *s, const char *path)
{
	if (s->read_ahead_kb >= 0)
		return;
	s->read_ahead_kb = read_number(path);
	if (s->read_ahead_kb >= 0)
		copy(s->read_ahead_file, sizeof(s->read_ahead_file), path);
}

/* Of "mq-deadline kyber [none]" the word in brackets; a list of one has none on old kernels. */
static void take_scheduler(struct site *s, char *line)
{
	char *begin = strchr(line, '['), *end = begin ? strchr(begin, ']') : NULL;

	if (end) {
		*end = '\0';
		line = begin + 1;
	}
	copy(s->scheduler, sizeof(s->scheduler), line);
}

/* A partition's queue is that of its disk, one folder up. */
static void ask_queue(struct site *s, dev_t dev)
{
	static const char *const folder[] = {"queue", "../queue"};
	char path[128], line[128];

	for (size_t i = 0; i < ARRAY_SIZE(folder); i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s/scheduler", major(dev), minor(dev), folder[i]);
		if (!read_line(path, line, sizeof(line)))
			continue;
		take_scheduler(s, line);
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s/read_ahead_kb", major(dev), minor(dev),
			 folder[i]);
		ask_read_ahead(s, path);
		return;
	}
}

/* The folder of the btrfs that has the device, in /sys, into path; false when there is none. */
static bool find_btrfs(const char *device, char *path, size_t cap)
{
	_cleanup_(closedirp) DIR *d = opendir("/sys/fs/btrfs");
	const char *name = strrchr(device, '/');
	struct dirent *e;

	while (d && name && (e = readdir(d)) != NULL) {
		snprintf(path, cap, "/sys/fs/btrfs/%s/devices/%s", e->d_name, name + 1);
		if (access(path, F_OK) != 0)
			continue;
		snprintf(path, cap, "/sys/fs/btrfs/%s", e->d_name);
		return true;
	}
	return false;
}

/* btrfs reads ahead by a setting of its own, which stands under the id of the one that has the device. */
static void ask_btrfs(struct site *s)
{
	char folder[512], path[600];

	if (!find_btrfs(s->device, folder, sizeof(folder)))
		return;
	snprintf(path, sizeof(path), "%s/bdi/read_ahead_kb", folder);
	ask_read_ahead(s, path);
}

static bool btrfs_has_others(const char *device)
{
	char folder[512], path[600];
	struct dirent *e;
	unsigned n = 0;

	if (!find_btrfs(device, folder, sizeof(folder)))
		return true;
	snprintf(path, sizeof(path), "%s/devices", folder);
	_cleanup_(closedirp) DIR *d = opendir(path);
	while (d && (e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	return n != 1;
}

/* The number of the mount that fd was opened on, or -1. */
static int64_t mount_of(int fd)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[128];
	const char *why;
	uint64_t id;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *digits = line + strlen("mnt_id:");

		if (strncmp(line, "mnt_id:", strlen("mnt_id:")) != 0)
			continue;
		digits += strspn(digits, " \t");
		return units_count(digits, strcspn(digits, "\n"), &id, &why) == 0 && id <= INT64_MAX ? (int64_t)id : -1;
	}
	return -1;
}

static void ask_mounts(struct site *s, int64_t mount)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	struct mountinfo m;
	size_t cap = 0;
	char id[32];

	snprintf(id, sizeof(id), "%" PRId64, mount);
	while (f && getline(&line, &cap, f) > 0) {
		if (!mountinfo_parse(line, &m) || strcmp(m.id, id) != 0)
			continue;
		copy(s->file_system, sizeof(s->file_system), m.type);
		copy(s->device, sizeof(s->device), m.source);
		return;
	}
}

static void of_device(struct site *s, dev_t dev)
{
	char path[64], link[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	n = readlink(path, link, sizeof(link) - 1);
	if (n > 0) {
		const char *name;

		link[n] = '\0';
		name = strrchr(link, '/');
		snprintf(s->device, sizeof(s->device), "/dev/%.50s", name ? name + 1 : link);
	}
	ask_queue(s, dev);
}

static void of_file(struct site *s, const struct target *t, dev_t dev)
{
	struct stat source;
	char path[64];

	ask_mounts(s, mount_of(t->fd));
	if (strcmp(s->file_system, "btrfs") == 0)
		ask_btrfs(s);
	/* The setting of the file system, which for one on a disk is the disk's, and for a network's its own. */
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", major(dev), minor(dev));
	ask_read_ahead(s, path);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	if (access(path, F_OK) == 0)
		of_device(s, dev);
	else if (stat(s->device, &source) == 0 && S_ISBLK(source.st_mode))
		ask_queue(s, source.st_rdev);
}

void site_of_target(const struct target *t, struct site *s)
{
	struct stat st;

	*s = (struct site){.read_ahead_kb = -1};
	if (fstat(t->fd, &st) < 0)
		return;
	if (S_ISBLK(st.st_mode))
		of_device(s, st.st_rdev);
	else if (S_ISREG(st.st_mode))
		of_file(s, t, st.st_dev);
}

static bool is_disk(dev_t dev)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	return access(path, F_OK) == 0;
}

/* btrfs has device numbers of its own making; what is mounted is one of its devices. */
bool site_device(const struct target *t, dev_t *device)
{
	struct site s = {.read_ahead_kb = -1};
	struct stat st, source;

	if (fstat(t->fd, &st) < 0)
		return false;
	*device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	if (S_ISBLK(st.st_mode) || (S_ISREG(st.st_mode) && is_disk(*device)))
		return true;
	ask_mounts(&s, mount_of(t->fd));
	if (stat(s.device, &source) < 0 || !S_ISBLK(source.st_mode))
		return false;
	*device = source.st_rdev;
	return strcmp(s.file_system, "btrfs") != 0 || !btrfs_has_others(s.device);
}
