/* SPDX-License-Identifier: GPL-2.0-or-later */
/* To be preloaded: makes a program that sleeps for whole seconds sleep for two thousandths of them. */
#include <time.h>
#include <unistd.h>

unsigned sleep(unsigned seconds)
{
	struct timespec ts = {.tv_sec = seconds / 500, .tv_nsec = seconds % 500 * 2000000L};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	return 0;
}
