/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in the cells of recordings: numbers, times, nothing. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
#include "diff/recording_forms.h"

#define NS_FROM 1e10

bool recording_is_missing(const char *s, size_t n)
{
	return n == 0 || (n == 1 && s[0] == '-') || (n == 4 && memcmp(s, "null", 4) == 0) ||
	       (n == 3 && memcmp(s, "nan", 3) == 0);
}

static bool digits(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] < '0' || s[i] > '9')
			return false;
	return n > 0;
}

bool recording_number(const char *s, size_t n, double *value)
{
	const char *why;

	return units_real(s, n, value, &why) == 0 && fabs(*value) < RECORDING_VALUE_MAX;
}

/* n digits at s, below 10^9. */
static int number(const char *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++)
		v = 10 * v + (s[i] - '0');
	return v;
}

/* "Z", "+HH:MM", "-HHMM" or nothing, which is taken for Z: seconds east of Greenwich. */
static bool zone(const char *s, size_t n, int *seconds)
{
	size_t minutes = n == 6 && s[3] == ':' ? 4 : 3;

	*seconds = 0;
	if (n == 0 || (n == 1 && s[0] == 'Z'))
		return true;
	if ((s[0] != '+' && s[0] != '-') || n != minutes + 2 || !digits(s + 1, 2) || !digits(s + minutes, 2))
		return false;
	*seconds = (number(s + 1, 2) * 60 + number(s + minutes, 2)) * (s[0] == '-' ? -60 : 60);
	return true;
}

static bool calendar(const char *s, size_t n, double *seconds)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	size_t at = sizeof(form) - 1, end;
	double part = 0;
	struct tm tm;
	int east;

	if (n < at)
		return false;
	for (size_t i = 0; i < at; i++) {
		bool right = form[i] == 'd'   ? s[i] >= '0' && s[i] <= '9'
			     : form[i] == 'T' ? s[i] == 'T' || s[i] == ' '
					      : s[i] == form[i];

		if (!right)
			return false;
	}
	end = at;
	if (end < n && (s[end] == '.' || s[end] == ',')) {
		double scale = 0.1;

		for (end++; end < n && s[end] >= '0' && s[end] <= '9'; end++, scale /= 10)
			part += scale * (s[end] - '0');
	}
	if (!zone(s + end, n - end, &east))
		return false;
	tm = (struct tm){.tm_year = number(s, 4) - 1900, .tm_mon = number(s + 5, 2) - 1, .tm_mday = number(s + 8, 2),
			 .tm_hour = number(s + 11, 2), .tm_min = number(s + 14, 2), .tm_sec = number(s + 17, 2)};
	*seconds = (double)timegm(&tm) - east + part;
	return true;
}

bool recording_time(const char *s, size_t n, double *seconds)
{
	if (!recording_number(s, n, seconds))
		return calendar(s, n, seconds);
	/* CLOCK_MONOTONIC in nanoseconds: as seconds it would be centuries */
	if (*seconds >= NS_FROM)
		*seconds /= (double)NS_PER_SEC;
	return true;
}
