/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which call is which. */
#include <errno.h>

#include "import/strace_calls.h"

struct call {
	const char *name;
	int (*done)(struct strace_done *d, int how);
	int how;
	int args;    /* that it must have */
	bool failed; /* is to be told of failures too */
};

static int do_left_out(struct strace_done *d, int how)
{
	static const char *const text[] = {
	    "{call|calls} of io_uring_enter: what {it reads and writes|they read and write} is in no such log",
	    "{call of io_submit is|calls of io_submit are} left out",
	    "{call of sync_file_range is|calls of sync_file_range are} left out",
	};

	import_note(d->imp, text[how]);
	return 1;
}

/* In the order of their names. */
static const struct call calls[] = {
    {"_llseek", strace_do_seek, 1, 4, false},
    {"accept", strace_do_other, 0, 1, false},
    {"accept4", strace_do_other, 0, 1, false},
    {"clone", strace_do_fork, 0, 0, false},
    {"clone3", strace_do_fork, 0, 0, false},
    {"close", strace_do_close, 0, 1, true},
    {"close_range", strace_do_close_range, 0, 3, false},
    {"copy_file_range", strace_do_copy, 0, 4, false},
    {"creat", strace_do_open, 0, 2, false},
    {"dup", strace_do_dup, 0, 1, false},
    {"dup2", strace_do_dup, 0, 2, false},
    {"dup3", strace_do_dup, 1, 3, false},
    {"epoll_create", strace_do_other, 0, 1, false},
    {"epoll_create1", strace_do_other, 0, 1, false},
    {"eventfd", strace_do_other, 0, 1, false},
    {"eventfd2", strace_do_other, 0, 1, false},
    {"execve", strace_do_exec, 0, 1, false},
    {"execveat", strace_do_exec, 0, 1, false},
    {"fallocate", strace_do_fallocate, 0, 4, false},
    {"fcntl", strace_do_fcntl, 0, 2, false},
    {"fcntl64", strace_do_fcntl, 0, 2, false},
    {"fdatasync", strace_do_sync, OP_DATASYNC, 1, false},
    {"fork", strace_do_fork, 0, 0, false},
    {"fstat", strace_do_stat, 0, 2, false},
    {"fstat64", strace_do_stat, 0, 2, false},
    {"fsync", strace_do_sync, OP_SYNC, 1, false},
    {"ftruncate", strace_do_truncate, 0, 2, false},
    {"ftruncate64", strace_do_truncate, 0, 2, false},
    {"inotify_init", strace_do_other, 0, 0, false},
    {"inotify_init1", strace_do_other, 0, 1, false},
    {"io_submit", do_left_out, 1, 0, false},
    {"io_uring_enter", do_left_out, 0, 0, false},
    {"io_uring_setup", strace_do_other, 0, 1, false},
    {"lseek", strace_do_seek, 0, 3, false},
    {"memfd_create", strace_do_other, 0, 1, false},
    {"mmap", strace_do_mmap, 0, 6, false},
    {"mmap2", strace_do_mmap, 0, 6, false},
    {"newfstatat", strace_do_stat, 1, 3, false},
    {"open", strace_do_open, 1, 2, false},
    {"openat", strace_do_open, 2, 3, false},
    {"openat2", strace_do_open, 2, 3, false},
    {"perf_event_open", strace_do_other, 0, 1, false},
    {"pidfd_open", strace_do_other, 0, 1, false},
    {"pipe", strace_do_other, 1, 1, false},
    {"pipe2", strace_do_other, 1, 2, false},
    {"pread", strace_do_transfer, HOW_READ | HOW_AT, 4, false},
    {"pread64", strace_do_transfer, HOW_READ | HOW_AT, 4, false},
    {"preadv", strace_do_transfer, HOW_READ | HOW_AT, 4, false},
    {"preadv2", strace_do_transfer, HOW_READ | HOW_AT, 4, false},
    {"pwrite", strace_do_transfer, HOW_WRITE | HOW_AT, 4, false},
    {"pwrite64", strace_do_transfer, HOW_WRITE | HOW_AT, 4, false},
    {"pwritev", strace_do_transfer, HOW_WRITE | HOW_AT, 4, false},
    {"pwritev2", strace_do_transfer, HOW_WRITE | HOW_AT, 4, false},
    {"read", strace_do_transfer, HOW_READ, 3, false},
    {"readv", strace_do_transfer, HOW_READ, 3, false},
    {"sendfile", strace_do_sendfile, 0, 4, false},
    {"sendfile64", strace_do_sendfile, 0, 4, false},
    {"signalfd4", strace_do_other, 0, 1, false},
    {"socket", strace_do_other, 0, 1, false},
    {"socketpair", strace_do_other, 4, 4, false},
    {"splice", strace_do_copy, 0, 4, false},
    {"statx", strace_do_stat, 2, 5, false},
    {"sync_file_range", do_left_out, 2, 0, false},
    {"timerfd_create", strace_do_other, 0, 1, false},
    {"vfork", strace_do_fork, 0, 0, false},
    {"write", strace_do_transfer, HOW_WRITE, 3, false},
    {"writev", strace_do_transfer, HOW_WRITE, 3, false},
};

static int compare(const void *key, const void *element)
{
	const struct word *w = key;
	const char *name = ((const struct call *)element)->name;
	int r = strncmp(w->s, name, w->n);

	return r ? r : name[w->n] ? -1 : 0;
}

static const struct call *find(struct word name)
{
	return bsearch(&name, calls, ARRAY_SIZE(calls), sizeof(calls[0]), compare);
}

bool strace_forks(struct word name)
{
	const struct call *call = find(name);

	return call && call->done == strace_do_fork;
}

int strace_call(struct import *imp, struct process *p, int64_t time, struct word name, struct word args)
{
	const struct call *call = find(name);
	struct strace_call c;
	struct strace_done d = {.imp = imp, .st = imp->state, .p = p, .time = time, .c = &c};

	if (!call)
		return 1;
	if (!strace_split(args, &c))
		return import_bad_token(imp, "call", name.s, (size_t)(args.s + args.n - name.s),
					"(ARGUMENTS) = RESULT is expected");
	if (c.failed && !call->failed)
		return 1;
	if (c.count < call->args)
		return import_bad_token(imp, "call", name.s, name.n, "arguments are missing");
	return call->done(&d, call->how);
}
