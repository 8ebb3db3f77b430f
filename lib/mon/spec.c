/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/spec.h"

#include <errno.h>
#include <string.h>

#include "base/macro.h"

void spec_fini(struct spec *s)
{
	free(s->bare);
	free(s->name);
}

/* The mode behind the last colon, if it is one. */
static const char *find_mode(const char *text, enum column_mode *mode)
{
	static const struct {
		const char *suffix;
		enum column_mode mode;
	} modes[] = {
		{":rate", COLUMN_RATE},
		{":raw", COLUMN_RAW},
		{":delta", COLUMN_DELTA},
		{":auto", COLUMN_AUTO},
	};
	const char *colon = strrchr(text, ':');

	for (size_t i = 0; colon && i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(colon, modes[i].suffix)) {
			*mode = modes[i].mode;
			return colon;
		}
	}
	return NULL;
}

static int no_source(const char *quoted, struct fault *fault)
{
	char list[128] = "";

	for (size_t i = 0; i < source_kind_count; i++)
		strcat(strcat(list, i ? ", " : ""), source_kinds[i].prefix);
	return fault_set(fault, -EINVAL,
			 "%s: behind the ':' stands none of raw, rate, delta, auto, and before it none of the sources %s",
			 quoted, list);
}

int spec_parse(struct spec *out, const char *text, enum column_mode mode, struct fault *fault)
{
	_cleanup_(spec_fini) struct spec s = {.text = text, .mode = mode, .optional = text[0] == '?'};
	const char *begin = text + s.optional, *suffix = find_mode(begin, &s.mode), *colon;
	size_t length = suffix ? (size_t)(suffix - begin) : strlen(begin);
	char quoted[64];

	fault_quote(quoted, sizeof(quoted), text, strlen(text));
	s.suffix = suffix ? suffix : "";
	s.bare = strndup(begin, length);
	if (!s.bare)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	if (length >= 4 && !strncmp(begin, "sum(", 4)) {
		if (begin[length - 1] != ')')
			return fault_set(fault, -EINVAL, "%s: sum( without its )", quoted);
		s.sum = true;
		begin += 4;
		length -= 5;
	}
	if (!length)
		return fault_set(fault, -EINVAL, "%s: empty field name", quoted);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)begin[i] <= ' ')
			return fault_set(fault, -EINVAL, "%s: a field name has no blanks", quoted);
	s.name = strndup(begin, length);
	if (!s.name)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	colon = strchr(s.name, ':');
	if (colon && !source_kind_find(s.name, (size_t)(colon - s.name)))
		return no_source(quoted, fault);
	s.several = !s.sum && strpbrk(s.name, "*?[");
	*out = s;
	s = (struct spec){0};
	return 0;
}

size_t spec_formula(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-");

	return n && !strchr("0123456789.-", text[0]) && text[n] == '=' ? n : 0;
}
