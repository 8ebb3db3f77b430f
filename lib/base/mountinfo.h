/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/PID/mountinfo (proc(5)). */
#pragma once

#include <stdbool.h>

struct mountinfo {
	const char *id;        /* of the mount, digits */
	const char *root;      /* what of the file system is mounted */
	const char *point;     /* where */
	const char *type;      /* "ext4" */
	const char *source;    /* "/dev/sda1" */
	const char *options;   /* of the file system, separated by commas */
};

/*
 * Take a line apart, in place: the members point into it, with the octal escapes of blanks and backslashes undone.
 * False when it is no such line; it has then changed too.
 */
bool mountinfo_parse(char *line, struct mountinfo *out);
