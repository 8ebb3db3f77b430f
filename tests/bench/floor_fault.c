/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_fault PAGES LOOPS [THREADS [barrier|side-by-side]]: each thread writes to each page of private anonymous memory
 * of its own, in pages of the smallest size, and gives it back with MADV_DONTNEED, over and over; with a barrier on
 * both sides of that. Each area has its page tables for itself and memory without access around it; side by side they
 * are one mapping for the kernel, with one lock.
 */
#include <pthread.h>
#include <stdbool.h>

#include "floor.h"

static size_t pages, loops, page;
static bool meet;
static char *memory;
static size_t stride;
static pthread_barrier_t begin, all;

struct thread {
	pthread_t id;
	unsigned number;
	struct lap lap;
};

/* Addresses for the areas of all threads, from one that begins a page table. */
static void reserve(unsigned threads, bool together)
{
	size_t reach = page / 8 * page, whole = (pages * page + reach - 1) / reach * reach;
	char *at;

	stride = together ? pages * page : whole + reach;
	at = mmap(NULL, 2 * reach + threads * stride, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		err(1, "addresses");
	memory = at + 2 * reach - (uintptr_t)at % reach;
}

static void *touch(void *arg)
{
	struct thread *t = arg;
	struct lap *lap = &t->lap;
	volatile char *at = mmap(memory + t->number * stride, pages * page, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

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
	struct thread *thread = calloc(threads, sizeof(*thread));
	struct lap sum = {0};
	double faults;

	if (argc < 3 || argc > 5 || threads == 0 || !thread)
		errx(2, "usage: floor_fault PAGES LOOPS [THREADS [barrier|side-by-side]]");
	pages = strtoul(argv[1], NULL, 10);
	loops = strtoul(argv[2], NULL, 10);
	page = (size_t)sysconf(_SC_PAGESIZE);
	meet = argc == 5 && strcmp(argv[4], "barrier") == 0;
	reserve(threads, argc == 5 && !meet);
	pthread_barrier_init(&begin, NULL, threads);
	pthread_barrier_init(&all, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		pthread_attr_t attr;
		cpu_set_t cpu;

		CPU_ZERO(&cpu);
		CPU_SET(i, &cpu);
		pthread_attr_init(&attr);
		pthread_attr_setaffinity_np(&attr, sizeof(cpu), &cpu);
		thread[i].number = i;
		if (pthread_create(&thread[i].id, &attr, touch, &thread[i]) != 0)
			errx(1, "no thread on CPU %u", i);
		pthread_attr_destroy(&attr);
	}
	for (unsigned i = 0; i < threads; i++) {
		pthread_join(thread[i].id, NULL);
		sum.cpu += thread[i].lap.cpu;
		if (thread[i].lap.wall > sum.wall)
			sum.wall = thread[i].lap.wall;
	}
	faults = (double)pages * (double)loops * threads;
	printf("%.0f %.2f %.2f\n", faults, (double)sum.wall / faults, (double)sum.cpu / faults);
	free(thread);
	return 0;
}
