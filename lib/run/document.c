/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"

struct reader {
	struct document *d;
	const char *text;
	size_t n, at;
	uint64_t line;
	struct fault *fault;
};

void document_fini(struct document *d)
{
	free(d->node);
	*d = (struct document){0};
}

static int bad(const struct reader *r, const char *what)
{
	char quoted[32];
	size_t n = MIN(r->n - r->at, (size_t)12);

	if (n == 0)
		return fault_set_line(r->fault, -EINVAL, r->line, "the JSON text ends where %s should be", what);
	return fault_set_line(r->fault, -EINVAL, r->line, "%s where %s should be",
			      fault_quote(quoted, sizeof(quoted), r->text + r->at, n), what);
}

static void skip_blanks(struct reader *r)
{
	for (; r->at < r->n && memchr(" \t\r\n", r->text[r->at], 4); r->at++)
		r->line += r->text[r->at] == '\n';
}

static bool is_next(const struct reader *r, char c)
{
	return r->at < r->n && r->text[r->at] == c;
}

static int take(struct reader *r, char c, const char *what)
{
	if (!is_next(r, c))
		return bad(r, what);
	r->at++;
	return 0;
}

static bool is_digit(const struct reader *r)
{
	return r->at < r->n && r->text[r->at] >= '0' && r->text[r->at] <= '9';
}

/* A node at the end of the array; its index, or -1. */
static ssize_t add_node(struct reader *r)
{
	struct document *d = r->d;

	if (d->count == d->capacity) {
		size_t capacity = d->capacity ? 2 * d->capacity : 64;
		struct document_node *more = reallocarray(d->node, capacity, sizeof(*more));

		if (!more)
			return -1;
		d->node = more;
		d->capacity = capacity;
	}
	d->node[d->count] = (struct document_node){.line = r->line};
	return (ssize_t)d->count++;
}

static bool is_escape(const char *s, size_t n)
{
	if (n >= 1 && memchr("\"\\/bfnrt", s[0], 8))
		return true;
	if (n < 5 || s[0] != 'u')
		return false;
	for (int i = 1; i <= 4; i++)
		if (!memchr("0123456789abcdefABCDEF", s[i], 22))
			return false;
	return true;
}

static int take_string(struct reader *r, const char **text, size_t *length)
{
	int err = take(r, '"', "a string");

	if (err)
		return err;
	*text = r->text + r->at;
	for (; r->at < r->n && r->text[r->at] != '"'; r->at++) {
		if ((unsigned char)r->text[r->at] < 0x20)
			return bad(r, "a character of a string");
		if (r->text[r->at] != '\\')
			continue;
		r->at++;
		if (!is_escape(r->text + r->at, r->n - r->at))
			return bad(r, "an escape");
	}
	*length = (size_t)(r->text + r->at - *text);
	return take(r, '"', "the end of a string");
}

static int take_digits(struct reader *r)
{
	if (!is_digit(r))
		return bad(r, "a digit");
	while (is_digit(r))
		r->at++;
	return 0;
}

static int take_number(struct reader *r, struct document_node *out)
{
	size_t start = r->at;
	const char *why;
	int err = 0;

	r->at += is_next(r, '-');
	if (is_next(r, '0'))
		r->at++;
	else
		err = take_digits(r);
	if (!err && is_next(r, '.')) {
		r->at++;
		err = take_digits(r);
	}
	if (!err && (is_next(r, 'e') || is_next(r, 'E'))) {
		r->at++;
		r->at += is_next(r, '+') || is_next(r, '-');
		err = take_digits(r);
	}
	if (err)
		return err;
	out->type = DOCUMENT_NUMBER;
	out->text = r->text + start;
	out->length = r->at - start;
	if (units_real(out->text, out->length, &out->number, &why) < 0) {
		r->at = start;
		return bad(r, "a number in the range of doubles");
	}
	return 0;
}

static int take_value(struct reader *r, const char *name, size_t name_length, unsigned depth);

/* The rest of an object or array: members, each with a name in an object. */
static int take_members(struct reader *r, bool named, unsigned depth)
{
	char close = named ? '}' : ']';

	r->at++;
	skip_blanks(r);
	if (is_next(r, close)) {
		r->at++;
		return 0;
	}
	for (;;) {
		const char *name = NULL;
		size_t length = 0;
		int err = 0;

		skip_blanks(r);
		if (named) {
			err = take_string(r, &name, &length);
			skip_blanks(r);
			if (!err)
				err = take(r, ':', "a colon");
		}
		if (!err)
			err = take_value(r, name, length, depth + 1);
		if (err)
			return err;
		skip_blanks(r);
		if (!is_next(r, ','))
			return take(r, close, named ? "a comma or }" : "a comma or ]");
		r->at++;
	}
}

