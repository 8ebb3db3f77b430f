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

int oom_set(int score, int *before, struct fault *fault)
{
	_cleanup_close_ int fd = open(NAME, O_RDWR | O_CLOEXEC);
	char text[16];
	ssize_t n;

	if (fd < 0)
		return tell(-errno, fault);
	n = pread(fd, text, sizeof(text) - 1, 0);
	if (n < 0)
		return tell(-errno, fault);
	text[n] = '\0';
	if (before)
		*before = atoi(text);
	n = snprintf(text, sizeof(text), "%d", score);
	return pwrite(fd, text, (size_t)n, 0) < 0 ? tell(-errno, fault) : 0;
}
