/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A buffered output file that is never left half written.
 *
 * A regular file is written beside its final name (NAME.XXXXXX in the same directory, with permissions and, where
 * that is allowed, the owner of the file it replaces, else 0666 less the umask) and takes the name in
 * outfile_commit(), after fsync. Until then the old file is untouched; outfile_abort() removes the new one. A file
 * that may not be written is not replaced either. A symbolic link is followed: the file it names is replaced, the
 * link stays; another hard link keeps the old content. "-" and /dev/stdout are standard output; that, another
 * descriptor's name (/dev/fd/N, /proc/self/fd/N), a pipe and a device (/dev/full) are written in place.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct outfile {
	int fd;          /* -1: not open */
	bool in_place;
	bool borrowed;   /* fd is standard output, not ours to close */
	bool despite_stop; /* set after open: what is written is whole even when stop_signal() cut the work short */
	int error;       /* first error of a write, -errno */
	char *path;      /* final name */
	char *temp;      /* name of the file being written, NULL when in place */
	char *buf;
	size_t size;     /* of buf */
	size_t used;     /* bytes waiting in buf */
	bool in_memory;
};

#define OUTFILE_BUF (1u << 18)

/* 0 or -errno with the fault's text set (without the file name); nothing is left open then. */
int outfile_open(struct outfile *o, const char *path, struct fault *fault);

/*
 * No file, but memory: all that is written is in buf, used bytes. used may be set back to 0, to begin anew. Not to be
 * committed. 0 or -ENOMEM.
 */
int outfile_open_memory(struct outfile *o);

/*
 * Room for at least n bytes (n <= OUTFILE_BUF) at the returned place; add to o->used what was written there.
 * Errors are kept until commit; in memory, where none is left (-ENOMEM), what was written before may be lost.
 */
char *outfile_reserve(struct outfile *o, size_t n);

void outfile_write(struct outfile *o, const void *data, size_t n);

/* Write n bytes over what was written at offset before; not where the output is in place. Errors are kept. */
void outfile_patch(struct outfile *o, uint64_t offset, const void *data, size_t n);

/*
 * Write out, fsync, rename, close. Returns 0 or -errno with the text set; on error nothing of the new content has the
 * final name (unless the text says that only the directory's fsync failed). -EINTR when stop_signal() was set
 * meanwhile, unless despite_stop. -EPIPE when the reader of a pipe has left: stop_request(SIGPIPE) has been called
 * then.
 */
int outfile_commit(struct outfile *o, struct fault *fault);

/* Close and remove what was not committed; harmless after commit. For _cleanup_. */
void outfile_abort(struct outfile *o);

/* Write all n bytes, through EINTR and short writes. 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t n);
