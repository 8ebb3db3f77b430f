/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/readahead.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/units.h"
#include "io/site.h"

void readahead_close(struct readahead *r)
{
	if (r->fd >= 0) {
		/*
		 * A thread or process that has the descriptor too, and is just ending, shall not hold the lock longer.
		 */
		flock(r->fd, LOCK_UN);
		close(r->fd);
	}
	free(r->file);
	*r = READAHEAD_NONE;
}

int readahead_find(struct readahead *r, const struct target *t, struct fault *fault)
{
	struct site site;

	*r = READAHEAD_NONE;
	site_of_target(t, &site);
	if (!site.read_ahead_file[0])
		return fault_set(fault, -ENOENT, "it is on nothing that has a readahead of its own%s%s",
				 site.file_system[0] ? ": " : "", site.file_system);
	r->file = strdup(site.read_ahead_file);
	if (!r->file)
		return fault_set(fault, -ENOMEM, "no memory");
	r->was = r->is = (uint64_t)site.read_ahead_kb << 10;
	return 0;
}

int readahead_check(const struct readahead *r)
{
	if (faccessat(AT_FDCWD, r->file, W_OK, AT_EACCESS) == 0)
		return 0;
	return errno == EROFS ? -EROFS : -EACCES;
}

static int read_again(const struct readahead *r, uint64_t *bytes)
{
	char text[READAHEAD_TEXT];
	ssize_t n = pread(r->fd, text, sizeof(text) - 1, 0);
	const char *why;
	uint64_t kb;

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (units_count(text, strcspn(text, "\n"), &kb, &why) < 0 || kb > UINT64_MAX >> 10)
		return -EIO;
	*bytes = kb << 10;
	return 0;
}

int readahead_lock(struct readahead *r, struct fault *fault)
{
	int err;

	r->fd = open(r->file, O_RDWR | O_CLOEXEC);
	if (r->fd < 0) {
		err = -errno;
		return fault_set(fault, err, "%s cannot be written: %s", r->file, strerror(-err));
	}
	if (flock(r->fd, LOCK_EX | LOCK_NB) < 0) {
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
		return fault_set(fault, err, "%s: %s", r->file,
				 err == -EBUSY ? "another play has changed it, and will put it back" : strerror(-err));
	}
	err = read_again(r, &r->was);
	return err < 0 ? fault_set(fault, err, "%s cannot be read: %s", r->file, strerror(-err)) : 0;
}

void readahead_text(char text[READAHEAD_TEXT], uint64_t bytes)
{
	snprintf(text, READAHEAD_TEXT, "%" PRIu64, bytes >> 10);
}

int readahead_set(struct readahead *r, uint64_t bytes, struct fault *fault)
{
	char text[READAHEAD_TEXT];
	int err;

	readahead_text(text, bytes);
	if (pwrite(r->fd, text, strlen(text), 0) < 0) {
		err = -errno;
		return fault_set(fault, err, "%s: the kernel refuses %s KiB: %s", r->file, text, strerror(-err));
	}
	err = read_again(r, &r->is);
	return err < 0 ? fault_set(fault, err, "%s cannot be read: %s", r->file, strerror(-err)) : 0;
}
