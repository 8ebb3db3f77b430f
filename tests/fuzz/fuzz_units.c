/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a number of each kind: nothing is read past its end, and what is taken is printed and read back equal. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right)
{
	if (!right)
		abort();
}

/* A refusal has words. */
static bool taken(int err, const char **why)
{
	check(err <= 0 && (err == 0 || (*why && **why)));
	*why = NULL;
	return err == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned shift[] = {0, 10, 12, 20, 30, 40};
	const char *s = (const char *)data, *why = NULL;
	uint64_t bytes, count;
	int64_t value;
	double fraction;

	for (size_t i = 0; i < ARRAY_SIZE(shift); i++) {
		char text[UNITS_TEXT];
		uint64_t back;

		if (!taken(units_bytes(s, size, shift[i], &bytes, &why), &why))
			continue;
		check(bytes <= UNITS_MAX);
		check(units_bytes(text, units_print(text, bytes, shift[i]), 0, &back, &why) == 0 && back == bytes);
		check(units_bytes_signed(s, size, shift[i], &value, &why) == 0 && (uint64_t)value == bytes);
	}
	if (taken(units_count(s, size, &count, &why), &why)) {
		char text[UNITS_TEXT];

		check(units_count(text, units_print_count(text, count), &bytes, &why) == 0 && bytes == count);
	}
	if (taken(units_real(s, size, &fraction, &why), &why)) {
		char *copy = malloc(size + 1), *end;
		double truth;

		check(copy != NULL);
		memcpy(copy, s, size);
		copy[size] = '\0';
		truth = strtod(copy, &end);
		check(end == copy + size && fabs(truth - fraction) <= 1e-15 * fabs(truth) + 1e-320);
		free(copy);
	}
	if (taken(units_time(s, size, 1000000000, &value, &why), &why))
		check(value >= 0);
	if (taken(units_bytes_signed(s, size, 0, &value, &why), &why))
		check(value >= 0 || *s == '-');
	taken(units_billionths(s, size, &count, &why), &why);
	if (taken(units_fraction(s, size, &fraction, &why), &why))
		check(fraction >= 0 && fraction <= 1e15);
	return 0;
}
