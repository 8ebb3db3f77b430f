/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/event.h"
#include "base/macro.h"
#include "base/rng.h"
#include "base/units.h"

int fd_write_all(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

/*
 * The descriptor that a name such as /dev/stdout stands for, or -1. Opening the name instead would start at offset 0
 * of a file that is being appended to, and fail on a socket.
 */
static int descriptor_of(const char *path)
{
	static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
	const char *why;
	uint64_t n;

	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(folder); i++) {
		size_t len = strlen(folder[i]);

		if (strncmp(path, folder[i], len) == 0 && units_count(path + len, strlen(path + len), &n, &why) == 0 &&
		    n <= INT_MAX)
			return (int)n;
	}
	return -1;
}

/* The folder of a path with its slash, or nothing: how many bytes of it. */
static size_t folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/*
 * Follow the symbolic links of the last component, up to a name that is none or does not exist yet (realpath() refuses
 * the latter). 0 or -errno.
 */
static int follow(const char *path, char **result)
{
	_cleanup_free_ char *now = strdup(path);

	for (int hops = 0; hops < 40; hops++) {
		_cleanup_free_ char *old = NULL;
		char target[PATH_MAX];
		ssize_t n = now ? readlink(now, target, sizeof(target) - 1) : -1;

		if (!now)
			return -ENOMEM;
		if (n < 0 || descriptor_of(now) >= 0) {
			*result = TAKE_PTR(now);
			return 0;
		}
		target[n] = '\0';
		old = now;
		if (target[0] == '/')
			now = strdup(target);
		else if (asprintf(&now, "%.*s%s", (int)folder_len(old), old, target) < 0)
			now = NULL;
	}
	return -ELOOP;
}

static int open_in_place(struct outfile *o, struct fault *fault)
{
	int fd = descriptor_of(o->path);

	o->in_place = true;
	if (fd == STDOUT_FILENO) {
		o->fd = fd;
		o->borrowed = true;
		return 0;
	}
	o->fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open(o->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return o->fd < 0 ? fault_set(fault, -errno, "cannot be written: %s", strerror(errno)) : 0;
}

/* Make the file beside the final name. old: what is there now, NULL when nothing is. */
static int open_beside(struct outfile *o, const struct stat *old, struct fault *fault)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	size_t folder = folder_len(o->path);
	struct rng rng;
	int err;

	rng_init(&rng, rng_draw_seed());
	for (int tries = 0; tries < 100 && o->fd < 0; tries++) {
		char tail[8] = ".";

		for (int i = 1; i < 7; i++)
			tail[i] = letters[rng_below(&rng, sizeof(letters) - 1)];
		free(o->temp);
		/* at most NAME_MAX bytes: a long name is cut */
		if (asprintf(&o->temp, "%.*s%.*s%s", (int)folder, o->path, NAME_MAX - 7, o->path + folder, tail) < 0) {
			o->temp = NULL;
			return fault_set(fault, -ENOMEM, "out of memory");
		}
		o->fd = open(o->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (o->fd < 0 && errno != EEXIST)
			break;
	}
	err = o->fd < 0 ? -errno : 0;
	if (err) {
		free(o->temp);
		o->temp = NULL; /* nothing to remove */
		return fault_set(fault, err, "cannot make a file in '%.*s': %s", folder ? (int)folder : 1,
				 folder ? o->path : ".", strerror(-err));
	}
	if (!old)
		return 0;
	/* The owner stays when we may give files away; the mode comes last, as a change of owner clears bits of it. */
	if (fchown(o->fd, old->st_uid, old->st_gid) < 0 && errno != EPERM && errno != EINVAL)
		return fault_set(fault, -errno, "cannot keep the owner: %s", strerror(errno));
	if (fchmod(o->fd, old->st_mode & 07777) < 0)
		return fault_set(fault, -errno, "cannot keep the permissions: %s", strerror(errno));
	return 0;
}

static int open_any(struct outfile *o, const char *path, struct fault *fault)
{
	struct stat st;
	int err;

	o->size = OUTFILE_BUF;
	o->buf = malloc(o->size);
	if (!o->buf)
		return fault_set(fault, -ENOMEM, "out of memory");
	if (!*path)
		return fault_set(fault, -EINVAL, "an empty file name");
	err = follow(path, &o->path);
	if (err)
		return fault_set(fault, err, "cannot be written: %s", strerror(-err));
	if (descriptor_of(o->path) >= 0)
		return open_in_place(o, fault);
	if (stat(o->path, &st) < 0) {
		if (errno != ENOENT)
			return fault_set(fault, -errno, "cannot be written: %s", strerror(errno));
		if (!o->path[folder_len(o->path)])
			return fault_set(fault, -EISDIR, "is the name of a directory");
		return open_beside(o, NULL, fault);
	}
	if (S_ISDIR(st.st_mode))
		return fault_set(fault, -EISDIR, "is a directory");
	if (!S_ISREG(st.st_mode))
		return open_in_place(o, fault);
	/* A rename asks the folder only; what forbids writing the file shall forbid replacing it. */
	if (faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS) < 0)
		return fault_set(fault, -errno, "cannot be written: %s", strerror(errno));
	return open_beside(o, &st, fault);
}

