/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/residency.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/macro.h"

/* One call of mincore(2): the address space it takes, and a vector of a byte a page. */
#define WINDOW (UINT64_C(1) << 30)

/*
 * A call of cachestat(2) takes as long as mincore(2) for about so many pages. A part with a cached page among less than
 * these takes fewer calls to halve than it takes time to look at each page.
 */
#define DENSE 256

/* Both cachestat structures as in include/uapi/linux/mman.h (6.5); headers of older kernels have neither. */
#define SYS_CACHESTAT 451

struct range {
	uint64_t offset, length; /* length 0: to the end */
};

struct counts {
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/*
 * On overlayfs the pages belong to the file below, and cachestat(2) looks at the one above, which has none
 * (seen on 6.18). A mapping is of the file below.
 */
static bool is_looked_through(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static int cachestat_of(int fd, uint64_t offset, uint64_t length, struct counts *c)
{
	struct range range = {offset, length};

	return syscall(SYS_CACHESTAT, fd, &range, c, 0) < 0 ? -errno : 0;
}

static int ask_cachestat(int fd, uint64_t offset, uint64_t length, struct counts *c)
{
	return is_looked_through(fd) ? -ENOSYS : cachestat_of(fd, offset, length, c);
}

/*
 * For those who may not write the file mincore(2) says that all is resident, so as not to tell what others
 * read (kernel commit 134fca9063ad, "mm/mincore.c: make mincore() more conservative").
 */
bool residency_tells(const struct target *t)
{
	struct stat st;

	if (fstat(t->fd, &st) < 0)
		return false;
	return st.st_uid == geteuid() || geteuid() == 0 || faccessat(t->fd, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

/* A part of the target, and who wants to know its pages. */
struct look {
	const struct target *t;
	uint64_t page;
	unsigned char *vec;      /* for WINDOW */
	int (*take)(void *ctx, uint64_t offset, uint64_t length);
	void *ctx;
	uint64_t run, run_end;   /* pages: a run that may go on, not taken yet; none when they are equal */
};

static int look_init(struct look *l, const struct target *t)
{
	*l = (struct look){.t = t, .page = page_size()};
	l->vec = malloc(WINDOW / l->page);
	return l->vec ? 0 : -ENOMEM;
}

static void look_fini(struct look *l)
{
	free(l->vec);
}

/* mincore(2) of pages first..end-1, at most a window of them, into vec. */
static int look_at_pages(const struct look *l, uint64_t first, uint64_t end)
{
	size_t length = (size_t)((end - first) * l->page);
	void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, l->t->fd, (off_t)(first * l->page));
	int r;

	if (map == MAP_FAILED)
		return -errno;
	r = mincore(map, length, l->vec) < 0 ? -errno : 0;
	munmap(map, length);
	return r;
}

static int ask_mincore(const struct target *t, uint64_t offset, uint64_t length, struct counts *c)
{
	_cleanup_(look_fini) struct look l = {.vec = NULL};
	uint64_t first, end, last;
	int r;

	if (!residency_tells(t))
		return -EPERM;
	r = look_init(&l, t);
	if (r < 0)
		return r;
	first = offset / l.page;
	last = (offset + length - 1) / l.page + 1;
	for (; first < last; first = end) {
		end = MIN(last, first + WINDOW / l.page);
		r = look_at_pages(&l, first, end);
		if (r < 0)
			return r;
		for (uint64_t i = 0; i < end - first; i++)
			c->cache += l.vec[i] & 1;
	}
	return 0;
}

/* limit: of what is looked at page by page, bytes. */
static int ask(const struct target *t, uint64_t offset, uint64_t length, uint64_t limit, struct residency *r)
{
	uint64_t of_4096 = page_size() / PAGE_BYTES;
	struct counts c = {0};
	int e;

	*r = (struct residency){.exact = true};
	if (!target_has_cache(t))
		return -ENODEV;
	if (offset >= t->size || length == 0)
		return 0;
	length = MIN(length, t->size - offset);
	e = ask_cachestat(t->fd, offset, length, &c);
	r->exact = e == 0;
	if (e == -ENOSYS)
		e = length <= limit ? ask_mincore(t, offset, length, &c) : -EFBIG;
	if (e < 0)
		return e;
	r->pages = (offset + length - 1) / PAGE_BYTES - offset / PAGE_BYTES + 1;
	r->cached = c.cache * of_4096;
	r->dirty = c.dirty * of_4096;
	r->writeback = c.writeback * of_4096;
	r->evicted = c.evicted * of_4096;
	r->recently_evicted = c.recently_evicted * of_4096;
	return 0;
}

const char *residency_method(const struct residency *r)
{
	return r->exact ? "cachestat" : "mincore";
}

int target_residency(const struct target *t, struct residency *r)
{
	return ask(t, 0, t->size, UINT64_MAX, r);
}

int target_residency_below(const struct target *t, uint64_t limit, struct residency *r)
{
	return ask(t, 0, t->size, limit, r);
}

int target_residency_range(const struct target *t, uint64_t offset, uint64_t length, struct residency *r)
{
	return ask(t, offset, length, UINT64_MAX, r);
}

/* The run that was found so far is whole. */
static int take_run(struct look *l)
{
	uint64_t from = l->run * l->page, end = MIN(l->run_end * l->page, l->t->size);

	if (l->run == l->run_end)
		return 0;
	l->run = l->run_end;
	return l->take(l->ctx, from, end - from);
}

/* Pages first..end-1 are cached, and behind all those before. */
static int found(struct look *l, uint64_t first, uint64_t end)
{
	int r = first == l->run_end ? 0 : take_run(l);

	if (first != l->run_end)
		l->run = first;
	l->run_end = end;
	return r;
}

static int runs_by_pages(struct look *l, uint64_t first, uint64_t last)
{
	int r = 0;

	for (uint64_t end; first < last && r >= 0; first = end) {
		end = MIN(last, first + WINDOW / l->page);
		r = look_at_pages(l, first, end);
		for (uint64_t i = 0; i < end - first && r >= 0; i++)
			if (l->vec[i] & 1)
				r = found(l, first + i, first + i + 1);
	}
	return r;
}

/*
 * Pages first..end-1, of which so many are cached: asked just now, or what is left of a larger part, which may have
 * changed meanwhile and is asked again before anything is said by it.
 */
static int runs_by_halves(struct look *l, uint64_t first, uint64_t end, uint64_t cached, bool asked)
{
	uint64_t pages = end - first, middle = first + pages / 2;
	struct counts c = {.cache = cached};
	int r = 0;

	if (cached >= pages && !asked)
		r = cachestat_of(l->t->fd, first * l->page, pages * l->page, &c);
	if (r < 0 || c.cache == 0)
		return r;
	if (c.cache >= pages)
		return found(l, first, end);
	if (pages <= WINDOW / l->page && c.cache > pages / DENSE)
		return runs_by_pages(l, first, end);
	cached = c.cache;
	r = cachestat_of(l->t->fd, first * l->page, (middle - first) * l->page, &c);
	if (r == 0)
		r = runs_by_halves(l, first, middle, c.cache, true);
	return r < 0 ? r : runs_by_halves(l, middle, end, cached > c.cache ? cached - c.cache : 0, false);
}

int residency_runs(const struct target *t, int (*take)(void *ctx, uint64_t offset, uint64_t length), void *ctx)
{
	_cleanup_(look_fini) struct look l = {.vec = NULL};
	struct residency all;
	uint64_t pages;
	int r = target_residency_below(t, 0, &all);

	if (r < 0 && r != -EFBIG)
		return r;
	if (r < 0 && !residency_tells(t))
		return -EPERM;
	if (r == 0 && all.cached == 0)
		return 0;
	r = look_init(&l, t);
	if (r < 0)
		return r;
	l.take = take;
	l.ctx = ctx;
	pages = (t->size + l.page - 1) / l.page;
	r = all.exact ? runs_by_halves(&l, 0, pages, all.cached * PAGE_BYTES / l.page, true)
		      : runs_by_pages(&l, 0, pages);
	return r < 0 ? r : take_run(&l);
}

static int move_view(struct residency_view *v, uint64_t start)
{
	size_t length = (size_t)MIN(WINDOW, v->target->size - start);
	void *map = mmap(NULL, length, PROT_READ, MAP_SHARED | MAP_NORESERVE, v->target->fd, (off_t)start);

	if (map == MAP_FAILED)
		return -errno;
	residency_view_fini(v);
	v->map = map;
	v->start = start;
	v->length = length;
	return 0;
}

int residency_view_pages(struct residency_view *v, uint64_t offset, uint64_t length, unsigned char *vec)
{
	int r;

	if (!v->map || offset - v->start >= v->length) {
		r = move_view(v, offset - offset % WINDOW);
		if (r < 0)
			return r;
	}
	return mincore(v->map + (offset - v->start), (size_t)length, vec) < 0 ? -errno : 0;
}

void residency_view_fini(struct residency_view *v)
{
	if (v->map)
		munmap(v->map, v->length);
	v->map = NULL;
}
