/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loop devices for tests that need a block device. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/*
 * A loop device over file f, of 4096-byte sectors when asked; it goes away by itself with its last user. 0: none here.
 */
static inline bool loop_device(char *device, size_t cap, const char *options)
{
	char command[128];
	FILE *out;

	if (geteuid() != 0) {
		print_message("# loop devices need root\n");
		return false;
	}
	snprintf(command, sizeof(command), "PATH=$PATH:/sbin:/usr/sbin losetup -f --show %s f 2>&1", options);
	out = popen(command, "r");
	if (!out || !fgets(device, (int)cap, out))
		device[0] = '\0';
	device[strcspn(device, "\n")] = '\0';
	if (!out || pclose(out) != 0 || device[0] != '/') {
		print_message("# no loop device here: %s\n", device);
		return false;
	}
	return true;
}

static inline void detach(const char *device)
{
	char command[128];

	snprintf(command, sizeof(command), "PATH=$PATH:/sbin:/usr/sbin losetup -d %s", device);
	assert_int_equal(system(command), 0);
}
