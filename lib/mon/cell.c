/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/cell.h"

#include "base/macro.h"
#include "base/units.h"

#define DECIMALS_MOST 9

static size_t print_signed(char *buf, int64_t value)
{
	if (value >= 0)
		return units_print_count(buf, (uint64_t)value);
	buf[0] = '-';
	return 1 + units_print_count(buf + 1, -(uint64_t)value);
}

static uint64_t power_of_ten(unsigned n)
{
	uint64_t power = 1;

	while (n--)
		power *= 10;
	return power;
}

static unsigned significant(double magnitude)
{
	unsigned decimals = 0;

	while (magnitude > 0 && decimals < DECIMALS_MOST && magnitude < 999.95) {
		magnitude *= 10;
		decimals++;
	}
	return decimals;
}

static size_t print_real(char *buf, double x, uint32_t wanted)
{
	double magnitude = x < 0 ? -x : x;
	unsigned decimals = wanted == CELL_SIGNIFICANT ? significant(magnitude) : MIN(wanted, DECIMALS_MOST);
	uint64_t scale = power_of_ten(decimals), scaled;
	size_t n = 0, digits;

	/* 2^63 as a double: beyond it the conversion is undefined */
	if (magnitude * (double)scale >= 0x1p63) {
		if (magnitude >= 0x1p63)
			return print_signed(buf, x < 0 ? INT64_MIN : INT64_MAX);
		decimals = 0;
		scale = 1;
	}
	scaled = (uint64_t)(magnitude * (double)scale + 0.5);
	if (x < 0 && scaled)
		buf[n++] = '-';
	n += units_print_count(buf + n, scaled / scale);
	if (!decimals)
		return n;
	buf[n++] = '.';
	digits = decimals;
	for (scaled %= scale; digits--; scaled /= 10)
		buf[n + digits] = (char)('0' + scaled % 10);
	return n + decimals;
}

size_t cell_text(char *buf, const struct cell *c)
{
	size_t n = 1;

	switch (c->kind) {
	case CELL_NONE:
		buf[0] = '-';
		break;
	case CELL_UNSIGNED:
		n = units_print_count(buf, c->u);
		break;
	case CELL_SIGNED:
		n = print_signed(buf, c->i);
		break;
	case CELL_REAL:
		n = print_real(buf, c->real, c->decimals);
		break;
	}
	buf[n] = '\0';
	return n;
}

double cell_number(const struct cell *c)
{
	switch (c->kind) {
	case CELL_NONE:
		break;
	case CELL_UNSIGNED:
		return (double)c->u;
	case CELL_SIGNED:
		return (double)c->i;
	case CELL_REAL:
		return c->real;
	}
	return 0;
}
