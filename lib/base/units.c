/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/macro.h"

/* THE table of unit letters, in the order in which units_print() prefers them: 100k rather than 25p. */
static const struct {
	char letter;
	unsigned char shift;
} unit[] = {
	{'t', 40}, {'g', 30}, {'m', 20}, {'k', 10}, {'p', PAGE_SHIFT}, {'b', 0},
};

int units_shift(char letter)
{
	char low = (char)(letter | 0x20);

	for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
		if (unit[i].letter == low)
			return unit[i].shift;
	return -1;
}

char units_letter(unsigned shift)
{
	for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
		if (unit[i].shift == shift)
			return unit[i].letter;
	return '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int refuse(const char **why, int err, const char *text)
{
	*why = text;
	return err;
}

static int too_large(const char **why)
{
	return refuse(why, -ERANGE, "does not fit into 63 bits");
}

/* Read digits from s[*at]; -ERANGE when they pass max. How many there were is seen from *at. */
static int digits(const char *s, size_t n, size_t *at, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;
	size_t i = *at;

	for (; i < n && is_digit(s[i]); i++) {
		unsigned digit = (unsigned)(s[i] - '0');

		if (v > (max - digit) / 10)
			return -ERANGE;
		v = v * 10 + digit;
	}
	*at = i;
	*value = v;
	return 0;
}

/* What is wrong with a text that should have been a number; at: how many digits it begins with. */
static const char *wrong(const char *s, size_t n, size_t at)
{
	char c, next;

	if (at == n)
		return n ? "not a number" : "a number is missing";
	c = s[at];
	next = at + 1 < n ? s[at + 1] : '\0';
	if (at == 0) {
		if ((c == '-' || c == '+') && (is_digit(next) || next == '.'))
			return "a sign is not allowed";
		if (c == '.' && is_digit(next))
			return "a fraction is not allowed";
		return "not a number";
	}
	switch (c) {
	case 'x':
	case 'X':
		if (at == 1 && s[0] == '0')
			return "hex is not allowed";
		break;
	case 'e':
	case 'E':
		if (is_digit(next) || next == '+' || next == '-')
			return "an exponent is not allowed";
		break;
	case '.':
		return "a fraction is not allowed";
	case ',':
	case '_':
	case '\'':
		return "a separator between digits is not allowed";
	default:
		break;
	}
	if (units_shift(c) >= 0)
		return "nothing may follow the unit letter";
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? "unknown unit" : "not a number";
}

int units_bytes(const char *s, size_t n, unsigned shift, uint64_t *bytes, const char **why)
{
	uint64_t value;
	size_t at = 0;
	int letter;

	if (digits(s, n, &at, UNITS_MAX, &value))
		return too_large(why);
	if (at == 0)
		return refuse(why, -EINVAL, wrong(s, n, at));
	if (at < n) {
		letter = units_shift(s[at]);
		if (letter < 0 || at + 1 < n)
			return refuse(why, -EINVAL, wrong(s, n, at));
		shift = (unsigned)letter;
	}
	if (value > (uint64_t)UNITS_MAX >> shift)
		return too_large(why);
	*bytes = value << shift;
	return 0;
}

int units_bytes_signed(const char *s, size_t n, unsigned shift, int64_t *bytes, const char **why)
{
	bool minus = n > 0 && s[0] == '-';
	uint64_t value;
	int r = units_bytes(s + minus, n - minus, shift, &value, why);

	if (r)
		return r;
	*bytes = minus ? -(int64_t)value : (int64_t)value;
	return 0;
}

int units_count(const char *s, size_t n, uint64_t *count, const char **why)
{
	uint64_t value;
	size_t at = 0;

	if (digits(s, n, &at, UINT64_MAX, &value))
		return refuse(why, -ERANGE, "does not fit into 64 bits");
	if (at == 0 || at < n) {
		bool unit_letter = at && at + 1 == n && units_shift(s[at]) >= 0;

		return refuse(why, -EINVAL, unit_letter ? "a count has no unit" : wrong(s, n, at));
	}
	*count = value;
	return 0;
}

/* Nanoseconds of a unit's name, 0 when it is none. */
static int64_t time_scale(const char *s, size_t n)
{
	static const struct {
		char name[3];
		int64_t scale;
	} name[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

	for (size_t i = 0; i < ARRAY_SIZE(name); i++)
		if (n == strlen(name[i].name) && memcmp(s, name[i].name, n) == 0)
			return name[i].scale;
	return 0;
}

int units_time(const char *s, size_t n, int64_t scale, int64_t *ns, const char **why)
{
	uint64_t whole, part = 0;
	size_t at = 0, dot;
	int64_t weight;

	if (digits(s, n, &at, INT64_MAX, &whole))
		return refuse(why, -ERANGE, "the time is too large");
	if (at == 0)
		return refuse(why, -EINVAL,
			      n > 1 && s[0] == '.' && is_digit(s[1]) ? "digits must stand before the point"
								     : wrong(s, n, at));
	dot = at;
	if (at < n && s[at] == '.') {
		at++;
		if (digits(s, n, &at, INT64_MAX, &part))
			return refuse(why, -EINVAL, "more decimals than nanoseconds");
		if (at == dot + 1)
			return refuse(why, -EINVAL, "digits must follow the point");
	}
	if (at < n) {
		scale = time_scale(s + at, n - at);
		if (!scale)
			return refuse(why, -EINVAL, "not a time in s, ms, us or ns");
	}
	weight = scale;
	for (size_t i = dot + 1; i < at && is_digit(s[i]); i++) {
		if (weight % 10)
			return refuse(why, -EINVAL, "more decimals than nanoseconds");
		weight /= 10;
	}
	if (whole > (uint64_t)(INT64_MAX / scale))
		return refuse(why, -ERANGE, "the time is too large");
	whole *= (uint64_t)scale;
	part *= (uint64_t)weight;
	if (whole + part > INT64_MAX)
		return refuse(why, -ERANGE, "the time is too large");
	*ns = (int64_t)(whole + part);
	return 0;
}

/*
 * Digits below 2^53 over a power of ten up to 10^22 are both exact in a double, so the one division rounds once, and
 * the same text is the same value everywhere.
 */
int units_fraction(const char *s, size_t n, double *value, const char **why)
{
	uint64_t mantissa = 0;
	double power = 1;
	size_t count = 0, decimals = 0;
	bool point = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.' && !point && count) {
			point = true;
			continue;
		}
		if (!is_digit(s[i]))
			return refuse(why, -EINVAL, s[i] == '.' ? "not a number" : wrong(s, n, i));
		count++;
		mantissa = mantissa * 10 + (unsigned)(s[i] - '0');
		decimals += point;
		if (mantissa >= UINT64_C(1) << 53 || decimals > 22)
			return refuse(why, -ERANGE, point ? "has too many digits" : "the number is too large");
		if (point)
			power *= 10;
	}
	if (!count || (point && !decimals))
		return refuse(why, -EINVAL, "not a number");
	if ((double)mantissa / power > 1e15)
		return refuse(why, -ERANGE, "the number is too large");
	*value = (double)mantissa / power;
	return 0;
}

