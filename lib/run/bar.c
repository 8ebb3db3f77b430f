/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/bar.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/macro.h"

#define LEVELS 9

static unsigned columns(FILE *f)
{
	struct winsize w;

	return ioctl(fileno(f), TIOCGWINSZ, &w) == 0 && w.ws_col >= 3 ? w.ws_col : 80;
}

void bar_init(struct bar *b, uint64_t pages, FILE *f)
{
	*b = (struct bar){.pages = pages, .cells = (unsigned)MIN(MIN((uint64_t)columns(f) - 2, BAR_CELLS), pages)};
}

/* The first page of a cell. */
static uint64_t begin_of(const struct bar *b, unsigned cell)
{
	return (uint64_t)(((unsigned __int128)b->pages * cell + b->cells - 1) / b->cells);
}

void bar_add(struct bar *b, uint64_t first, uint64_t end)
{
	unsigned cell = b->cells ? (unsigned)((unsigned __int128)first * b->cells / b->pages) : 0;

	for (; cell < b->cells && begin_of(b, cell) < end; cell++) {
		uint64_t from = MAX(first, begin_of(b, cell)), to = MIN(end, begin_of(b, cell + 1));

		if (from < to)
			b->full[cell] += to - from;
	}
}

/* The first of these that is set decides (locale(7)). */
static bool speaks_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]), *charset;

		if (!value || !*value)
			continue;
		charset = strchr(value, '.');
		return charset && (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
	}
	return false;
}

static unsigned level_of(uint64_t full, uint64_t all)
{
	if (full == 0)
		return 0;
	return full >= all ? LEVELS - 1 : 1 + (unsigned)((unsigned __int128)full * (LEVELS - 2) / all);
}

void bar_print(const struct bar *b, uint64_t bytes, FILE *f)
{
	static const char *const ascii[LEVELS] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	static const char *const blocks[LEVELS] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const char *const *letter = isatty(fileno(f)) && speaks_utf8() ? blocks : ascii;
	char end[24];
	int n;

	if (b->cells == 0)
		return;
	fputc('|', f);
	for (unsigned i = 0; i < b->cells; i++)
		fputs(letter[level_of(b->full[i], begin_of(b, i + 1) - begin_of(b, i))], f);
	fputs("|\n", f);
	n = snprintf(end, sizeof(end), "%" PRIu64, bytes);
	fprintf(f, "0%*s\n", MAX((int)b->cells + 1, n + 1), end);
}
