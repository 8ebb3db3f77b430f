/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"

static bool names_descriptor(const char *path, char n, const char *word)
{
	const char *const form[] = {"/dev/fd/", "/proc/self/fd/", "/dev/std"};

	if (strcmp(path, "-") == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(form); i++) {
		size_t len = strlen(form[i]);

		if (strncmp(path, form[i], len) != 0)
			continue;
		if (i == 2 ? strcmp(path + len, word) == 0 : path[len] == n && path[len + 1] == '\0')
			return true;
	}
	return false;
}

bool file_is_stdin(const char *path)
{
	return names_descriptor(path, '0', "in");
}

bool file_is_stdout(const char *path)
{
	return names_descriptor(path, '1', "out");
}

static int fault_errno(struct fault *fault)
{
	return fault_set(fault, -errno, "%s", strerror(errno));
}

static int refuse_kind(mode_t mode, struct fault *fault)
{
	if (S_ISDIR(mode))
		return fault_set(fault, -EISDIR, "%s", strerror(EISDIR));
	if (S_ISSOCK(mode))
		return fault_set(fault, -ENXIO, "Is a socket");
	return 0;
}

int file_check_input(const char *path, struct fault *fault)
{
	struct stat st;

	if (file_is_stdin(path))
		return 0;
	if (path[0] == '\0')
		return fault_set(fault, -EINVAL, "the name is empty");
	if (stat(path, &st) < 0)
		return fault_errno(fault);
	if (refuse_kind(st.st_mode, fault) < 0)
		return -EINVAL;
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0 ? fault_errno(fault) : 0;
}

static int check_folder(const char *path, struct fault *fault)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	struct stat st;

	if (!folder)
		return fault_set(fault, -ENOMEM, "no memory");
	if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
		return fault_set(fault, -ENOTDIR, "%s is not a folder", folder);
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0)
		return fault_set(fault, -errno, "no file can be made in %s: %s", folder, strerror(errno));
	return 0;
}

int file_check_output(const char *path, struct fault *fault)
{
	_cleanup_free_ char *real = NULL;
	struct stat st;

	if (file_is_stdout(path))
		return 0;
	if (path[0] == '\0')
		return fault_set(fault, -EINVAL, "the name is empty");
	if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			return fault_errno(fault);
		return check_folder(path, fault);
	}
	if (refuse_kind(st.st_mode, fault) < 0)
		return -EINVAL;
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0)
		return fault_errno(fault);
	if (!S_ISREG(st.st_mode))
		return 0;
	/* A regular file is replaced by a new one beside it, beside what a link names. */
	real = realpath(path, NULL);
	return real ? check_folder(real, fault) : fault_errno(fault);
}

int file_open_input(const char *path, struct fault *fault)
{
	/* Who reads waits by poll(2), which a signal ends; the open of a pipe that nobody writes to would not be. */
	int fd = file_is_stdin(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) :
				       open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? fault_errno(fault) : fd;
}

void file_hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* The lowest free descriptor is fd, as those below are open by now. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			abort();
}