int units_billionths(const char *s, size_t n, uint64_t *billionths, const char **why)
{
	uint64_t whole, part = 0;
	size_t at = 0, dot;

	if (digits(s, n, &at, UINT64_MAX / 1000000000 - 1, &whole))
		return refuse(why, -ERANGE, "the number is too large");
	dot = at;
	if (at && at < n && s[at] == '.') {
		at++;
		if (digits(s, n, &at, 999999999, &part) || at - dot > 10)
			return refuse(why, -EINVAL, "more than nine decimals");
		if (at == dot + 1)
			return refuse(why, -EINVAL, "digits must follow the point");
	}
	if (at == 0 && n && s[0] == '.')
		return refuse(why, -EINVAL, "digits must stand before the point");
	if (at && at + 1 == n && units_shift(s[at]) >= 0)
		return refuse(why, -EINVAL, "a factor has no unit");
	if (at == 0 || at < n)
		return refuse(why, -EINVAL, wrong(s, n, at));
	for (size_t i = at - dot; at > dot && i < 10; i++)
		part *= 10;
	*billionths = whole * 1000000000 + part;
	return 0;
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
			    "25262728293031323334353637383940414243444546474849"
			    "50515253545556575859606162636465666768697071727374"
			    "75767778798081828384858687888990919293949596979899";

/*
 * Pairs of digits from the end; v < 10^8. Best for short numbers whose length hardly changes, as heads of long ones
 * are.
 */
static size_t print_pairs(char *buf, uint32_t v)
{
	size_t n = 1, at;

	for (uint32_t w = v; w >= 10; w /= 10)
		n++;
	for (at = n; v >= 10; v /= 100) {
		at -= 2;
		memcpy(buf + at, pairs + v % 100 * 2, 2);
	}
	if (at)
		buf[0] = (char)('0' + v);
	return n;
}

/*
 * Eight digits at once, as values 0..9 in the bytes of a word from the lowest up. The number is cut in two three times,
 * by multiplications with reciprocals that are exact in these ranges. v < 10^8.
 */
static inline uint64_t eight_digits(uint32_t v)
{
	uint64_t fours = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f); /* each four / 100 */
	uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
	uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f); /* each two / 10 */

	return tens | (twos - 10 * tens) << 8;
}

static void put_eight(char *buf, uint64_t digits)
{
	uint64_t text = htole64(digits + UINT64_C(0x3030303030303030));

	memcpy(buf, &text, sizeof(text));
}

/* In parts of eight digits, which takes about two thirds of the time of pairs alone. */
size_t units_print_count(char *buf, uint64_t v)
{
	const uint64_t part = 100000000;
	uint64_t head = v / part, digits;
	size_t n, zeros;

	if (!head) {
		digits = eight_digits((uint32_t)v);
		/* the bit stands for the last digit, which is shown even when it is 0 */
		zeros = (size_t)__builtin_ctzll(digits | UINT64_C(1) << 56) & ~(size_t)7;
		put_eight(buf, digits >> zeros);
		return 8 - zeros / 8;
	}
	n = head < part ? print_pairs(buf, (uint32_t)head) : units_print_count(buf, head);
	put_eight(buf + n, eight_digits((uint32_t)(v - head * part)));
	return n + 8;
}

/* The first of: the preferred unit, then the table's order, that divides bytes. */
static size_t unit_for(uint64_t bytes, unsigned preferred_shift)
{
	size_t best = ARRAY_SIZE(unit) - 1;

	for (size_t i = ARRAY_SIZE(unit); i-- > 0;) {
		if (bytes & ((UINT64_C(1) << unit[i].shift) - 1))
			continue;
		if (unit[i].shift == preferred_shift)
			return i;
		best = i;
	}
	return best;
}

size_t units_print(char *buf, uint64_t bytes, unsigned preferred_shift)
{
	size_t u = unit_for(bytes, preferred_shift);
	size_t n = units_print_count(buf, bytes >> unit[u].shift);

	buf[n] = unit[u].letter;
	return n + 1;
}
