/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_mtouch LIST FILE [cold]: one byte of a mapping read for each request of a list. The mapping is populated
 * before, unless cold is given.
 */
#include "floor.h"

int main(int argc, char **argv)
{
	struct list l;
	struct lap begin;
	struct stat st;
	const volatile char *map;
	int fd, flags = MAP_SHARED;

	if (argc != 3 && argc != 4)
		errx(2, "usage: floor_mtouch LIST FILE [cold]");
	if (argc == 3)
		flags |= MAP_POPULATE;
	l = list_read(argv[1]);
	fd = file_open(argv[2]);
	if (fstat(fd, &st) < 0)
		err(1, "%s", argv[2]);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, flags, fd, 0);
	if (map == MAP_FAILED)
		err(1, "%s", argv[2]);
	begin = lap_begin();
	for (size_t i = 0; i < l.count; i++)
		(void)map[l.span[i].offset];
	lap_print(begin, l.count);
	return 0;
}
