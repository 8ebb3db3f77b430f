/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/rewrite.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/units.h"
#include "mon/source.h"

#define NAME_MOST 32 /* bytes of the names below */

struct out {
	char *lines;
	size_t used;
};

static void put(struct out *o, const char *prefix, const char *name, uint64_t value)
{
	char *p = o->lines + o->used;

	/* blank, digits, newline */
	if (o->used + NAME_MOST + 1 + UNITS_TEXT + 1 > SOURCE_LINES)
		return;
	p = stpcpy(stpcpy(p, prefix), name);
	*p++ = ' ';
	p += units_print_count(p, value);
	*p++ = '\n';
	o->used = (size_t)(p - o->lines);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word at *at; false at the end. */
static bool next_word(const char *text, size_t n, size_t *at, const char **word, size_t *length)
{
	size_t i = *at;

	while (i < n && is_space(text[i]))
		i++;
	*word = text + i;
	while (i < n && !is_space(text[i]))
		i++;
	*length = (size_t)(text + i - *word);
	*at = i;
	return *length > 0;
}

static bool number(const char *word, size_t length, uint64_t *value)
{
	const char *why;

	return units_count(word, length, value, &why) == 0;
}

size_t rewrite_disk(const char *text, size_t n, char *lines)
{
	static const struct {
		const char *name;
		unsigned factor;
	} fields[] = {
		{"reads", 1}, {"reads_merged", 1}, {"read_bytes", 512}, {"read_ms", 1},
		{"writes", 1}, {"writes_merged", 1}, {"write_bytes", 512}, {"write_ms", 1},
		{"in_flight", 1}, {"busy_ms", 1}, {"queued_ms", 1},
		{"discards", 1}, {"discards_merged", 1}, {"discard_bytes", 512}, {"discard_ms", 1},
		{"flushes", 1}, {"flush_ms", 1},
	};
	struct out o = {.lines = lines};
	const char *word;
	size_t length, at = 0;
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(fields) && next_word(text, n, &at, &word, &length); i++)
		if (number(word, length, &value) && value <= UINT64_MAX / fields[i].factor)
			put(&o, "", fields[i].name, value * fields[i].factor);
	return o.used;
}

/* "0.12": in hundredths. */
static bool hundredths(const char *word, size_t length, uint64_t *value)
{
	const char *point = memchr(word, '.', length), *why;
	uint64_t whole, part;
	size_t before = point ? (size_t)(point - word) : 0;

	if (!point || length - before != 3 || units_count(word, before, &whole, &why) < 0 ||
	    units_count(point + 1, 2, &part, &why) < 0 || whole > UINT64_MAX / 100 - 1)
		return false;
	*value = whole * 100 + part;
	return true;
}

size_t rewrite_pressure(const char *text, size_t n, char *lines)
{
	static const char *const names[] = {"avg10", "avg60", "avg300", "total"};
	struct out o = {.lines = lines};
	const char *word, *prefix = NULL;
	size_t length, at = 0;

	while (next_word(text, n, &at, &word, &length)) {
		/* each line begins with what it is of */
		if (!memchr(word, '=', length)) {
			bool some = length == 4 && !memcmp(word, "some", 4),
			     full = length == 4 && !memcmp(word, "full", 4);

			prefix = some ? "some:" : full ? "full:" : NULL;
			continue;
		}
		for (size_t i = 0; prefix && i < ARRAY_SIZE(names); i++) {
			size_t name = strlen(names[i]);
			uint64_t value;

			if (length <= name + 1 || word[name] != '=' || memcmp(word, names[i], name) != 0)
				continue;
			word += name + 1;
			length -= name + 1;
			if (names[i][0] == 't' ? number(word, length, &value) : hundredths(word, length, &value))
				put(&o, prefix, names[i], value);
			break;
		}
	}
	return o.used;
}

size_t rewrite_process(const char *text, size_t n, char *lines)
{
	/* number: as proc(5) counts, from 1 */
	static const struct {
		unsigned number;
		const char *name;
		bool ticks;
	} fields[] = {
		{10, "minflt", false}, {11, "cminflt", false}, {12, "majflt", false}, {13, "cmajflt", false},
		{14, "utime", true}, {15, "stime", true}, {16, "cutime", true}, {17, "cstime", true},
		{20, "threads", false}, {23, "vsize", false}, {24, "rss", false}, {42, "iowait", true},
	};
	const uint64_t tick_ms = (uint64_t)(1000 / MAX(sysconf(_SC_CLK_TCK), 1L));
	/* the name of the program is in parentheses and may hold any others and blanks */
	const char *end = memrchr(text, ')', n), *word;
	size_t length, at = end ? (size_t)(end - text) + 1 : n;
	struct out o = {.lines = lines};

	for (unsigned i = 3, f = 0; f < ARRAY_SIZE(fields) && next_word(text, n, &at, &word, &length); i++) {
		uint64_t value, factor = fields[f].ticks ? tick_ms : 1;

		if (i != fields[f].number)
			continue;
		if (number(word, length, &value) && value <= UINT64_MAX / MAX(factor, UINT64_C(1)))
			put(&o, "", fields[f].name, value * factor);
		f++;
	}
	return o.used;
}
