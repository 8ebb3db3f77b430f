/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A shared mapping of the target, one byte read of each page of a request: what the page-fault path does is all there
 * is to it. Where the address space does not hold the whole target, a window of it moves.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/backend.h"
#include "io/sigbus.h"

struct mapping {
	struct sigbus_guard guard;  /* the window: where, and how many bytes of address space */
	uint64_t start;             /* offset of the window in the target */
	uint64_t there;             /* bytes of the target in the window */
	uint64_t fast;              /* there, or 0 when a request needs more than the touch */
	uint64_t size;              /* of the target */
	int fd;
	enum io_advice advice;
};

static int mmap_probe(struct fault *why _unused_)
{
	return 0;
}

/* Map length bytes of the target from offset on, at the given place or, NULL, anywhere. */
static int map_at(const struct mapping *m, char *place, size_t length, uint64_t offset, char **mapped)
{
	int flags = MAP_SHARED | MAP_NORESERVE | (place ? MAP_FIXED : 0), advice = MADV_NORMAL;

	*mapped = mmap(place, length, PROT_READ, flags, m->fd, (off_t)offset);
	if (*mapped == MAP_FAILED)
		return -errno;
	if (m->advice == ADVISE_RANDOM)
		advice = MADV_RANDOM;
	else if (m->advice == ADVISE_SEQUENTIAL)
		advice = MADV_SEQUENTIAL;
	if (advice != MADV_NORMAL && madvise(*mapped, length, advice) < 0)
		return -errno;
	return 0;
}

/* Windows begin at multiples of their length, so that a trace that runs backwards moves them no more often. */
static int move_window(struct mapping *m, uint64_t offset)
{
	uint64_t start = offset - offset % m->guard.length;
	char *mapped;
	int r;

	m->fast = m->there = 0;
	r = map_at(m, m->guard.base, m->guard.length, start, &mapped);
	if (r < 0)
		return r;
	m->start = start;
	m->there = MIN(m->guard.length, m->size - start);
	m->fast = m->advice == ADVISE_WILLNEED ? 0 : m->there;
	return 0;
}

static int map_error(int err, struct fault *why)
{
	if (err == -ENOMEM)
		return fault_set(why, err, "no address space to map it, not even a page (ulimit -v)");
	return fault_set(why, err, "cannot be mapped: %s", strerror(-err));
}

/* The largest power of two below length, not below page. */
static size_t power_below(size_t length, size_t page)
{
	size_t power = page;

	while (power * 2 < length)
		power *= 2;
	return power;
}

/* The largest window that can be had; all of the target if possible. */
static int first_window(struct mapping *m, struct fault *why)
{
	size_t page = m->guard.page, length = SIZE_MAX / 2 + 1;
	char *mapped;
	int r;

	if (m->size <= length - page)
		length = (size_t)(m->size + page - 1) / page * page;
	while ((r = map_at(m, NULL, length, 0, &mapped)) == -ENOMEM && length > page)
		length = power_below(length, page);
	if (r < 0)
		return map_error(r, why);
	m->guard.base = mapped;
	m->guard.length = length;
	if (length < m->size && length > page) {
		/* The rest of the process needs room too. */
		m->guard.length = length / 2;
		munmap(mapped + m->guard.length, m->guard.length);
	}
	r = move_window(m, 0);
	if (r < 0)
		munmap(m->guard.base, m->guard.length);
	return r < 0 ? map_error(r, why) : 0;
}

static int mmap_open(const struct engine_params *p, void **state, struct fault *why)
{
	_cleanup_free_ struct mapping *m = calloc(1, sizeof(*m));
	struct stat st;
	int r;

	if (!m)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	if (fstat(p->fd, &st) < 0)
		return fault_set(why, -errno, "%s", strerror(errno));
	if (S_ISCHR(st.st_mode))
		return fault_set(why, -ENODEV, "a character device cannot be mapped: %s", strerror(ENODEV));
	m->fd = p->fd;
	m->size = p->size;
	m->advice = p->advice;
	m->guard.page = (size_t)sysconf(_SC_PAGESIZE);
	if (m->size > 0) { /* else there is nothing to map, and nothing to read */
		r = first_window(m, why);
		if (r < 0)
			return r;
	}
	sigbus_guard_add(&m->guard);
	*state = TAKE_PTR(m);
	return 0;
}

