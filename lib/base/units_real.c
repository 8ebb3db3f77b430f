/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>

#include "base/macro.h"
#include "base/units.h"

#define EXPONENT_MAX 400 /* what a double holds ends before */

static bool is_digit(const char *s, size_t n, size_t i)
{
	return i < n && s[i] >= '0' && s[i] <= '9';
}

static int refuse(const char **why, int err, const char *text)
{
	*why = text;
	return err;
}

struct real {
	uint64_t mantissa;
	int exponent;      /* of ten */
	size_t digits;     /* seen */
};

/* The digits at *at; those behind the point lower the exponent. What the mantissa cannot hold any more is left out. */
static void take_digits(struct real *r, const char *s, size_t n, size_t *at, bool behind)
{
	for (; is_digit(s, n, *at); ++*at) {
		unsigned digit = (unsigned)(s[*at] - '0');
		bool fits = r->mantissa <= (UINT64_MAX - digit) / 10;

		if (fits)
			r->mantissa = r->mantissa * 10 + digit;
		if (r->exponent > -2 * EXPONENT_MAX && r->exponent < 2 * EXPONENT_MAX)
			r->exponent += !fits - behind;
		r->digits++;
	}
}

/* "e-7" at *at, or nothing; false: no digits behind the e. */
static bool take_exponent(struct real *r, const char *s, size_t n, size_t *at)
{
	int exponent = 0, sign = 1;

	if (*at >= n || (s[*at] != 'e' && s[*at] != 'E'))
		return true;
	++*at;
	if (*at < n && (s[*at] == '-' || s[*at] == '+'))
		sign = s[(*at)++] == '-' ? -1 : 1;
	if (!is_digit(s, n, *at))
		return false;
	for (; is_digit(s, n, *at); ++*at)
		if (exponent < 4 * EXPONENT_MAX)
			exponent = exponent * 10 + (s[*at] - '0');
	r->exponent += sign * exponent;
	return true;
}

int units_real(const char *s, size_t n, double *value, const char **why)
{
	struct real r = {0};
	bool negative = n && s[0] == '-', whole;
	long double scaled;
	size_t at = negative || (n && s[0] == '+');

	take_digits(&r, s, n, &at, false);
	whole = r.digits > 0;
	if (whole && at < n && s[at] == '.') {
		size_t before = r.digits;

		at++;
		take_digits(&r, s, n, &at, true);
		whole = r.digits > before;
	}
	if (!whole || !take_exponent(&r, s, n, &at) || at != n)
		return refuse(why, -EINVAL, "not a number");
	if (r.mantissa && r.exponent > EXPONENT_MAX)
		return refuse(why, -ERANGE, "the number is too large");
	scaled = r.mantissa;
	/* one rounding to double where the power of ten is exact, and that to 10^27 in 64 bits */
	if (r.mantissa && r.exponent) {
		long double power = 1;
		int tens = r.exponent > 0 ? r.exponent : MIN(-r.exponent, EXPONENT_MAX);

		while (tens-- > 0)
			power *= 10;
		scaled = r.exponent > 0 ? scaled * power : scaled / power;
	}
	if (scaled > 0x1.fffffffffffffp+1023L)
		return refuse(why, -ERANGE, "the number is too large");
	*value = negative ? -(double)scaled : (double)scaled;
	return 0;
}
