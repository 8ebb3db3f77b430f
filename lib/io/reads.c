/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/reads.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/macro.h"
#include "base/smallfile.h"
#include "base/units.h"

#define SECTOR 512 /* of all statistics, whatever the device's own are */

static int64_t number_at(const char *text, uint64_t scale)
{
	const char *why;
	uint64_t n;

	if (units_count(text, strspn(text, "0123456789"), &n, &why) < 0 || n > INT64_MAX / scale)
		return -1;
	return (int64_t)(n * scale);
}

int64_t reads_of_process(void)
{
	static const char name[] = "\nread_bytes: ";
	char text[512];
	const char *line = smallfile_read("/proc/self/io", text, sizeof(text)) > 0 ? strstr(text, name) : NULL;

	return line ? number_at(line + strlen(name), 1) : -1;
}

/* Reads done, reads merged, sectors read (Documentation/block/stat.rst). */
int64_t reads_of_device(dev_t device)
{
	char path[64], text[512];
	const char *at = text;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(device), minor(device));
	if (smallfile_read(path, text, sizeof(text)) <= 0)
		return -1;
	for (int field = 0; field < 2; field++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	return number_at(at + strspn(at, " "), SECTOR);
}
