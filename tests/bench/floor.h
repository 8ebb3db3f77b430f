/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the bare loops share: the list of requests (a trace with unit letters, as --save writes it), the clocks, and the
 * one line they print: "REQUESTS WALL CPU", both in ns a request. They check nothing that can be left unchecked.
 */
#pragma once

#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct span {
	uint64_t offset, length;
};

struct list {
	struct span *span;
	size_t count;
	uint64_t longest;
};

static inline uint64_t list_number(char **at)
{
	static const char letters[] = "bkmgtp";
	static const unsigned char shifts[] = {0, 10, 20, 30, 40, 12};
	uint64_t n = strtoull(*at, at, 10);
	const char *letter = **at && **at > ' ' ? strchr(letters, **at) : NULL;

	if (!letter)
		errx(2, "a number without a unit letter");
	++*at;
	return n << shifts[letter - letters];
}

static inline struct list list_read(const char *path)
{
	struct list l = {0};
	size_t room = 0, size = 0;
	char *line = NULL;
	FILE *f = fopen(path, "r");

	if (!f)
		err(1, "%s", path);
	while (getline(&line, &size, f) > 0) {
		char *at = line;

		if (*line == '#')
			continue;
		if (l.count == room) {
			room = room ? 2 * room : 1 << 16;
			l.span = realloc(l.span, room * sizeof(*l.span));
			if (!l.span)
				err(1, "list");
		}
		l.span[l.count].offset = list_number(&at);
		l.span[l.count].length = list_number(&at);
		if (l.span[l.count].length > l.longest)
			l.longest = l.span[l.count].length;
		l.count++;
	}
	free(line);
	fclose(f);
	if (l.count == 0)
		errx(2, "%s: no requests", path);
	return l;
}

static inline int file_open(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static inline char *buffer_new(size_t size)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (p == MAP_FAILED)
		err(1, "buffer");
	return p;
}

struct lap {
	int64_t wall, cpu;
};

static inline int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline struct lap lap_begin(void)
{
	return (struct lap){.cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), .wall = clock_ns(CLOCK_MONOTONIC)};
}

static inline void lap_print(struct lap begin, size_t requests)
{
	int64_t wall = clock_ns(CLOCK_MONOTONIC) - begin.wall, cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin.cpu;

	printf("%zu %.2f %.2f\n", requests, (double)wall / (double)requests, (double)cpu / (double)requests);
}
