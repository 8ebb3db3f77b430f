/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What vmmon does with a tick, but without waiting for one: read, look up, format and write a row of the fields, N
 * times. To be compared with "floor_vmstat read N".
 *
 *   vmstat_rows N FIELD...
 *
 * Rows go to /dev/null; prints "COUNT WALL CPU": nanoseconds each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/row.h"

#define MOST 512

static int64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	_cleanup_(columns_fini) struct columns c = {0};
	_cleanup_(row_fini) struct row row = {0};
	_cleanup_close_ int null = open("/dev/null", O_WRONLY);
	static uint64_t values[2][MOST];
	static bool missing[2][MOST];
	struct sample sample[2];
	long n = argc >= 3 ? atol(argv[1]) : 0;
	const char *bad;
	struct fault fault;
	int64_t wall, cpu;

	if (n < 1 || null < 0 || columns_init(&c, &(struct sources_params){0}, &fault) < 0) {
		fprintf(stderr, "usage: vmstat_rows N FIELD...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (columns_add(&c, argv[i], COLUMN_RATE, &fault) < 0 || c.term_count > MOST)
			return 2;
	if (row_init(&row, &c, STAMP_NONE) < 0)
		return 1;
	for (int i = 0; i < 2; i++)
		sample[i] = (struct sample){.when = i, .values = values[i], .missing = missing[i]};
	wall = clock_now();
	cpu = cpu_now();
	for (long i = 0; i < n; i++) {
		struct sample *now = &sample[i % 2];
		int64_t before = clock_now();

		if (sources_read(&c.sources, &bad) < 0)
			return 1;
		now->when = before + (clock_now() - before) / 2;
		columns_values(&c, values[i % 2], missing[i % 2]);
		if (write(null, row.buf, row_sample(&row, wall, &sample[(i + 1) % 2], now)) < 0)
			return 1;
	}
	wall = clock_now() - wall;
	cpu = cpu_now() - cpu;
	printf("%ld %.1f %.1f\n", n, (double)wall / (double)n, (double)cpu / (double)n);
	return 0;
}
