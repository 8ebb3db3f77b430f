/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file systems that the tests of the engines run on, each with the patterned file in it. */
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "rig.h"

struct place {
	const char *type;      /* NULL: a directory of the machine's own */
	char dir[64];
	char reason[160];      /* why it is not there; empty: it is */
};

static struct place places[] = {
	{.type = NULL}, {.type = "tmpfs"}, {.type = "ext4"}, {.type = "xfs"}, {.type = "btrfs"},
};
static char base[] = "/var/tmp/iotrace-engines-XXXXXX";

static const char *place_name(const struct place *p)
{
	return p->type ? p->type : "local";
}

static void mount_place(struct place *p)
{
	_cleanup_free_ char *command = NULL;
	FILE *out;

	if (asprintf(&command, "tests/lib/mountfs.sh %s %s/%s.img %s 2>&1", p->type, base, p->type, p->dir) < 0)
		abort();
	out = popen(command, "r");
	if (!out || !fgets(p->reason, sizeof(p->reason), out))
		p->reason[0] = '\0';
	p->reason[strcspn(p->reason, "\n")] = '\0';
	if ((!out || pclose(out) != 0) && !p->reason[0])
		snprintf(p->reason, sizeof(p->reason), "no %s here", p->type);
}

/* The mounts live in a namespace of this process and go with it, however it ends; the images are removed at once. */
static int make_places(void **state _unused_)
{
	bool own = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
	char path[128];

	if (!mkdtemp(base))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct place *p = &places[i];

		snprintf(p->dir, sizeof(p->dir), "%s/%s", base, place_name(p));
		if (mkdir(p->dir, 0755) < 0)
			return -1;
		if (p->type && !own)
			snprintf(p->reason, sizeof(p->reason), "mounting %s needs root", p->type);
		else if (p->type)
			mount_place(p);
		if (p->reason[0])
			continue;
		snprintf(path, sizeof(path), "%s/%s.img", base, place_name(p));
		unlink(path);
		snprintf(path, sizeof(path), "%s/pattern", p->dir);
		make_pattern(path);
	}
	return 0;
}

static int remove_places(void **state _unused_)
{
	_cleanup_free_ char *command = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i].type && !places[i].reason[0])
			umount2(places[i].dir, MNT_DETACH);
	if (asprintf(&command, "rm -rf --one-file-system %s", base) < 0)
		return -1;
	return system(command);
}
