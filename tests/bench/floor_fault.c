/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_fault PAGES LOOPS [THREADS [barrier]]: each thread writes to each page of private anonymous memory of its own, in
 * pages of the smallest size, and gives it back with MADV_DONTNEED, over and over; with a barrier on both sides of that.
 */
#include <pthread.h>
#include <stdbool.h>

#include "floor.h"

static size_t pages, loops, page;
static bool meet;
static pthread_barrier_t begin, all;

static void *touch(void *arg)
{
	volatile char *at = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct lap *lap = arg;

	if (at == MAP_FAILED)
		err(1, "memory");
	madvise((void *)(uintptr_t)at, pages * page, MADV_NOHUGEPAGE);
	pthread_barrier_wait(&begin);
	*lap = lap_begin();
	for (size_t n = 0; n < loops; n++) {
		for (size_t i = 0; i < pages; i++)
			at[i * page] = 0;
		if (meet)
			pthread_barrier_wait(&all);
		madvise((void *)(uintptr_t)at, pages * page, MADV_DONTNEED);
		if (meet)
			pthread_barrier_wait(&all);
	}
	lap->wall = clock_ns(CLOCK_MONOTONIC) - lap->wall;
	lap->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - lap->cpu;
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	pthread_t *thread = calloc(threads, sizeof(*thread));
	struct lap *lap = calloc(threads, sizeof(*lap)), sum = {0};
	double faults;

	if (argc < 3 || argc > 5 || threads == 0 || !thread || !lap)
		errx(2, "usage: floor_fault PAGES LOOPS [THREADS [barrier]]");
	pages = strtoul(argv[1], NULL, 10);
	loops = strtoul(argv[2], NULL, 10);
	page = (size_t)sysconf(_SC_PAGESIZE);
	meet = argc == 5;
	pthread_barrier_init(&begin, NULL, threads);
	pthread_barrier_init(&all, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		pthread_attr_t attr;
		cpu_set_t cpu;

		CPU_ZERO(&cpu);
		CPU_SET(i, &cpu);
		pthread_attr_init(&attr);
		pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
		if (pthread_create(&thread[i], &attr, touch, &lap[i]) != 0)
			errx(1, "no thread on CPU %u", i);
		pthread_attr_destroy(&attr);
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i], NULL);
		sum.cpu += lap[i].cpu;
		if (lap[i].wall > sum.wall)
			sum.wall = lap[i].wall;
	}
	faults = (double)pages * (double)loops * threads;
	printf("%.0f %.2f %.2f\n", faults, (double)sum.wall / faults, (double)sum.cpu / faults);
	free(lap);
	free(thread);
	return 0;
}
