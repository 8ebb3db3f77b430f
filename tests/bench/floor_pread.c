/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The floor under --play: floor_pread REQUESTS FILE. One pread a request, and nothing else. */
#include "floor.h"

int main(int argc, char **argv)
{
	size_t count = 0, longest = 4096, moved = 0, wanted = 0;
	struct floor_request *r = argc == 3 ? floor_load(argv[1], &count) : NULL;
	struct floor_times begin;
	char *buf;
	int fd;

	if (!r) {
		fprintf(stderr, "usage: floor_pread REQUESTS FILE\n");
		return 2;
	}
	fd = floor_open(argv[2]);
	for (size_t i = 0; i < count; i++) {
		longest = r[i].length > longest ? r[i].length : longest;
		wanted += r[i].length;
	}
	buf = aligned_alloc(4096, (longest + 4095) & ~(size_t)4095);
	if (!buf)
		return 1;
	begin = floor_now();
	for (size_t i = 0; i < count; i++)
		moved += (size_t)pread(fd, buf, r[i].length, (off_t)r[i].offset);
	floor_told(begin, count);
	free(buf);
	free(r);
	return moved != wanted;
}
