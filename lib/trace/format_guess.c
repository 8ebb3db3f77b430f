/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/macro.h"
#include "trace/format_line.h"

/* Magic numbers: bzip2, zip, blktrace_api.h, ELF. What input.h unpacks never comes here. */
static const struct {
	unsigned char n;
	unsigned char byte[6];
	const char *what;
} magic[] = {
	{3, {'B', 'Z', 'h'}, "a bzip2 file (unpack it first)"},
	{4, {'P', 'K', 3, 4}, "a zip file (unpack it first)"},
	{4, {0x07, 't', 'a', 'e'}, "a binary blktrace file"},
	{4, {0x08, 't', 'a', 'e'}, "a binary blktrace file"},
	{4, {'e', 'a', 't', 0x07}, "a binary blktrace file"},
	{4, {'e', 'a', 't', 0x08}, "a binary blktrace file"},
	{4, {0x7f, 'E', 'L', 'F'}, "a program"},
	{2, {0xff, 0xfe}, "UTF-16 text"},
	{2, {0xfe, 0xff}, "UTF-16 text"},
};

static bool has(const char *s, size_t n, const char *text)
{
	return memmem(s, n, text, strlen(text)) != NULL;
}

static size_t count_of(const char *s, size_t n, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += s[i] == c;
	return count;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Text of two bytes a character has a NUL in every second place, for what a trace would hold. */
static bool is_wide(const char *s, size_t n)
{
	if (n < 4)
		return false;
	return (!s[0] && s[1] && !s[2] && s[3]) || (s[0] && !s[1] && s[2] && !s[3]);
}

/* "  8,0    3    1     0.000000000   697  Q   W 223490 + 8 [name]": the default format of blkparse(1). */
static bool is_blkparse(const char *s, size_t n)
{
	size_t i = 0, digits;

	while (i < n && (s[i] == ' ' || s[i] == '\t'))
		i++;
	for (digits = 0; i < n && is_digit(s[i]); i++)
		digits++;
	if (!digits || i == n || s[i++] != ',')
		return false;
	for (digits = 0; i < n && is_digit(s[i]); i++)
		digits++;
	return digits && i < n && (s[i] == ' ' || s[i] == '\t') && has(s, n, ".");
}

/* A call and its result as strace(1) writes them, or a call that is not finished. */
static bool is_strace(const char *s, size_t n)
{
	const char *open = memchr(s, '(', n);

	if (!open || open == s)
		return false;
	return ((open[-1] >= 'a' && open[-1] <= 'z') || is_digit(open[-1])) &&
	       (has(s, n, ") = ") || has(s, n, "<unfinished ...>") || (has(s, n, ")") && has(s, n, " = ")));
}

const char *format_guess(const char *s, size_t n, bool head)
{
	if (head)
		for (size_t i = 0; i < ARRAY_SIZE(magic); i++)
			if (n >= magic[i].n && memcmp(s, magic[i].byte, magic[i].n) == 0)
				return magic[i].what;
	if (is_wide(s, n))
		return "UTF-16 text";
	if (memchr(s, '\0', n))
		return "binary data (it has NUL bytes)";
	if (head && n >= 12 && memcmp(s, "fio version ", 12) == 0)
		return "an iolog of fio";
	if (is_blkparse(s, n))
		return "output of blkparse";
	if (is_strace(s, n))
		return "output of strace";
	if (has(s, n, ": block_rq_") || has(s, n, ": block_bio_"))
		return "an ftrace log";
	if (count_of(s, n, ',') >= 2 || count_of(s, n, ';') >= 2)
		return "a table of comma separated values";
	return NULL;
}
