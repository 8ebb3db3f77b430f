/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floors under vmmon.
 *
 *   floor_vmstat read N         N bare preads of /proc/vmstat, as far as six fields need: as two or more where they lie
 *                               behind what one read of /proc gives; how many is found out before
 *   floor_vmstat whole N        the same to the end of the file
 *   floor_vmstat loop N US      N times: sleep to an absolute deadline US microseconds on, pread, take the numbers of six
 *                               lines whose places are known, format them, write them to standard output
 *
 * read and whole print "COUNT WALL CPU": nanoseconds each.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define FIELDS 6

static const char *const field[FIELDS] = {"nr_mapped",  "nr_active_file", "nr_inactive_file",
					  "pgmajfault", "pgdeactivate",   "pgfree"};
static char buf[65536];
static off_t part[16];
static int parts;

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int has_all(void)
{
	for (int i = 0; i < FIELDS; i++)
		if (!strstr(buf, field[i]))
			return 0;
	return 1;
}

static void find_parts(int fd, int whole)
{
	off_t at = 0;
	ssize_t n;

	while (parts < 16 && (whole || !has_all()) && (n = pread(fd, buf + at, sizeof(buf) - 1 - (size_t)at, at)) > 0) {
		part[parts++] = at;
		at += n;
	}
}

static void bare_read(int fd)
{
	for (int i = 0; i < parts; i++)
		if (pread(fd, buf + part[i], sizeof(buf) - 1 - (size_t)part[i], part[i]) <= 0)
			abort();
}

static void find_lines(int fd, int line[FIELDS])
{
	bare_read(fd);
	for (int i = 0; i < FIELDS; i++) {
		const char *p = buf;
		size_t n = strlen(field[i]);

		for (line[i] = 0; strncmp(p, field[i], n) || p[n] != ' '; line[i]++) {
			p = strchr(p, '\n');
			if (!p || !*++p)
				abort();
		}
	}
}

/* By the number of the line, without a look at its name. */
static void row(int fd, const int line[FIELDS])
{
	char out[FIELDS * 17 + 1];
	const char *start[256];
	const char *p = buf;

	bare_read(fd);
	for (int i = 0; p && i < 256; i++) {
		start[i] = p;
		p = strchr(p, '\n');
		if (p)
			p++;
	}
	memset(out, ' ', sizeof(out));
	for (int i = 0; i < FIELDS; i++) {
		uint64_t v = 0;
		char *to = out + (i + 1) * 17;

		for (p = strchr(start[line[i]], ' ') + 1; *p != '\n'; p++)
			v = v * 10 + (uint64_t)(*p - '0');
		do
			*--to = (char)('0' + v % 10);
		while (v /= 10);
	}
	out[sizeof(out) - 1] = '\n';
	if (write(STDOUT_FILENO, out, sizeof(out)) < 0)
		abort();
}

static void wait_until(int64_t deadline)
{
	struct timespec ts = {.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

int main(int argc, char **argv)
{
	int fd = open("/proc/vmstat", O_RDONLY), loop = argc == 4 && !strcmp(argv[1], "loop"), line[FIELDS];
	long n = argc >= 3 ? atol(argv[2]) : 0;
	int64_t interval = loop ? atol(argv[3]) * 1000 : 0, wall, cpu;

	if (fd < 0 || n < 1 || (!loop && strcmp(argv[1], "read") && strcmp(argv[1], "whole"))) {
		fprintf(stderr, "usage: floor_vmstat read N | whole N | loop N US\n");
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	find_parts(fd, !strcmp(argv[1], "whole"));
	find_lines(fd, line);
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	for (long i = 0; i < n; i++) {
		if (!loop) {
			bare_read(fd);
			continue;
		}
		wait_until(wall + (i + 1) * interval);
		row(fd, line);
	}
	wall = now(CLOCK_MONOTONIC) - wall;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	if (!loop)
		printf("%ld %.1f %.1f\n", n, (double)wall / (double)n, (double)cpu / (double)n);
	return 0;
}
