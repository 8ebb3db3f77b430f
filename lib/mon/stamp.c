/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/stamp.h"

#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"

#define DAY (24 * 3600)

int stamp_width(enum stamp kind)
{
	static const int width[] = {[STAMP_NONE] = 0, [STAMP_ELAPSED] = 12, [STAMP_ISO] = 24, [STAMP_MONO] = 20};

	return width[kind];
}

/* So many digits, with zeros in front. */
static size_t put_digits(char *buf, uint64_t value, size_t digits)
{
	for (size_t i = digits; i-- > 0; value /= 10)
		buf[i] = (char)('0' + value % 10);
	return digits;
}

static size_t put_fraction(char *buf, uint64_t ns, unsigned decimals)
{
	for (unsigned i = decimals; i < 9; i++)
		ns /= 10;
	buf[0] = '.';
	return 1 + put_digits(buf + 1, ns, decimals);
}

static bool is_leap(uint64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static uint64_t days_of(uint64_t year, uint64_t month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* By counting: gmtime(3) may read the file of the time zone, and allocate. days: since 1970-01-01. */
static void civil(uint64_t days, uint64_t *year, uint64_t *month, uint64_t *day)
{
	*year = 1970;
	for (*month = 1; days >= days_of(*year, *month);) {
		days -= days_of(*year, *month);
		if (++*month > 12) {
			*month = 1;
			++*year;
		}
	}
	*day = days + 1;
}

size_t stamp_iso(char *buf, unsigned decimals, int64_t unix_ns)
{
	uint64_t ns = (uint64_t)MAX(unix_ns, INT64_C(0)), seconds = ns / NS_PER_SEC, of_day = seconds % DAY;
	uint64_t part[6];
	static const char behind[] = "--T::";
	char *p = buf;

	civil(seconds / DAY, &part[0], &part[1], &part[2]);
	part[3] = of_day / 3600;
	part[4] = of_day / 60 % 60;
	part[5] = of_day % 60;
	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		p += put_digits(p, part[i], i ? 2 : 4);
		if (behind[i])
			*p++ = behind[i];
	}
	p += put_fraction(p, ns % NS_PER_SEC, decimals);
	*p++ = 'Z';
	return (size_t)(p - buf);
}

size_t stamp_text(char *buf, enum stamp kind, unsigned decimals, int64_t start, int64_t when)
{
	uint64_t elapsed = (uint64_t)MAX(when - start, INT64_C(0));
	size_t n;

	switch (kind) {
	case STAMP_NONE:
		break;
	case STAMP_ELAPSED:
		n = units_print_count(buf, elapsed / NS_PER_SEC);
		return n + put_fraction(buf + n, elapsed % NS_PER_SEC, decimals);
	case STAMP_ISO:
		/* asked anew each time, since the date may be set meanwhile */
		return stamp_iso(buf, decimals, clock_unix_at(when));
	case STAMP_MONO:
		return units_print_count(buf, (uint64_t)when);
	}
	return 0;
}
