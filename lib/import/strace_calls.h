/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of a strace log that have ended. Each strace_do_ function takes one that has succeeded (strace_do_close: any),
 * with at least the arguments that the table in strace_calls.c asks for, and returns what importer.line() may. Private
 * to lib/import.
 */
#pragma once

#include "import/strace.h"

struct strace_done {
	struct import *imp;
	struct strace *st;
	struct process *p;
	int64_t time;
	const struct strace_call *c;
};

enum { HOW_READ = 0, HOW_WRITE = 1, HOW_AT = 2 };

/* how: HOW_* or'ed */
int strace_do_transfer(struct strace_done *d, int how);
int strace_do_copy(struct strace_done *d, int how);
int strace_do_sendfile(struct strace_done *d, int how);
/* how: 1 for _llseek */
int strace_do_seek(struct strace_done *d, int how);
/* how: the op */
int strace_do_sync(struct strace_done *d, int how);
int strace_do_truncate(struct strace_done *d, int how);
/* how: 0 fstat, 1 newfstatat, 2 statx */
int strace_do_stat(struct strace_done *d, int how);
int strace_do_fallocate(struct strace_done *d, int how);

/* how: the number of the argument with the flags, behind the path; 0 for creat */
int strace_do_open(struct strace_done *d, int how);
/* The result is a descriptor of no file; how: the argument "[3, 4]" with two of them, from 1 */
int strace_do_other(struct strace_done *d, int how);
/* how: 1 when the third argument has flags */
int strace_do_dup(struct strace_done *d, int how);
int strace_do_fcntl(struct strace_done *d, int how);
int strace_do_close(struct strace_done *d, int how);
int strace_do_close_range(struct strace_done *d, int how);
int strace_do_fork(struct strace_done *d, int how);
int strace_do_exec(struct strace_done *d, int how);
int strace_do_mmap(struct strace_done *d, int how);

/* Is text in w? */
bool strace_has(struct word w, const char *text);

/* The file that an unescaped name means, or no file: a terminal, a pipe, something below /proc. As importer.line(). */
int strace_name_file(struct import *imp, struct description *d, const char *name, size_t n);

/* The same for "</path>", "</path<char 1:3>>", "</path>(deleted)", "<pipe:[1]>", without the outer brackets. */
int strace_name_decorated(struct import *imp, struct description *d, struct word decoration);

/* What is known of the size of a file; NULL: no memory. */
struct file_size *strace_size_of(struct strace_done *d, const struct description *open);
int strace_set_size(struct strace_done *d, const struct description *open, uint64_t bytes);

/* fd_put() that says why it failed. */
int strace_set_fd(struct strace_done *d, int64_t fd, struct description *open, bool close_on_exec,
		  struct description **out);

/*
 * The description behind a descriptor in an argument. One whose opening is not in the log is made up: a file if -y
 * names one; or, when the call itself says where in it the data are (positioned), a file named after the descriptor.
 * 0 and *out, which is NULL for what is no file; or what importer.line() may return.
 */
int strace_open_of(struct strace_done *d, struct word arg, bool positioned, struct description **out);
