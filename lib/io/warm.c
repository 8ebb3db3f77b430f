/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/warm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/macro.h"

/*
 * The kernel cuts what an advice asks for to the largest request of the device, or to the readahead if that is more
 * (force_page_cache_ra() in mm/readahead.c), and drops the rest without a word. Both are at least this much as a rule.
 */
#define PIECE (UINT64_C(128) << 10)

/* The target once more; -1 where there is no /proc. */
static int open_again(const struct target *t)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int warm_open(struct warm *w, const struct target *t)
{
	*w = (struct warm){.target = t, .view.target = t, .fd = -1};
	if (!target_has_cache(t))
		return -ENODEV;
	w->tells = residency_tells(t);
	w->fd = open_again(t);
	if (w->fd >= 0)
		return -posix_fadvise(w->fd, 0, 0, POSIX_FADV_RANDOM);
	w->fd = fcntl(t->fd, F_DUPFD_CLOEXEC, 0);
	return w->fd < 0 ? -errno : 0;
}

static int read_page(struct warm *w, uint64_t offset)
{
	char byte;
	ssize_t n;

	do
		n = pread(w->fd, &byte, 1, (off_t)offset);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 0;
	w->failed = offset;
	return -errno;
}

/* Until the oldest piece is in. */
static int await(struct warm *w)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct warm_piece s = w->piece[w->first];
	unsigned char there[PIECE / PAGE_BYTES] = {0};
	int r = w->tells ? residency_view_pages(&w->view, s.offset, s.length, there) : 0;

	w->first = (w->first + 1) % ARRAY_SIZE(w->piece);
	w->count--;
	for (uint64_t i = 0; r >= 0 && i * page < s.length; i++)
		if (!(there[i] & 1))
			r = read_page(w, s.offset + i * page);
	return r;
}

int warm_put(struct warm *w, uint64_t offset, uint64_t length)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size = w->target->size;
	uint64_t at = offset - offset % page, end = offset < size ? offset + MIN(length, size - offset) : offset;
	int r = 0;

	for (uint64_t next; r >= 0 && length > 0 && at < end; at = next) {
		struct warm_piece *s;

		next = MIN(end, at - at % PIECE + PIECE);
		if (w->count == ARRAY_SIZE(w->piece))
			r = await(w);
		if (r < 0)
			break;
		s = &w->piece[(w->first + w->count++) % ARRAY_SIZE(w->piece)];
		*s = (struct warm_piece){.offset = at, .length = next - at};
		/* Advice only: what it does not do is done when the piece is waited for. */
		(void)posix_fadvise(w->fd, (off_t)at, (off_t)(next - at), POSIX_FADV_WILLNEED);
	}
	return r;
}

int warm_end(struct warm *w)
{
	int r = 0;

	while (w->count > 0 && r >= 0)
		r = await(w);
	return r;
}

void warm_close(struct warm *w)
{
	if (!w->target)
		return;
	residency_view_fini(&w->view);
	if (w->fd >= 0)
		close(w->fd);
	w->target = NULL;
}
