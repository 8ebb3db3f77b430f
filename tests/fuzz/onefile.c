/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Give every file of a folder to a fuzz target once, in the order of their names; TAP, one test a file. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/macro.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int give(const char *path)
{
	FILE *f = fopen(path, "rb");
	_cleanup_free_ uint8_t *data = NULL;
	size_t size;

	if (!f)
		return -1;
	data = malloc(1 << 20);
	size = data ? fread(data, 1, 1 << 20, f) : 0;
	fclose(f);
	/* a copy of the exact size, so that a read past the end is seen */
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		return -1;
	for (size_t i = 0; i < size; i++)
		exact[i] = data[i];
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **entry;
	int n, bad = 0, seen = 0;

	n = argc == 2 ? scandir(argv[1], &entry, NULL, alphasort) : -1;
	if (n < 0) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		if (entry[i]->d_name[0] != '.') {
			int r;

			snprintf(path, sizeof(path), "%s/%s", argv[1], entry[i]->d_name);
			r = give(path);
			printf("%s %d - %s\n", r ? "not ok" : "ok", ++seen, entry[i]->d_name);
			bad |= r;
			fflush(stdout);
		}
		free(entry[i]);
	}
	free(entry);
	printf("1..%d\n", seen);
	return bad ? 1 : 0;
}