int outfile_open(struct outfile *o, const char *path, struct fault *fault)
{
	int err;

	*o = (struct outfile){.fd = -1};
	err = open_any(o, path, fault);
	if (err)
		outfile_abort(o);
	return err;
}

static void put(struct outfile *o, const void *data, size_t n)
{
	if (o->error || !n)
		return;
	o->error = fd_write_all(o->fd, data, n);
	/* SIGPIPE is ignored, so a reader that left is seen here only. */
	if (o->error == -EPIPE && o->in_place)
		stop_request(SIGPIPE);
}

static void flush(struct outfile *o)
{
	put(o, o->buf, o->used);
	o->used = 0;
}

/* Small enough for malloc to take it from the heap, which lib/base/resident.h can lock. */
#define MEMORY_FIRST ((size_t)64 << 10)

int outfile_open_memory(struct outfile *o)
{
	*o = (struct outfile){.fd = -1, .in_memory = true, .size = MEMORY_FIRST};
	o->buf = malloc(o->size);
	return o->buf ? 0 : -ENOMEM;
}

static void grow(struct outfile *o, size_t n)
{
	size_t size = MAX(2 * o->size, o->used + n);
	char *more = realloc(o->buf, size);

	if (!more) {
		o->error = -ENOMEM;
		o->used = 0;
		return;
	}
	o->buf = more;
	o->size = size;
}

char *outfile_reserve(struct outfile *o, size_t n)
{
	if (o->used + n > o->size) {
		if (o->in_memory)
			grow(o, n);
		else
			flush(o);
	}
	return o->buf + o->used;
}

void outfile_write(struct outfile *o, const void *data, size_t n)
{
	char *to;

	if (n > OUTFILE_BUF && !o->in_memory) {
		flush(o);
		put(o, data, n);
		return;
	}
	to = outfile_reserve(o, n);
	if (n > o->size - o->used)
		return;
	memcpy(to, data, n);
	o->used += n;
}

void outfile_patch(struct outfile *o, uint64_t offset, const void *data, size_t n)
{
	const char *p = data;

	flush(o);
	while (n && !o->error) {
		ssize_t r = pwrite(o->fd, p, n, (off_t)offset);

		if (r < 0) {
			o->error = errno == EINTR ? 0 : -errno;
			continue;
		}
		p += r;
		n -= (size_t)r;
		offset += (uint64_t)r;
	}
}

/* A new name is safe only when its folder is on the disk too. */
static int sync_folder(const struct outfile *o)
{
	_cleanup_free_ char *folder = NULL;
	_cleanup_close_ int fd = -1;

	if (asprintf(&folder, "%.*s", (int)folder_len(o->path), o->path) < 0) {
		folder = NULL;
		return -ENOMEM;
	}
	fd = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* A folder that may be written but not read cannot be opened, and some file systems sync no folders. */
	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

static int finish(struct outfile *o, struct fault *fault)
{
	int fd, err;

	flush(o);
	if (o->error)
		return fault_set(fault, o->error, "cannot be written: %s", strerror(-o->error));
	if (stop_signal() && !o->despite_stop)
		return fault_set(fault, -EINTR, "interrupted");
	if (!o->temp) {
		/* network file systems tell of a full disk as late as this */
		fd = TAKE_FD(o->fd);
		if (!o->borrowed && close(fd) < 0)
			return fault_set(fault, -errno, "cannot be written: %s", strerror(errno));
		return 0;
	}
	if (fsync(o->fd) < 0)
		return fault_set(fault, -errno, "cannot be written to disk: %s", strerror(errno));
	fd = TAKE_FD(o->fd);
	if (close(fd) < 0)
		return fault_set(fault, -errno, "cannot be written: %s", strerror(errno));
	if (rename(o->temp, o->path) < 0)
		return fault_set(fault, -errno, "cannot take its name: %s", strerror(errno));
	free(o->temp);
	o->temp = NULL;
	err = sync_folder(o);
	return err ? fault_set(fault, err, "was written, but its folder not to disk: %s", strerror(-err)) : 0;
}

int outfile_commit(struct outfile *o, struct fault *fault)
{
	int err = finish(o, fault);

	outfile_abort(o);
	return err;
}

void outfile_abort(struct outfile *o)
{
	if (o->fd >= 0 && !o->borrowed)
		close(o->fd);
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	free(o->buf);
	*o = (struct outfile){.fd = -1};
}
