/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mountinfo.h"

#include <string.h>

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
		    s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/*
 * n fields, each behind one blank; one may be empty, as the source of a file system without any. False when there are
 * fewer.
 */
static bool take_fields(char *text, char **field, int n)
{
	text[strcspn(text, "\n")] = '\0';
	for (int i = 0; i < n; i++) {
		field[i] = strsep(&text, " ");
		if (!field[i])
			return false;
		unescape(field[i]);
	}
	return true;
}

/* "ID PARENT DEVICE ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS" */
bool mountinfo_parse(char *line, struct mountinfo *out)
{
	char *rest = strstr(line, " - "), *first[5], *second[3];

	if (!rest)
		return false;
	*rest = '\0';
	if (!take_fields(line, first, 5) || !take_fields(rest + 3, second, 3))
		return false;
	*out = (struct mountinfo){.id = first[0], .root = first[3], .point = first[4],
				  .type = second[0], .source = second[1], .options = second[2]};
	return true;
}
