/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floor under --load: read lines of "OFFSET LENGTH" (digits only) and store records of 16 bytes. No units, no check
 * of anything. Usage: floor_parse FILE; prints lines and nanoseconds of CPU a line.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUF (1u << 20)

struct record {
	uint64_t offset, length;
};

static int64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static struct record *grow(struct record *record, size_t capacity)
{
	record = reallocarray(record, capacity, sizeof(*record));
	if (!record)
		abort();
	return record;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	size_t count = 0, capacity = 1 << 16, have = 0;
	struct record *record = grow(NULL, capacity);
	char *buf = malloc(BUF);
	int64_t begin = cpu_now();
	ssize_t n;

	if (fd < 0 || !buf) {
		fprintf(stderr, "usage: floor_parse FILE\n");
		return 2;
	}
	while ((n = read(fd, buf + have, BUF - have)) > 0) {
		const char *p = buf, *end = buf + have + n, *limit = end;

		while (limit > buf && limit[-1] != '\n')
			limit--;
		while (p < limit) {
			uint64_t v[2] = {0, 0};

			for (; *p != ' '; p++)
				v[0] = v[0] * 10 + (uint64_t)(*p - '0');
			for (p++; *p != '\n'; p++)
				v[1] = v[1] * 10 + (uint64_t)(*p - '0');
			p++;
			if (count == capacity)
				record = grow(record, capacity *= 2);
			record[count++] = (struct record){v[0], v[1]};
		}
		have = (size_t)(end - limit);
		memmove(buf, limit, have);
	}
	printf("%zu lines %.2f ns/line\n", count, (double)(cpu_now() - begin) / (double)(count ? count : 1));
	free(record);
	free(buf);
	return 0;
}
