/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/reads.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/units.h"

#define SECTOR 512 /* of all statistics, whatever the device's own are */

/* The whole of a small file; false when there is none. */
static bool read_file(const char *path, char *text, size_t cap)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, cap - 1);

	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

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
	const char *line = read_file("/proc/self/io", text, sizeof(text)) ? strstr(text, name) : NULL;

	return line ? number_at(line + strlen(name), 1) : -1;
}

/* Reads done, reads merged, sectors read (Documentation/block/stat.rst). */
int64_t reads_of_device(dev_t device)
{
	char path[64], text[512];
	const char *at = text;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(device), minor(device));
	if (!read_file(path, text, sizeof(text)))
		return -1;
	for (int field = 0; field < 2; field++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	return number_at(at + strspn(at, " "), SECTOR);
}
