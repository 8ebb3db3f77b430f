/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture.h"

#include <stdlib.h>
#include <unistd.h>

/* By descriptor: the original and the file it is replaced by. */
static int original[3] = {-1, -1, -1};
static FILE *replaced[3];

void capture_begin(FILE *f)
{
	int fd = fileno(f);

	fflush(f);
	replaced[fd] = tmpfile();
	if (!replaced[fd])
		abort();
	original[fd] = dup(fd);
	dup2(fileno(replaced[fd]), fd);
}

void capture_end(FILE *f, char *text, size_t cap)
{
	int fd = fileno(f);
	size_t n;

	fflush(f);
	dup2(original[fd], fd);
	close(original[fd]);
	rewind(replaced[fd]);
	n = fread(text, 1, cap - 1, replaced[fd]);
	text[n] = '\0';
	fclose(replaced[fd]);
}
