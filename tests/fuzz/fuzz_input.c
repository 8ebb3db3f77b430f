/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an input, packed or not: what comes out does not depend on how much is asked for at a time. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "trace/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST (1u << 18)

static void check(bool right)
{
	if (!right)
		abort();
}

/* Up to MOST bytes; *error says how it ended. */
static size_t all(const uint8_t *data, size_t size, size_t step, char *buf, bool *error)
{
	_cleanup_(input_freep) struct input *in = NULL;
	struct fault fault = {0};
	size_t have = 0;
	ssize_t r = input_of_memory(&in, data, size, &fault);

	while (!r && have < MOST) {
		r = input_read(in, buf + have, MIN(step, MOST - have), &fault);
		if (r <= 0)
			break;
		have += (size_t)r;
		r = 0;
	}
	*error = r < 0;
	check(!*error || fault.text[0]);
	return have;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char a[MOST], b[MOST];
	bool error_a, error_b;
	size_t n = all(data, size, 65536, a, &error_a), m = all(data, size, 1 + size % 100, b, &error_b);

	/* how much comes before an error may differ */
	check(error_a == error_b && memcmp(a, b, MIN(n, m)) == 0);
	check(error_a || n == m);
	return 0;
}
