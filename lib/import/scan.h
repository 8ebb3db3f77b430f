/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walking through a line: blanks, words, hex. Numbers are for base/units. Private to lib/import. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macro.h"

struct word {
	const char *s;
	size_t n;
};

static inline bool scan_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool scan_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool scan_letter(char c)
{
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z';
}

/* Value of a hex digit, -1 for another character. */
static inline int scan_hex_digit(char c)
{
	if (scan_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next word that blanks end; n == 0 at the end of the line. */
static inline struct word scan_word(const char **at, const char *end)
{
	const char *s = *at;
	struct word w;

	while (s < end && scan_blank(*s))
		s++;
	w.s = s;
	while (s < end && !scan_blank(*s))
		s++;
	w.n = (size_t)(s - w.s);
	*at = s;
	return w;
}

/* The last word before *end, which moves to its beginning. */
static inline struct word scan_last_word(const char *begin, const char **end)
{
	const char *e = *end, *s;

	while (e > begin && scan_blank(e[-1]))
		e--;
	s = e;
	while (s > begin && !scan_blank(s[-1]))
		s--;
	*end = s;
	return (struct word){s, (size_t)(e - s)};
}

static inline struct word scan_trim(const char *s, const char *end)
{
	while (s < end && scan_blank(*s))
		s++;
	while (end > s && scan_blank(end[-1]))
		end--;
	return (struct word){s, (size_t)(end - s)};
}

static inline bool word_is(struct word w, const char *text)
{
	return w.n == strlen(text) && memcmp(w.s, text, w.n) == 0;
}

/* The same in any case of letters; text in lower case. */
static inline bool word_is_caseless(struct word w, const char *text)
{
	if (w.n != strlen(text))
		return false;
	for (size_t i = 0; i < w.n; i++)
		if ((scan_letter(w.s[i]) ? w.s[i] | 0x20 : w.s[i]) != text[i])
			return false;
	return true;
}

static inline bool word_begins(const char *s, size_t n, const char *text)
{
	size_t length = strlen(text);

	return n >= length && memcmp(s, text, length) == 0;
}

/* Hex digits without a prefix, all of them, at most 64 bits. */
static inline bool scan_hex(const char *s, size_t n, uint64_t *value)
{
	uint64_t v = 0;

	if (!n || n > 16)
		return false;
	for (size_t i = 0; i < n; i++) {
		int digit = scan_hex_digit(s[i]);

		if (digit < 0)
			return false;
		v = v << 4 | (unsigned)digit;
	}
	*value = v;
	return true;
}
