/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/target.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/macro.h"

/* Larger than any alignment that is asked for, so that only offset and length are on trial. */
#define PROBE_ALIGN 65536

static int kind_of(const struct stat *st, enum target_kind *kind, struct fault *fault)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		*kind = TARGET_FILE;
		return 0;
	case S_IFBLK:
		*kind = TARGET_BLOCK;
		return 0;
	case S_IFCHR:
		*kind = TARGET_CHAR;
		return 0;
	case S_IFDIR:
		return fault_set(fault, -EINVAL, "is a directory, not a file or block device");
	case S_IFIFO:
		return fault_set(fault, -EINVAL, "is a fifo, which has no offsets");
	case S_IFSOCK:
		return fault_set(fault, -EINVAL, "is a socket, which has no offsets");
	default:
		return fault_set(fault, -EINVAL, "is not a file or block device");
	}
}

static int open_error(int err, enum target_kind kind, unsigned flags, struct fault *fault)
{
	if (err == EINVAL && (flags & TARGET_DIRECT))
		return fault_set(fault, -EOPNOTSUPP, "direct I/O is not supported by its file system");
	if (err == EBUSY && kind == TARGET_BLOCK)
		return fault_set(fault, -EBUSY, "is in use (mounted, or part of another device), so it is not written");
	return fault_set(fault, -err, "%s", strerror(err));
}

/*
 * The kind is looked at through O_PATH first: that opens no device, wakes no writer of a fifo, and works for sockets,
 * which open(2) refuses without saying why. That the second open met the same object is checked, not assumed.
 */
