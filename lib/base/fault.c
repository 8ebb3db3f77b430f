/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fault.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

_printf_(4, 0) static void fill(struct fault *f, uint64_t line, uint64_t request, const char *fmt, va_list ap)
{
	int n;

	f->line = line;
	f->request = request;
	n = vsnprintf(f->text, sizeof(f->text), fmt, ap);
	if (n >= (int)sizeof(f->text))
		strcpy(f->text + sizeof(f->text) - 4, "...");
	for (char *c = f->text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
}

int fault_set(struct fault *f, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(f, 0, 0, fmt, ap);
	va_end(ap);
	return err;
}

int fault_set_line(struct fault *f, int err, uint64_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(f, line, 0, fmt, ap);
	va_end(ap);
	return err;
}

int fault_set_request(struct fault *f, int err, uint64_t request, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(f, 0, request, fmt, ap);
	va_end(ap);
	return err;
}

char *fault_quote(char *buf, size_t cap, const char *text, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t at = 0;

	buf[at++] = '\'';
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		bool plain = c >= 0x20 && c < 0x7f;

		if (at + (plain ? 1 : 4) + strlen("...'") + 1 > cap) {
			memcpy(buf + at, "...", 3);
			at += 3;
			break;
		}
		if (plain) {
			buf[at++] = (char)c;
			continue;
		}
		buf[at++] = '\\';
		buf[at++] = 'x';
		buf[at++] = hex[c >> 4];
		buf[at++] = hex[c & 15];
	}
	buf[at++] = '\'';
	buf[at] = '\0';
	return buf;
}
