/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

void json_init(struct json *j, struct outfile *out)
{
	*j = (struct json){.out = out};
}

static void put(struct json *j, const char *text)
{
	outfile_write(j->out, text, strlen(text));
}

static void put_text(struct json *j, const char *text, size_t n)
{
	put(j, "\"");
	for (size_t i = 0; i < n;) {
		size_t length = utf8_character(text + i, n - i);
		unsigned char c = (unsigned char)text[i];
		char escape[8];

		if (length == 0) {
			put(j, "\xef\xbf\xbd");
			length = 1;
		} else if (c == '"' || c == '\\') {
			outfile_write(j->out, (const char[]){'\\', (char)c}, 2);
		} else if (c < 0x20 || c == 0x7f) {
			snprintf(escape, sizeof(escape), "\\u%04x", c);
			put(j, escape);
		} else {
			outfile_write(j->out, text + i, length);
		}
		i += length;
	}
	put(j, "\"");
}

/* What stands before a value. */
static void before(struct json *j, const char *key)
{
	if (j->comma)
		put(j, ",");
	j->comma = true;
	if (key) {
		put(j, "\"");
		put(j, key);
		put(j, "\":");
	}
}

void json_put_key(struct json *j, const char *name, size_t n)
{
	before(j, NULL);
	put_text(j, name, n);
	put(j, ":");
	j->comma = false;
}

static void open_with(struct json *j, const char *key, const char *bracket)
{
	before(j, key);
	put(j, bracket);
	j->comma = false;
}

static void close_with(struct json *j, const char *bracket)
{
	put(j, bracket);
	j->comma = true;
}

void json_open_object(struct json *j, const char *key)
{
	open_with(j, key, "{");
}

void json_close_object(struct json *j)
{
	close_with(j, "}");
}

void json_open_array(struct json *j, const char *key)
{
	open_with(j, key, "[");
}

void json_close_array(struct json *j)
{
	close_with(j, "]");
}

void json_put_uint(struct json *j, const char *key, uint64_t v)
{
	before(j, key);
	j->out->used += units_print_count(outfile_reserve(j->out, UNITS_TEXT), v);
}

void json_put_int(struct json *j, const char *key, int64_t v)
{
	before(j, key);
	if (v < 0)
		put(j, "-");
	j->out->used += units_print_count(outfile_reserve(j->out, UNITS_TEXT), v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void json_put_bool(struct json *j, const char *key, bool v)
{
	before(j, key);
	put(j, v ? "true" : "false");
}

void json_put_null(struct json *j, const char *key)
{
	before(j, key);
	put(j, "null");
}

void json_put_text(struct json *j, const char *key, const char *text)
{
	if (text)
		json_put_text_n(j, key, text, strlen(text));
	else
		json_put_null(j, key);
}

void json_put_text_n(struct json *j, const char *key, const char *text, size_t n)
{
	before(j, key);
	put_text(j, text, n);
}

void json_put_real(struct json *j, const char *key, double v)
{
	char text[32];

	if (!isfinite(v)) {
		json_put_null(j, key);
		return;
	}
	snprintf(text, sizeof(text), "%.9g", v);
	before(j, key);
	put(j, text);
}

void json_end_line(struct json *j)
{
	put(j, "\n");
	j->comma = false;
}
