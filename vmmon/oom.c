/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define NAME "/proc/self/oom_score_adj"

static int tell(int err, struct fault *fault)
{
	return fault_set(fault, err, NAME ": %s", strerror(-err));
}

int oom_set(int score, char *before, struct fault *fault)
{
	_cleanup_close_ int fd = open(NAME, O_RDWR | O_CLOEXEC);
	char text[OOM_TEXT];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n < 0)
		return tell(-errno, fault);
	text[n] = '\0';
	if (before)
		memcpy(before, text, sizeof(text));
	n = snprintf(text, sizeof(text), "%d", score);
	return pwrite(fd, text, (size_t)n, 0) < 0 ? tell(-errno, fault) : 0;
}

void oom_restore(const char *before)
{
	_cleanup_close_ int fd = open(NAME, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && pwrite(fd, before, strlen(before), 0) < 0)
		return;
}
