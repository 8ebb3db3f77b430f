/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/smallfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/units.h"

ssize_t smallfile_read(const char *path, char *text, size_t cap)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, cap - 1);

	text[MAX(n, (ssize_t)0)] = '\0';
	return n < 0 ? -errno : n;
}

/* Not a longer word that begins with it. */
static bool begins(const char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 && (n == 0 || strchr(" :\t", line[n]));
}

uint64_t smallfile_number(const char *path, const char *word)
{
	char text[SMALLFILE_TEXT], *at = text;
	const char *why;
	uint64_t value;

	if (smallfile_read(path, text, sizeof(text)) <= 0)
		return SMALLFILE_NONE;
	while (at && !begins(at, word)) {
		at = strchr(at, '\n');
		at += at != NULL;
	}
	if (!at)
		return SMALLFILE_NONE;
	at += strlen(word);
	at += strspn(at, " :\t");
	return units_count(at, strspn(at, "0123456789"), &value, &why) < 0 ? SMALLFILE_NONE : value;
}
