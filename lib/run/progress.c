/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/progress.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/outfile.h"

size_t progress_format(char *buf, double done, uint64_t bytes, int64_t elapsed_ns)
{
	double seconds = (double)elapsed_ns / (double)NS_PER_SEC;
	double rate = seconds > 0 ? (double)bytes / (1 << 20) / seconds : 0;
	double left = done > 0 ? seconds * (1 - MIN(done, 1)) / done : -1;
	int n;

	if (left >= 0 && left < 1e9) {
		uint64_t s = (uint64_t)(left + 0.5);

		n = snprintf(buf, PROGRESS_TEXT, "%5.1f%%  %.1f MB/s  %ju:%02u:%02u left", 100 * MIN(done, 1), rate,
			     (uintmax_t)(s / 3600), (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	} else {
		n = snprintf(buf, PROGRESS_TEXT, "%5.1f%%  %.1f MB/s", 100 * MIN(done, 1), rate);
	}
	return MIN((size_t)n, (size_t)PROGRESS_TEXT - 1);
}

void progress_show(double done, uint64_t bytes, int64_t elapsed_ns)
{
	char text[PROGRESS_TEXT], line[PROGRESS_TEXT + 8];
	size_t n = progress_format(text, done, bytes, elapsed_ns);

	/* One write, so that the line is never seen in halves: to its start, the text, erase what is behind. */
	line[0] = '\r';
	memcpy(line + 1, text, n);
	memcpy(line + 1 + n, "\033[K", 3);
	(void)fd_write_all(STDERR_FILENO, line, n + 4);
}

void progress_clear(void)
{
	(void)fd_write_all(STDERR_FILENO, "\r\033[K", 4);
}
