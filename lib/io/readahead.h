/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far the kernel reads ahead on the device of a target. A file takes the setting over when it is opened
 * (file_ra_state_init() in mm/readahead.c), so it is changed before that; every other file that is opened on the device
 * meanwhile has it too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "io/target.h"

struct readahead {
	char *file;          /* of sysfs, in which it stands */
	uint64_t was;        /* bytes, as found */
	uint64_t is;         /* as the kernel took it */
	int fd;              /* of file, locked; -1: not open */
};

#define READAHEAD_NONE ((struct readahead){.fd = -1})

/* The setting of the device of t: file and was. 0, or with the reason -ENOENT (there is none), -ENOMEM. */
int readahead_find(struct readahead *r, const struct target *t, struct fault *fault);

/* May it be changed? 0, or -EACCES or -EROFS. */
int readahead_check(const struct readahead *r);

/*
 * Have it for this process alone, and read it again: what another one is about to put back is no setting to come back
 * to. 0, or with the reason -EACCES, -EROFS, -EBUSY (another process has it) or -errno.
 */
int readahead_lock(struct readahead *r, struct fault *fault);

/* Change it, after readahead_lock(). bytes are a multiple of 4096. 0 or -errno with the reason. */
int readahead_set(struct readahead *r, uint64_t bytes, struct fault *fault);

/* The text of a setting, as the file takes it. */
#define READAHEAD_TEXT 24
void readahead_text(char text[READAHEAD_TEXT], uint64_t bytes);

void readahead_close(struct readahead *r);
