/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page cache of a target (io/target.h). */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"
#include "io/target.h"

/* One call of mincore(2): the address space it takes, and a vector of a byte a page. */
#define WINDOW (UINT64_C(1) << 30)

/* A target whose pages would take longer than about a second to look at one by one. */
#define MINCORE_LIMIT (UINT64_C(128) << 30)

/* Both cachestat structures as in include/uapi/linux/mman.h (6.5); headers of older kernels have neither. */
#define SYS_CACHESTAT 451

struct range {
	uint64_t offset, length; /* length 0: to the end */
};

struct counts {
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

/*
 * On overlayfs the pages belong to the file below, and cachestat(2) looks at the one above, which has none
 * (seen on 6.18). A mapping is of the file below.
 */
static int ask_cachestat(int fd, struct counts *c)
{
	struct range whole = {0, 0};
	struct statfs fs;

	if (fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC)
		return -ENOSYS;
	return syscall(SYS_CACHESTAT, fd, &whole, c, 0) < 0 ? -errno : 0;
}

/*
 * For those who may not write the file mincore(2) says that all is resident, so as not to tell what others
 * read (kernel commit 134fca9063ad, "mm/mincore.c: make mincore() more conservative").
 */
static bool mincore_tells(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	return st.st_uid == geteuid() || geteuid() == 0 || faccessat(fd, "", W_OK, AT_EMPTY_PATH | AT_EACCESS) == 0;
}

static int ask_mincore(const struct target *t, uint64_t page, struct counts *c)
{
	_cleanup_free_ unsigned char *vec = NULL;

	if (!mincore_tells(t->fd))
		return -EPERM;
	vec = malloc(WINDOW / page);
	if (!vec)
		return -ENOMEM;
	for (uint64_t at = 0; at < t->size; at += WINDOW) {
		size_t length = (size_t)MIN(WINDOW, t->size - at), pages = (length + page - 1) / page;
		void *map = mmap(NULL, length, PROT_READ, MAP_SHARED, t->fd, (off_t)at);
		int r;

		if (map == MAP_FAILED)
			return -errno;
		r = mincore(map, length, vec) < 0 ? -errno : 0;
		munmap(map, length);
		if (r < 0)
			return r;
		for (size_t i = 0; i < pages; i++)
			c->cache += vec[i] & 1;
	}
	return 0;
}

/* exhaustive: also where it takes a look at each page. */
static int residency(const struct target *t, struct residency *r, bool exhaustive)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), of_4096 = page / PAGE_BYTES;
	struct counts c = {0};
	int e;

	if (t->kind == TARGET_CHAR)
		return -ENODEV;
	e = ask_cachestat(t->fd, &c);
	r->exact = e == 0;
	if (e == -ENOSYS)
		e = exhaustive || t->size <= MINCORE_LIMIT ? ask_mincore(t, page, &c) : -EFBIG;
	if (e < 0)
		return e;
	r->pages = t->size / PAGE_BYTES + (t->size % PAGE_BYTES != 0);
	r->cached = c.cache * of_4096;
	r->dirty = c.dirty * of_4096;
	r->writeback = c.writeback * of_4096;
	return 0;
}

int target_residency(const struct target *t, struct residency *r)
{
	return residency(t, r, true);
}

/*
 * Pages that are just being read ahead, say for the play before, cannot be dropped yet. They can a little later; what
 * is there for other reasons is not fewer then.
 */
static int drop_rest(const struct target *t, uint64_t *left)
{
	struct residency r;
	int e;

	for (int tries = 0; *left > 0 && tries < 100; tries++) {
		nanosleep(&(const struct timespec){.tv_nsec = 5000000}, NULL);
		e = posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
		if (e)
			return -e;
		if (residency(t, &r, false) < 0 || r.cached >= *left)
			break;
		*left = r.cached;
	}
	return 0;
}

int target_drop_cache(const struct target *t, uint64_t *left)
{
	struct residency r;
	int e;

	*left = UINT64_MAX;
	if (t->kind == TARGET_CHAR) {
		*left = 0;
		return 0;
	}
	/* Clean pages need no fsync, which on a busy disk waits for the writes of others. */
	if (residency(t, &r, false) < 0 || !r.exact || r.dirty || r.writeback) {
		e = target_sync(t);
		if (e < 0)
			return e;
	}
	e = posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (e)
		return -e;
	if (residency(t, &r, false) < 0)
		return 0;
	*left = r.cached;
	return r.exact ? drop_rest(t, left) : 0;
}
