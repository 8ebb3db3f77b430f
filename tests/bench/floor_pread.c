/* SPDX-License-Identifier: GPL-2.0-or-later */
/* floor_pread LIST FILE [direct]: the cost of the preads of a list, and nothing else. */
#include "floor.h"

int main(int argc, char **argv)
{
	struct list l;
	struct lap begin;
	char *buf;
	int fd;

	if (argc != 3 && argc != 4)
		errx(2, "usage: floor_pread LIST FILE [direct]");
	l = list_read(argv[1]);
	fd = file_open(argv[2]);
	if (argc == 4 && fcntl(fd, F_SETFL, O_DIRECT) < 0)
		err(1, "%s: O_DIRECT", argv[2]);
	buf = buffer_new(l.longest);
	begin = lap_begin();
	for (size_t i = 0; i < l.count; i++)
		if (pread(fd, buf, l.span[i].length, (off_t)l.span[i].offset) != (ssize_t)l.span[i].length)
			errx(1, "short read");
	lap_print(begin, l.count);
	return 0;
}
