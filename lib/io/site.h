/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a target lies, as far as the kernel tells: what decides its speed and is not seen in its name.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "io/target.h"

struct site {
	char file_system[32];     /* type as in /proc/self/mountinfo ("ext4"); "" for a device, or not known */
	char device[64];          /* the block device below, or the mount's source ("server:/dir", "tmpfs"); "" likewise */
	int64_t read_ahead_kb;    /* of the file system, else of the device; -1: not known */
	char read_ahead_file[600]; /* where that is read, and may be changed for what is opened from then on; "" likewise */
	char scheduler[32];       /* of the device's queue ("none", "mq-deadline"); "" likewise */
};

/* Fills in what can be found out, from /proc/self/fdinfo, /proc/self/mountinfo and /sys. Never fails. */
void site_of_target(const struct target *t, struct site *s);

/*
 * The block device that a target is, or that its file system lies on. False when there is none, or several, or it
 * cannot be found out: a network's, one in memory, one on others as overlayfs.
 */
bool site_device(const struct target *t, dev_t *device);
