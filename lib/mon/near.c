/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/near.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/macro.h"

#define MOST (NEAR_NAME - 1)

static bool is_letter(char a, char b)
{
	return ((a ^ b) & ~0x20) == 0 && ((a | 0x20) >= 'a' && (a | 0x20) <= 'z');
}

/* Letters of either case are alike: a name is not near for having none of its letters right. */
static bool differ(char a, char b)
{
	return a != b && !is_letter(a, b);
}

/* Optimal string alignment: Levenshtein's table of three rows, with transpositions. */
unsigned near_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned row[3][MOST + 1];

	if (la > MOST || lb > MOST)
		return (unsigned)MIN(MAX(la, lb), (size_t)UINT32_MAX);
	for (unsigned j = 0; j <= lb; j++)
		row[0][j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned *now = row[i % 3], *prev = row[(i + 2) % 3], *older = row[(i + 1) % 3];

		now[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned best = prev[j - 1] + differ(a[i - 1], b[j - 1]);

			best = MIN(best, prev[j] + 1);
			best = MIN(best, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN(best, older[j - 2] + 1);
			now[j] = best;
		}
	}
	return row[la % 3][lb];
}

/* A name that begins with the other is near however long the rest is: allocstall and allocstall_normal. */
static bool is_near(const char *asked, const char *name, unsigned distance)
{
	size_t la = strlen(asked), ln = strlen(name), least = MIN(la, ln);

	return distance <= MAX(la / 3, 1) || (least >= 4 && !memcmp(asked, name, least));
}

void near_consider(struct near *n, const char *text, size_t length)
{
	char name[NEAR_NAME];
	unsigned distance;
	size_t at = NEAR_COUNT;

	if (length > MOST)
		return;
	memcpy(name, text, length);
	name[length] = '\0';
	distance = near_distance(n->asked, name);
	if (!is_near(n->asked, name, distance))
		return;
	for (size_t i = 0; i < NEAR_COUNT; i++)
		if (!strcmp(n->list[i].name, name))
			return;
	while (at > 0 && (!n->list[at - 1].name[0] || n->list[at - 1].distance > distance))
		at--;
	if (at == NEAR_COUNT)
		return;
	memmove(&n->list[at + 1], &n->list[at], (NEAR_COUNT - at - 1) * sizeof(n->list[0]));
	memcpy(n->list[at].name, name, length + 1);
	n->list[at].distance = distance;
}

const char *near_text(const struct near *n, char buf[NEAR_TEXT])
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < NEAR_COUNT && n->list[i].name[0]; i++)
		used += (size_t)snprintf(buf + used, NEAR_TEXT - used, "%s%s", i ? ", " : "; nearest: ",
					 n->list[i].name);
	return buf;
}