static void mmap_close(void *state)
{
	struct mapping *m = state;

	sigbus_guard_remove(&m->guard);
	if (m->guard.length)
		munmap(m->guard.base, m->guard.length);
	free(m);
}

/* The first byte, and of each page after it the first; ends at the first page that could not be had. */
static void touch(const struct mapping *m, const char *from, size_t length)
{
	size_t page = m->guard.page, first = page - ((size_t)from & (page - 1));
	const volatile char *at = from;

	(void)*at;
	for (size_t done = first; done < length && !m->guard.lost; done += page)
		(void)at[done];
}

/* The page of the target comes back in place of the empty one: the next touch shall be true again. */
static int restore(struct mapping *m)
{
	char *page = m->guard.lost, *mapped;

	m->guard.lost = NULL;
	return map_at(m, page, m->guard.page, m->start + (uint64_t)(page - m->guard.base), &mapped);
}

static void announce(const struct mapping *m, const char *from, size_t length)
{
	size_t skew = (size_t)from & (m->guard.page - 1);

	/* A hint; what is wrong with the pages, the touch will tell. */
	(void)madvise((char *)(uintptr_t)from - skew, length + skew, MADV_WILLNEED);
}

/* Out of line, so that the one touch of a usual request carries neither its registers nor its stack. */
__attribute__((noinline, cold)) static int submit_rare(struct mapping *m, struct io *io)
{
	uint64_t at = io->offset, end;
	int r;

	if (m->guard.lost) { /* by the touch of the quick way */
		io->res = -EIO;
		return restore(m);
	}
	if (io->op != IO_READ)
		return -EOPNOTSUPP;
	io->res = 0;
	if (at >= m->size)
		return 0;
	end = at + MIN(io->length, m->size - at);
	while (at < end) {
		size_t piece;
		const char *from;

		if (at - m->start >= m->there) {
			r = move_window(m, at);
			if (r < 0)
				return r;
		}
		piece = (size_t)MIN(end - at, m->there - (at - m->start));
		from = m->guard.base + (at - m->start);
		if (m->advice == ADVISE_WILLNEED)
			announce(m, from, piece);
		touch(m, from, piece);
		if (m->guard.lost) {
			io->res = -EIO;
			return restore(m);
		}
		at += piece;
	}
	io->res = (int64_t)(end - io->offset);
	return 0;
}

static int mmap_submit(void *state, struct io *io)
{
	struct mapping *m = state;
	uint64_t at = io->offset - m->start;

	if (likely(at < m->fast && io->length <= m->fast - at && io->op == IO_READ &&
		   (at & (m->guard.page - 1)) + io->length <= m->guard.page)) {
		(void)*(const volatile char *)(m->guard.base + at);
		io->res = (int64_t)io->length;
		if (likely(!m->guard.lost))
			return 0;
	}
	return submit_rare(m, io);
}

/*
 * The loop of a bare touch: what misses the TLB or the cache in one request overlaps with the next ones. A page that could
 * not be had stays marked as lost, for submit() to tell.
 */
static size_t mmap_read_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop)
{
	const struct mapping *m = state;
	const char *base = m->guard.base;
	const uint64_t start = m->start, fast = m->fast, page = m->guard.page;
	size_t i;

	for (i = 0; i < n && !atomic_load_explicit(stop, memory_order_relaxed); i++) {
		uint64_t at = spans[i].offset - start, length = spans[i].length;

		if (unlikely(at >= fast || length > fast - at))
			break;
		if (likely((at & (page - 1)) + length <= page))
			(void)*(const volatile char *)(base + at);
		else
			touch(m, base + at, length);
		if (unlikely(m->guard.lost))
			break;
	}
	return i;
}

static void mmap_describe(const void *state, char *text, size_t cap)
{
	const struct mapping *m = state;

	text[0] = '\0';
	if (m->guard.length < m->size)
		snprintf(text, cap, "a moving window of %zu of %" PRIu64 " bytes", m->guard.length, m->size);
}

const struct engine engine_mmap = {
	.name = "mmap",
	.help = "a mapping, one byte read of each page",
	.flags = ENGINE_TOUCH,
	.max_depth = 1,
	.probe = mmap_probe,
	.open = mmap_open,
	.close = mmap_close,
	.submit = mmap_submit,
	.read_many = mmap_read_many,
	.describe = mmap_describe,
};
