/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the floors of replay share: the requests of a file of lines "OFFSET LENGTH" in bytes, and the closing line. */
#pragma once

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct floor_request {
	uint64_t offset, length;
};

struct floor_times {
	struct timespec wall, cpu;
};

static inline struct floor_request *floor_load(const char *path, size_t *count)
{
	struct floor_request *r = NULL;
	size_t n = 0, capacity = 0;
	FILE *f = fopen(path, "r");
	uint64_t offset, length;

	while (f && fscanf(f, "%" SCNu64 " %" SCNu64, &offset, &length) == 2) {
		if (n == capacity) {
			capacity = capacity ? capacity * 2 : 1 << 16;
			r = reallocarray(r, capacity, sizeof(*r));
			if (!r)
				abort();
		}
		r[n++] = (struct floor_request){offset, length};
	}
	if (!n) {
		fprintf(stderr, "floor: no requests in %s\n", path);
		exit(2);
	}
	fclose(f);
	*count = n;
	return r;
}

static inline int floor_open(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

static inline struct floor_times floor_now(void)
{
	struct floor_times t;

	clock_gettime(CLOCK_MONOTONIC, &t.wall);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t.cpu);
	return t;
}

static inline double floor_ns(struct timespec begin, struct timespec end, size_t count)
{
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / (double)count;
}

/* "1000000 requests 1041.20 ns/request 1039.00 cpu-ns/request" */
static inline void floor_told(struct floor_times begin, size_t count)
{
	struct floor_times end = floor_now();

	printf("%zu requests %.2f ns/request %.2f cpu-ns/request\n", count, floor_ns(begin.wall, end.wall, count),
	       floor_ns(begin.cpu, end.cpu, count));
}
