/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine mmap tells the kernel about what it maps. */
#include <errno.h>

#include "io/mapping.h"

/*
 * The advice for what length bytes of memory, which show the target from offset on, hold of its range. The range grows
 * to whole pages.
 */
static int advise_part(const struct mapping *m, char *at, size_t length, uint64_t offset, const struct io_hint *h)
{
	uint64_t page = m->guard.page, end = h->length > UINT64_MAX - h->offset ? UINT64_MAX : h->offset + h->length;
	uint64_t first = MAX(h->offset, offset) - offset, last = MIN(end, offset + length) - offset;
	int r;

	if (h->offset >= offset + length || end <= offset)
		return 0;
	first -= first % page;
	r = advise_memory(at + first, last - first, h->advice);
	/* A kernel that has no huge pages gives none. */
	return h->advice == ADVISE_NOHUGEPAGE && r == -EOPNOTSUPP ? 0 : r;
}

/* Each request is announced before it is touched: that is what willneed of everything means here. */
static bool is_announcement(const struct io_hint *h)
{
	return h->advice == ADVISE_WILLNEED && hint_is_whole(h);
}

bool mapping_announces(const struct mapping *m)
{
	for (unsigned i = 0; i < m->hint_count; i++)
		if (is_announcement(&m->hints[i]))
			return true;
	return false;
}

int mapping_advise_lasting(const struct mapping *m, char *at, size_t length, uint64_t offset)
{
	int r = 0;

	for (unsigned i = 0; i < m->hint_count && r == 0; i++)
		if (advise_lasts(m->hints[i].advice))
			r = advise_part(m, at, length, offset, &m->hints[i]);
	return r;
}

int mapping_advise_once(const struct mapping *m)
{
	int r = 0;

	for (unsigned i = 0; i < m->hint_count && r == 0; i++) {
		const struct io_hint *h = &m->hints[i];

		if (advise_lasts(h->advice) || is_announcement(h))
			continue;
		r = advise_part(m, m->guard.base, m->guard.length, m->start, h);
		/* A page that cannot be had, the touch will tell. */
		if (h->advice == ADVISE_POPULATE_READ && r != -EOPNOTSUPP)
			r = 0;
	}
	return r;
}

int mapping_advise(void *state, const struct io_hint *h)
{
	const struct mapping *m = state;

	return m->guard.length ? advise_part(m, m->guard.base, m->guard.length, m->start, h) : 0;
}
