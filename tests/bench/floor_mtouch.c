/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The floor under --mplay: floor_mtouch REQUESTS FILE. The file is mapped and populated; one byte is read a request. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "floor.h"

int main(int argc, char **argv)
{
	size_t count = 0;
	struct floor_request *r = argc == 3 ? floor_load(argv[1], &count) : NULL;
	volatile const char *map;
	struct floor_times begin;
	struct stat st;
	int fd;

	if (!r) {
		fprintf(stderr, "usage: floor_mtouch REQUESTS FILE\n");
		return 2;
	}
	fd = floor_open(argv[2]);
	if (fstat(fd, &st) < 0)
		return 1;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	begin = floor_now();
	for (size_t i = 0; i < count; i++)
		(void)map[r[i].offset];
	floor_told(begin, count);
	free(r);
	return 0;
}
