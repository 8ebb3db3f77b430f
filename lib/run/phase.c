/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/phase.h"

#include <string.h>

bool phase_ends(const struct mark *m)
{
	return m->phase[0] && m->next;
}

const struct mark *phase_last(const struct mark *first)
{
	const struct mark *m = first;

	while (phase_ends(m) && m->next->run == first->run)
		m = m->next;
	return m;
}

static bool is_like(const struct mark *m, const struct mark *like)
{
	return phase_ends(m) && strcmp(m->phase, like->phase) == 0;
}

const struct mark *phase_next_like(const struct mark *m, const struct mark *like)
{
	for (m = m->next; m; m = m->next)
		if (is_like(m, like))
			return m;
	return NULL;
}

bool phase_is_first_like(const struct mark *m, const struct mark *first)
{
	while (first != m && !is_like(first, m))
		first = first->next;
	return first == m;
}