static bool take_word(struct reader *r, const char *word, enum document_type type, struct document_node *out)
{
	size_t n = strlen(word);

	if (r->n - r->at < n || memcmp(r->text + r->at, word, n) != 0)
		return false;
	out->type = type;
	r->at += n;
	return true;
}

static int take_value(struct reader *r, const char *name, size_t name_length, unsigned depth)
{
	struct document_node *node, value = {0};
	ssize_t index;
	size_t start;
	int err = 0;

	skip_blanks(r);
	index = add_node(r);
	if (index < 0)
		return fault_set(r->fault, -ENOMEM, "no memory");
	if (depth >= DOCUMENT_DEPTH)
		return bad(r, "a value that is not nested so deeply");
	start = r->at;
	value.type = is_next(r, '{') ? DOCUMENT_OBJECT : DOCUMENT_ARRAY;
	if (is_next(r, '{') || is_next(r, '['))
		err = take_members(r, value.type == DOCUMENT_OBJECT, depth);
	else if (is_next(r, '"')) {
		value.type = DOCUMENT_STRING;
		err = take_string(r, &value.text, &value.length);
	} else if (is_next(r, '-') || is_digit(r))
		err = take_number(r, &value);
	else if (!take_word(r, "null", DOCUMENT_NULL, &value) && !take_word(r, "true", DOCUMENT_TRUE, &value) &&
		 !take_word(r, "false", DOCUMENT_FALSE, &value))
		err = bad(r, "a value");
	if (err)
		return err;
	/* the array may have moved */
	node = &r->d->node[index];
	value.line = node->line;
	*node = value;
	if (!node->text) {
		node->text = r->text + start;
		node->length = r->at - start;
	}
	node->name = name;
	node->name_length = name_length;
	node->end = r->d->count;
	return 0;
}

int document_next(struct document *d, const char *text, size_t n, size_t *at, uint64_t *line, struct fault *fault)
{
	struct reader r = {.d = d, .text = text, .n = n, .at = *at, .line = *line, .fault = fault};
	int err;

	d->count = 0;
	skip_blanks(&r);
	err = r.at < n ? take_value(&r, NULL, 0, 0) : 0;
	*at = r.at;
	*line = r.line;
	return err ? err : d->count > 0;
}

const struct document_node *document_child(const struct document *d, const struct document_node *parent, size_t *at)
{
	size_t index = (size_t)(parent - d->node) + 1, end = parent->end;

	if (parent->type != DOCUMENT_ARRAY && parent->type != DOCUMENT_OBJECT)
		return NULL;
	index = MAX(index, *at);
	if (index >= end)
		return NULL;
	*at = d->node[index].end;
	return &d->node[index];
}

const struct document_node *document_member(const struct document *d, const struct document_node *object,
					    const char *name)
{
	const struct document_node *child;
	size_t at = 0, n = strlen(name);

	while (object && object->type == DOCUMENT_OBJECT && (child = document_child(d, object, &at)) != NULL)
		if (child->name_length == n && memcmp(child->name, name, n) == 0)
			return child;
	return NULL;
}

const struct document_node *document_typed(const struct document *d, const struct document_node *object,
					   const char *name, enum document_type type)
{
	const struct document_node *node = document_member(d, object, name);

	return node && node->type == type ? node : NULL;
}

static unsigned hexadecimal(const char *s)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 4 | (unsigned)(s[i] <= '9' ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	return v;
}

/* The code point of a \u escape at s, past its 'u'; *used: bytes of it. */
static unsigned code_point(const char *s, size_t n, size_t *used)
{
	unsigned c = hexadecimal(s), low;

	*used = 4;
	if (c < 0xd800 || c > 0xdfff)
		return c;
	if (c < 0xdc00 && n >= 10 && s[4] == '\\' && s[5] == 'u') {
		low = hexadecimal(s + 6);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*used = 10;
			return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return 0xfffd;
}

/* As UTF-8 (RFC 3629); bytes written, at most 4. */
static size_t put_character(char *to, unsigned c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i > 1; i--, c >>= 6)
		to[i - 1] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(lead[n] | c);
	return n;
}

char *document_text(const char *text, size_t n)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	char *out = malloc(n + 1); /* nothing grows: six bytes of an escape become three at most */
	size_t used = 0;

	for (size_t i = 0; out && i < n; i++) {
		const char *letter;
		size_t length;

		if (text[i] != '\\') {
			out[used++] = text[i];
			continue;
		}
		i++;
		letter = strchr(from, text[i]);
		if (text[i] == 'u') {
			used += put_character(out + used, code_point(text + i + 1, n - i - 1, &length));
			i += length;
		} else {
			out[used++] = letter ? to[letter - from] : text[i];
		}
	}
	if (out)
		out[used] = '\0';
	return out;
}
