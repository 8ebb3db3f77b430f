/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floor under --create --save: lines "OFFSETp<tab>LENGTHp" of a sequential pattern, pairs of digits into one
 * buffer, no requests, no checks. Usage: floor_gen COUNT STRIDE LENGTH FILE (numbers in pages); prints nanoseconds of
 * CPU a line.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUF (1u << 18)
#define LINE 64

static int64_t cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static char *put(char *p, uint64_t v, const char *pairs)
{
	char text[24], *at = text + sizeof(text);
	size_t n;

	for (; v >= 100; v /= 100) {
		at -= 2;
		memcpy(at, pairs + v % 100 * 2, 2);
	}
	at -= 2;
	memcpy(at, pairs + v * 2, 2);
	at += v < 10;
	n = (size_t)(text + sizeof(text) - at);
	memcpy(p, at, n);
	return p + n;
}

int main(int argc, char **argv)
{
	static char buf[BUF], pairs[200], tail[LINE];
	uint64_t count, stride;
	char *p = buf;
	int64_t begin;
	size_t tail_len;
	int fd;

	if (argc != 5) {
		fprintf(stderr, "usage: floor_gen COUNT STRIDE LENGTH FILE\n");
		return 2;
	}
	count = strtoull(argv[1], NULL, 10);
	stride = strtoull(argv[2], NULL, 10);
	tail_len = (size_t)snprintf(tail, sizeof(tail), "p\t%llup\n", strtoull(argv[3], NULL, 10));
	for (int i = 0; i < 100; i++) {
		pairs[2 * i] = (char)('0' + i / 10);
		pairs[2 * i + 1] = (char)('0' + i % 10);
	}
	fd = open(argv[4], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	begin = cpu_now();
	for (uint64_t i = 0; i < count; i++) {
		p = put(p, i * stride, pairs);
		memcpy(p, tail, tail_len);
		p += tail_len;
		if (p > buf + BUF - LINE || i + 1 == count) {
			if (write(fd, buf, (size_t)(p - buf)) != p - buf) {
				perror(argv[4]);
				return 1;
			}
			p = buf;
		}
	}
	printf("%llu lines %.2f ns/line\n", (unsigned long long)count,
	       (double)(cpu_now() - begin) / (double)(count ? count : 1));
	return 0;
}
