/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing JSON (RFC 8259) as it comes, into an outfile, without blanks. The caller keeps begin and end in pairs; commas
 * are set here. key is the member's name in an object, a constant that needs no escapes, and NULL in an array and
 * for a value at the top.
 *
 * Integers are written exactly, all digits. Text is written as UTF-8: what is not becomes U+FFFD, byte by byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/outfile.h"

struct json {
	struct outfile *out;
	bool comma;      /* a value stands before at this level */
};

void json_init(struct json *j, struct outfile *out);

void json_open_object(struct json *j, const char *key);
void json_close_object(struct json *j);
void json_open_array(struct json *j, const char *key);
void json_close_array(struct json *j);

void json_put_uint(struct json *j, const char *key, uint64_t v);
void json_put_int(struct json *j, const char *key, int64_t v);
void json_put_bool(struct json *j, const char *key, bool v);
void json_put_null(struct json *j, const char *key);
/* NULL text: null. */
void json_put_text(struct json *j, const char *key, const char *text);
/* The same for n bytes. */
void json_put_text_n(struct json *j, const char *key, const char *text, size_t n);
/* A number with what decimals it needs, at most 9 significant digits; null for one that is not finite. */
void json_put_real(struct json *j, const char *key, double v);

/* A member whose name is foreign text of n bytes: the next value, which is given with key NULL. */
void json_put_key(struct json *j, const char *name, size_t n);

/* A line feed behind a value at the top; another may follow. */
void json_end_line(struct json *j);
