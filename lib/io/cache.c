/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page cache of a target (io/target.h). */
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "io/residency.h"
#include "io/target.h"

/* Looking at each page of such a target takes about a second. */
#define LOOKED_AT (UINT64_C(128) << 30)

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
		if (target_residency_below(t, LOOKED_AT, &r) < 0 || r.cached >= *left)
			break;
		*left = r.cached;
	}
	return 0;
}

/* Nothing is behind the pages of a memfd, so none is dropped but by a hole. */
static int give_memory_back(const struct target *t)
{
	return fallocate(t->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)t->size) < 0 ? -errno : 0;
}

int target_drop_cache(const struct target *t, uint64_t *left)
{
	struct residency r;
	int e;

	*left = UINT64_MAX;
	if (!target_has_cache(t) || t->kind == TARGET_MEMFD) {
		*left = 0;
		return t->kind == TARGET_MEMFD ? give_memory_back(t) : 0;
	}
	/* Clean pages need no fsync, which on a busy disk waits for the writes of others. */
	if (target_residency_below(t, LOOKED_AT, &r) < 0 || !r.exact || r.dirty || r.writeback) {
		e = target_sync(t);
		if (e < 0)
			return e;
	}
	e = posix_fadvise(t->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (e)
		return -e;
	if (target_residency_below(t, LOOKED_AT, &r) < 0)
		return 0;
	*left = r.cached;
	return r.exact ? drop_rest(t, left) : 0;
}
