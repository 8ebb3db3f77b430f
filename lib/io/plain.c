/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several engines do by plain system calls, and the flags that preadv2(2), AIO and io_uring share. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/backend.h"

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80 /* include/uapi/linux/fs.h of 6.14 */
#endif

int plain_init(struct plain *p, int fd, struct fault *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fault_set(why, -errno, "%s", strerror(errno));
	p->fd = fd;
	p->block = S_ISBLK(st.st_mode);
	return 0;
}

/* How many files an engine of ENGINE_FILES works on, and the first of them. */
static const struct engine_file *files_of(const struct engine_params *p, struct engine_file *only, unsigned *count)
{
	*only = (struct engine_file){.fd = p->fd, .size = p->size};
	*count = p->files ? p->file_count : 1;
	return p->files ? p->files : only;
}

int plain_init_all(struct plain **out, const struct engine_params *p, struct fault *why)
{
	_cleanup_free_ struct plain *all = NULL;
	const struct engine_file *file;
	struct engine_file only;
	unsigned count;

	file = files_of(p, &only, &count);
	all = calloc(count, sizeof(*all));
	if (!all)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	for (unsigned i = 0; i < count; i++) {
		int r = plain_init(&all[i], file[i].fd, why);

		if (r < 0)
			return r;
	}
	*out = TAKE_PTR(all);
	return 0;
}

static int trim(const struct plain *p, const struct io *io)
{
	uint64_t range[2] = {io->offset, io->length};

	if (p->block)
		return ioctl(p->fd, BLKDISCARD, range);
	return fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)io->offset, (off_t)io->length);
}

void plain_do(const struct plain *p, struct io *io)
{
	int r;

	do
		r = io->op == IO_TRIM ? trim(p, io) : io->op == IO_SYNC ? fsync(p->fd) : fdatasync(p->fd);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		io->res = -errno;
	else
		io->res = io->op == IO_TRIM ? (int64_t)io->length : 0;
}

/*
 * A flag that the kernel or the file does not have is -EOPNOTSUPP before anything is read. Behind the end of the target
 * there is nothing to read, so the question disturbs neither its pages nor its device.
 */
static int ask_rwf(const struct engine_file *file, int flag, const char *what, struct fault *why)
{
	const uint64_t unit = 1 << 16;
	uint64_t end = (file->size + unit - 1) & ~(unit - 1);
	char byte;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};

	if (end > INT64_MAX - unit || preadv2(file->fd, &iov, 1, (off_t)end, flag) >= 0 || errno != EOPNOTSUPP)
		return 0;
	return fault_set(why, -EOPNOTSUPP, "%s is not supported, by the kernel or for this file", what);
}

int rwf_init(struct rwf *f, const struct engine_params *p, struct fault *why)
{
	static const struct {
		unsigned use;
		int flag;
		const char *what;
	} flags[] = {
		{USE_NOWAIT, RWF_NOWAIT, "reading without waiting (RWF_NOWAIT)"},
		{USE_DONTCACHE, RWF_DONTCACHE, "I/O that leaves the cache (RWF_DONTCACHE, Linux 6.14)"},
		{USE_HIPRI, RWF_HIPRI, "polling for the end of a request (RWF_HIPRI)"},
	};

	const struct engine_file *file;
	struct engine_file only;
	unsigned count;

	file = files_of(p, &only, &count);
	*f = (struct rwf){.read = 0};
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!(p->use & flags[i].use))
			continue;
		for (unsigned n = 0; n < count; n++) {
			int r = ask_rwf(&file[n], flags[i].flag, flags[i].what, why);

			if (r < 0)
				return r;
		}
		f->read |= flags[i].flag;
	}
	f->wait = f->read & ~RWF_NOWAIT;
	return 0;
}

void rwf_describe(const struct rwf *f, char *text, size_t cap)
{
	snprintf(text, cap, "%s%s%s", f->read & RWF_NOWAIT ? " RWF_NOWAIT" : "",
		 f->read & RWF_DONTCACHE ? " RWF_DONTCACHE" : "", f->read & RWF_HIPRI ? " RWF_HIPRI" : "");
	if (text[0])
		memmove(text, text + 1, strlen(text));
}
