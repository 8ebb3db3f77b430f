/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "trace/unpack.h"

struct unpack {
	struct packed from;
	struct archive *archive;
	struct fault *fault;   /* of the call that runs */
	int error;             /* of reading the packed bytes, -errno; its text is in the fault already */
	bool end;
	unsigned char buf[UNPACK_BUF];
};

static la_ssize_t give(struct archive *a, void *ctx, const void **buf)
{
	struct unpack *u = ctx;
	ssize_t r = u->from.read(u->from.ctx, u->buf, sizeof(u->buf), u->fault);

	if (r < 0) {
		u->error = (int)r;
		archive_set_error(a, (int)-r, "read");
	}
	*buf = u->buf;
	return r;
}

static int failed(const struct unpack *u, struct fault *fault)
{
	const char *why = archive_error_string(u->archive);

	if (u->error)
		return u->error;
	if (archive_errno(u->archive) == ENOMEM)
		return fault_set(fault, -ENOMEM, "out of memory");
	return fault_set(fault, -EINVAL, "the packed data are damaged or cut off (%s)", why ? why : "no reason given");
}

static void unpack_close(void *state)
{
	struct unpack *u = state;

	archive_read_free(u->archive);
	free(u);
}

static void unpack_closep(struct unpack **u)
{
	if (*u)
		unpack_close(*u);
}

static int unpack_open(void **state, const struct packed *from, struct fault *fault)
{
	_cleanup_(unpack_closep) struct unpack *u = calloc(1, sizeof(*u));
	struct archive_entry *entry;
	int r;

	if (!u)
		return fault_set(fault, -ENOMEM, "out of memory");
	u->from = *from;
	u->fault = fault;
	u->archive = archive_read_new();
	if (!u->archive)
		return fault_set(fault, -ENOMEM, "out of memory");
	/* A warning says that a program would have to do it: none is run here. */
	if (archive_read_support_filter_zstd(u->archive) || archive_read_support_filter_xz(u->archive) ||
	    archive_read_support_filter_lz4(u->archive) || archive_read_support_format_raw(u->archive) ||
	    archive_read_support_format_empty(u->archive))
		return fault_set(fault, -ENOTSUP, "libarchive cannot unpack this here");
	r = archive_read_open(u->archive, u, NULL, give, NULL);
	if (r == ARCHIVE_OK)
		r = archive_read_next_header(u->archive, &entry);
	if (r != ARCHIVE_OK && r != ARCHIVE_EOF)
		return failed(u, fault);
	/* Too short for the filter to know it, the packed data would come through as they are. */
	if (archive_filter_code(u->archive, 0) == ARCHIVE_FILTER_NONE)
		return fault_set(fault, -EINVAL, "the packed data are damaged or cut off");
	u->end = r == ARCHIVE_EOF;
	*state = TAKE_PTR(u);
	return 0;
}

static ssize_t unpack_read(void *state, void *buf, size_t n, struct fault *fault)
{
	struct unpack *u = state;
	la_ssize_t r;

	if (u->end)
		return 0;
	u->fault = fault;
	r = archive_read_data(u->archive, buf, n);
	if (r < 0)
		return failed(u, fault);
	u->end = r == 0;
	return r;
}

const struct unpacker unpack_archive = {.open = unpack_open, .read = unpack_read, .close = unpack_close};
