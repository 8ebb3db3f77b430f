/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory as a target (io/target.h). */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/units.h"
#include "io/area.h"
#include "io/target.h"

#define ANON "anon:"
#define MEMFD "memfd:"

static const char *size_of_anon(const char *path)
{
	return strncmp(path, ANON, strlen(ANON)) == 0 ? path + strlen(ANON) : NULL;
}

static const char *size_of_memfd(const char *path)
{
	return strncmp(path, MEMFD, strlen(MEMFD)) == 0 ? path + strlen(MEMFD) : NULL;
}

bool target_is_anon(const char *path)
{
	return size_of_anon(path);
}

bool target_is_memory(const char *path)
{
	return size_of_anon(path) || size_of_memfd(path);
}

int target_memory_size(const char *path, unsigned shift, uint64_t *bytes, struct fault *why)
{
	const char *text = target_is_anon(path) ? size_of_anon(path) : size_of_memfd(path), *wrong;
	char quoted[64];

	if (units_bytes(text, strlen(text), shift, bytes, &wrong) < 0)
		return fault_set(why, -EINVAL, "%s is no size of memory: %s",
				 fault_quote(quoted, sizeof(quoted), text, strlen(text)), wrong);
	if (*bytes == 0)
		return fault_set(why, -EINVAL, "%s: memory of no size", path);
	return 0;
}

static int refused(int err, uint64_t bytes, struct fault *why)
{
	struct rlimit space;

	if (err != ENOMEM)
		return fault_set(why, -err, "no memory of %" PRIu64 " bytes: %s", bytes, strerror(err));
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
		return fault_set(
		    why, -err, "no memory of %" PRIu64 " bytes in an address space that is limited to %ju (ulimit -v)",
		    bytes, (uintmax_t)space.rlim_cur);
	return fault_set(why, -err,
			 "no memory of %" PRIu64 " bytes: more than the kernel promises (vm.overcommit_memory), or "
			 "than there are addresses",
			 bytes);
}

/* Is it to be had, as the engine will map it? What is not touched costs nothing. */
static int try_to_map(uint64_t bytes, struct fault *why)
{
	_cleanup_(area_release) struct area a = AREA_NONE;
	int r = bytes > SIZE_MAX / 2 ? -ENOMEM : area_reserve(&a, (size_t)bytes);

	if (r == 0 && mmap(a.base, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0) == MAP_FAILED)
		r = -errno;
	return r < 0 ? refused(-r, bytes, why) : 0;
}

/* Of more than a file may have, ftruncate(2) says so by SIGXFSZ, which ends a process. */
static int check_limit(uint64_t bytes, struct fault *why)
{
	struct rlimit file;

	if (getrlimit(RLIMIT_FSIZE, &file) < 0 || bytes <= file.rlim_cur)
		return 0;
	return fault_set(why, -EFBIG,
			 "no memory of %" PRIu64 " bytes as a file, and files are limited to %ju (ulimit -f)", bytes,
			 (uintmax_t)file.rlim_cur);
}

int target_open_memory(struct target *t, const char *path, struct fault *why)
{
	_cleanup_close_ int fd = -1;
	int r = target_memory_size(path, 0, &t->size, why);

	if (r < 0)
		return r;
	t->kind = target_is_anon(path) ? TARGET_ANON : TARGET_MEMFD;
	if (t->kind == TARGET_ANON)
		return try_to_map(t->size, why);
	r = check_limit(t->size, why);
	if (r < 0)
		return r;
	fd = memfd_create("iotrace", MFD_CLOEXEC);
	if (fd < 0)
		return fault_set(why, -errno, "no memfd can be made: %s", strerror(errno));
	if (ftruncate(fd, (off_t)t->size) < 0)
		return refused(errno, t->size, why);
	t->fd = TAKE_FD(fd);
	return 0;
}