static int open_checked(const char *path, unsigned flags, enum target_kind *kind, struct fault *fault)
{
	_cleanup_close_ int look = open(path, O_PATH | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	struct stat st, now;
	int mode = O_CLOEXEC | O_NOCTTY, r;

	if (look < 0)
		return fault_set(fault, -errno, "%s", strerror(errno));
	if (fstat(look, &st) < 0)
		return fault_set(fault, -errno, "%s", strerror(errno));
	r = kind_of(&st, kind, fault);
	if (r < 0)
		return r;

	mode |= flags & TARGET_WRITE ? O_RDWR : O_RDONLY;
	if (flags & TARGET_DIRECT)
		mode |= O_DIRECT;
	if (flags & TARGET_DSYNC)
		mode |= O_DSYNC;
	/* For a block device O_NONBLOCK has another meaning: open a drive that has no medium. */
	if (*kind != TARGET_BLOCK)
		mode |= O_NONBLOCK;
	else if (flags & TARGET_WRITE)
		mode |= O_EXCL;
	fd = open(path, mode);
	if (fd < 0)
		return open_error(errno, *kind, flags, fault);
	if (fstat(fd, &now) < 0)
		return fault_set(fault, -errno, "%s", strerror(errno));
	if (now.st_dev != st.st_dev || now.st_ino != st.st_ino)
		return fault_set(fault, -ESTALE, "was replaced by another file while it was opened");
	/* It would make io_uring return -EAGAIN for what is not cached. */
	if (fcntl(fd, F_SETFL, flags & TARGET_DIRECT ? O_DIRECT : 0) < 0)
		return fault_set(fault, -errno, "%s", strerror(errno));
	return TAKE_FD(fd);
}

/* A device that is set read-only can be opened for writing all the same, and then fails each write. */
static int check_writable_device(int fd, struct fault *fault)
{
	int read_only = 0;

	if (ioctl(fd, BLKROGET, &read_only) == 0 && read_only)
		return fault_set(fault, -EROFS, "is a read-only device");
	return 0;
}

static int check_char(int fd, struct fault *fault)
{
	if (isatty(fd))
		return fault_set(fault, -EINVAL, "is a terminal, which has no offsets");
	if (lseek(fd, 0, SEEK_CUR) < 0)
		return fault_set(fault, -EINVAL, "is a device that cannot be read at an offset");
	return 0;
}

/* Where nothing tells the alignment: the smallest power of two from a sector on that a read of that length accepts. */
static uint32_t probe_offset_alignment(int fd)
{
	void *buf = NULL;
	uint32_t align;

	if (posix_memalign(&buf, PROBE_ALIGN, PROBE_ALIGN))
		return 0;
	for (align = 512; align < PROBE_ALIGN; align *= 2)
		if (pread(fd, buf, align, 0) >= 0 || errno != EINVAL)
			break;
	free(buf);
	return align < PROBE_ALIGN ? align : 0;
}

/*
 * statx(2) tells the alignments since Linux 6.1 for some file systems. They are read at their place in the ABI
 * (include/uapi/linux/stat.h: stx_dio_mem_align at 0x98, stx_dio_offset_align at 0x9c), as older headers have no name
 * for them.
 */
static bool statx_alignment(struct target *t)
{
	const unsigned dioalign = 0x2000; /* STATX_DIOALIGN */
	union {
		struct statx stx;
		uint32_t word[64];
	} u = {.word = {0}};

	if (statx(t->fd, "", AT_EMPTY_PATH, dioalign, &u.stx) < 0 || !(u.stx.stx_mask & dioalign))
		return false;
	t->dio_memory = u.word[0x98 / 4];
	t->dio_offset = u.word[0x9c / 4];
	return true;
}

static int find_alignment(struct target *t, struct fault *fault)
{
	struct statfs fs;
	int sector = 0;

	if (!statx_alignment(t) && t->direct) {
		if (t->kind == TARGET_BLOCK && ioctl(t->fd, BLKSSZGET, &sector) == 0 && sector > 0)
			t->dio_offset = (uint32_t)sector;
		/* btrfs quietly reads through the cache what is not aligned to its own sectors. */
		else if (fstatfs(t->fd, &fs) == 0 && fs.f_type == BTRFS_SUPER_MAGIC)
			t->dio_offset = (uint32_t)fs.f_bsize;
		else
			t->dio_offset = probe_offset_alignment(t->fd);
		t->dio_memory = t->dio_offset;
	}
	if (t->direct && t->dio_offset == 0)
		return fault_set(fault, -EOPNOTSUPP, "direct I/O is not supported for this file");
	return 0;
}

int target_open(struct target *t, const char *path, unsigned flags, struct fault *fault)
{
	_cleanup_(target_close) struct target new = TARGET_NONE;
	int r;

	*t = TARGET_NONE;
	if (flags & TARGET_MEMORY && target_is_memory(path))
		r = target_open_memory(&new, path, fault);
	else
		r = new.fd = open_checked(path, flags, &new.kind, fault);
	if (r < 0)
		return r;
	new.direct = flags & TARGET_DIRECT;
	new.writable = flags & TARGET_WRITE;
	new.path = strdup(path);
	if (!new.path)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	if (new.kind == TARGET_CHAR) {
		r = check_char(new.fd, fault);
		if (r < 0)
			return r;
	}
	if (new.kind == TARGET_BLOCK && new.writable) {
		r = check_writable_device(new.fd, fault);
		if (r < 0)
			return r;
	}
	r = target_resize(&new);
	if (r < 0)
		return fault_set(fault, r, "its size cannot be told: %s", strerror(-r));
	r = find_alignment(&new, fault);
	if (r < 0)
		return r;
	*t = new;
	new = TARGET_NONE;
	return 0;
}

void target_close(struct target *t)
{
	if (t->fd >= 0)
		close(t->fd);
	free(t->path);
	*t = TARGET_NONE;
}

int target_resize(struct target *t)
{
	struct stat st;
	uint64_t bytes;

	switch (t->kind) {
	case TARGET_BLOCK: /* st_size of a device is 0 */
		if (ioctl(t->fd, BLKGETSIZE64, &bytes) < 0)
			return -errno;
		t->size = bytes;
		return 0;
	case TARGET_FILE:
	case TARGET_MEMFD:
		if (fstat(t->fd, &st) < 0)
			return -errno;
		t->size = (uint64_t)st.st_size;
		return 0;
	case TARGET_CHAR:
		t->size = INT64_MAX;
		return 0;
	case TARGET_ANON: /* for good */
		return 0;
	}
	return -EINVAL;
}

int target_sync(const struct target *t)
{
	if (!target_has_cache(t))
		return 0;
	return fsync(t->fd) < 0 ? -errno : 0;
}
