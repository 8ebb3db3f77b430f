/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"

#define DESCRIPTORS 65536
#define RMDIR_TRIES 1000
#define RMDIR_PAUSE_NS 10000000

struct entry {
	int number;             /* 0: empty */
	bool drop;
	enum undo_kind kind;
	char path[UNDO_PATH], text[UNDO_TEXT];
};

struct undo {
	int fd;
	pid_t pid;
	int last;               /* number given */
	int waiting;            /* added and not dropped */
};

/* What follows runs in the child of a process that may have threads: only calls that are safe in a signal handler. */

static void put_back(const struct entry *e)
{
	int fd;

	if (e->kind == UNDO_WRITE) {
		fd = open(e->path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, e->text, strlen(e->text)) >= 0)
			close(fd);
		return;
	}
	for (int i = 0; i < RMDIR_TRIES && rmdir(e->path) < 0 && errno == EBUSY; i++)
		nanosleep(&(const struct timespec){.tv_nsec = RMDIR_PAUSE_NS}, NULL);
}

/* Entries in order of their numbers; there is room for one that is added, and an empty one at the end. */
static void take(struct entry *all, const struct entry *new)
{
	int at = 0;

	while (all[at].number && all[at].number != new->number)
		at++;
	if (!new->drop)
		all[at] = *new;
	else
		for (; all[at].number; at++)
			all[at] = all[at + 1];
}

/* The other end tells one thing at a time; its end is the end of the process. */
static bool receive(int fd, void *to, size_t size)
{
	ssize_t n;

	while ((n = recv(fd, to, size, 0)) < 0 && errno == EINTR)
		;
	return n == (ssize_t)size;
}

static int tell(int fd, const void *from, size_t size)
{
	ssize_t n;

	while ((n = send(fd, from, size, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return n < 0 ? -errno : 0;
}

/* Before Linux 5.9, and under filters as old, one after the other: as many as most processes may have. */
static void close_from(int first)
{
	struct rlimit most = {.rlim_cur = DESCRIPTORS};

	if (close_range((unsigned)first, ~0U, 0) == 0)
		return;
	getrlimit(RLIMIT_NOFILE, &most);
	for (int fd = first; fd < (int)MIN(most.rlim_cur, (rlim_t)DESCRIPTORS); fd++)
		close(fd);
}

static _Noreturn void be_child(int fd, undo_say *say)
{
	/* not static: a process that locks its memory would have it in memory too */
	struct entry *all = mmap(NULL, (UNDO_WAITING + 1) * sizeof(*all), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct entry new;

	setsid();
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_IGN);
	prctl(PR_SET_NAME, "iotrace-undo");
	/*
	 * Nobody waits for the end of a pipe because of it, and no mount is busy: standard error, on which something
	 * may have to be said, stays no longer than the process.
	 */
	if (all == MAP_FAILED || dup2(fd, 0) < 0 || chdir("/") < 0)
		_exit(1);
	close(STDOUT_FILENO);
	close_from(STDERR_FILENO + 1);
	(void)tell(0, "", 1);
	while (receive(0, &new, sizeof(new)))
		take(all, &new);
	for (int i = 0; i < UNDO_WAITING; i++)
		if (all[i].number && all[i].kind == UNDO_TELL)
			say(all[i].path, all[i].text);
	close(STDERR_FILENO);
	for (int i = UNDO_WAITING; i-- > 0;)
		if (all[i].number && all[i].kind != UNDO_TELL)
			put_back(&all[i]);
	_exit(0);
}

/* A signal that comes before the child ignores it waits until it does. */
static pid_t fork_blocked(void)
{
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid < 0)
		pid = -errno;
	if (pid != 0)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid;
}

/* The child, and this end of the line to it. 0 or -errno. */
static int start(struct undo *u, undo_say *say, struct fault *fault)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fault_set(fault, -errno, "cannot make a pair of sockets: %s", strerror(errno));
	ours = ends[0];
	theirs = ends[1];
	u->pid = fork_blocked();
	if (u->pid == 0)
		be_child(theirs, say);
	if (u->pid < 0)
		return fault_set(fault, u->pid, "cannot start the process that puts back what is changed: %s",
				 strerror(-u->pid));
	u->fd = TAKE_FD(ours);
	return 0;
}

int undo_open(struct undo **out, undo_say *say, struct fault *fault)
{
	_cleanup_(undo_closep) struct undo *u = calloc(1, sizeof(*u));
	char ready;
	int r;

	if (!u)
		return fault_set(fault, -ENOMEM, "no memory");
	u->fd = -1;
	r = start(u, say, fault);
	if (r < 0)
		return r;
	/* From here on no signal to our group, SIGKILL included, is one to it. */
	if (!receive(u->fd, &ready, 1))
		return fault_set(fault, -ECHILD, "the process that puts back what is changed did not start");
	*out = TAKE_PTR(u);
	return 0;
}

void undo_close(struct undo *u)
{
	if (!u)
		return;
	if (u->fd >= 0) {
		close(u->fd);
		while (waitpid(u->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(u);
}

void undo_closep(struct undo **u)
{
	undo_close(*u);
}

int undo_add(struct undo *u, enum undo_kind kind, const char *path, const char *text, struct fault *fault)
{
	struct entry e = {.number = u->last + 1, .kind = kind};
	int r;

	if (strlen(path) >= sizeof(e.path) || (text && strlen(text) >= sizeof(e.text)))
		return fault_set(fault, -ENAMETOOLONG, "the path %.80s... is too long to be remembered", path);
	if (u->waiting == UNDO_WAITING)
		return fault_set(fault, -ENOSPC, "more than %d changes at a time cannot be put back", UNDO_WAITING);
	strcpy(e.path, path);
	if (text)
		strcpy(e.text, text);
	r = tell(u->fd, &e, sizeof(e));
	if (r < 0)
		return fault_set(fault, r, "the process that puts back what is changed is gone: %s", strerror(-r));
	u->waiting++;
	return ++u->last;
}

void undo_drop(struct undo *u, int number)
{
	const struct entry e = {.number = number, .drop = true};

	u->waiting--;
	/* If it cannot be told, it is done once more, which changes nothing. */
	(void)tell(u->fd, &e, sizeof(e));
}
