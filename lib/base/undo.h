/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process changed about the machine, to be put back when it ends, however it ends: also by a second Ctrl-C,
 * by SIGKILL or for want of memory. A child of its own session, which no signal of a terminal reaches, waits for that.
 *
 * Made while the process is small: a fork makes the first store into each page that is there a fault. One thread at a
 * time uses it.
 */
#pragma once

#include "base/fault.h"

#define UNDO_PATH 1024
#define UNDO_TEXT 64
#define UNDO_WAITING 1000 /* changes at a time that are to be put back */

struct undo;

enum undo_kind {
	UNDO_WRITE,   /* write the text into the file that is there */
	UNDO_RMDIR,   /* remove the folder: tried for ten seconds, as a group goes only when its last process is gone */
	UNDO_TELL     /* give path and text to the say() of undo_open(), before anything is put back */
};

/*
 * Called in the child when the process has ended, while standard error is still open; it may do what a signal handler
 * may (signal-safety(7)).
 */
typedef void undo_say(const char *path, const char *text);

/* Start the child. say: borrowed; NULL: there is no UNDO_TELL. 0, or -errno with the reason. */
int undo_open(struct undo **out, undo_say *say, struct fault *fault);

/* What was not dropped is put back, the last first, and waited for. NULL: nothing. */
void undo_close(struct undo *u);
void undo_closep(struct undo **u);

/*
 * From now on it will be put back; to be called before the change. text (shorter than UNDO_TEXT) may be NULL. Returns
 * a number for undo_drop(), or with the reason -ENAMETOOLONG, -ENOSPC with UNDO_WAITING of them, or -errno.
 */
int undo_add(struct undo *u, enum undo_kind kind, const char *path, const char *text, struct fault *fault);

/* It was put back already, or will not be. */
void undo_drop(struct undo *u, int number);
