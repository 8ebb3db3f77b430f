/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "trace/unpack.h"

#define LIBRARY "libarchive.so.13"

#define FUNCTIONS(F)                         \
	F(archive_errno)                     \
	F(archive_error_string)              \
	F(archive_filter_code)               \
	F(archive_read_data)                 \
	F(archive_read_free)                 \
	F(archive_read_new)                  \
	F(archive_read_next_header)          \
	F(archive_read_open)                 \
	F(archive_read_support_filter_lz4)   \
	F(archive_read_support_filter_xz)    \
	F(archive_read_support_filter_zstd)  \
	F(archive_read_support_format_empty) \
	F(archive_read_support_format_raw)   \
	F(archive_set_error)

/*
 * Loaded when a packed trace is met, not at each start: with the dozen libraries that it needs (libxml2, ICU,
 * libstdc++) it takes 1.7 ms of CPU, more than all else that the start of a program takes here.
 */
struct library {
	void *handle;
#define POINTER(name) __typeof__(name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
};

struct unpack {
	struct library lib;
	struct packed from;
	struct archive *archive;
	struct fault *fault; /* of the call that runs */
	int error;	     /* of reading the packed bytes, -errno; its text is in the fault already */
	bool end;
	unsigned char buf[UNPACK_BUF];
};

static int load(struct library *lib, struct fault *fault)
{
	lib->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!lib->handle)
		return fault_set(fault, -ENOTSUP, "to unpack this, %s is needed: %s", LIBRARY, dlerror());
#define FIND(name)                                                    \
	lib->name = (__typeof__(lib->name))dlsym(lib->handle, #name); \
	if (!lib->name)                                               \
		return fault_set(fault, -ENOTSUP, "%s does not unpack this: %s", LIBRARY, dlerror());
	FUNCTIONS(FIND)
#undef FIND
	return 0;
}

static la_ssize_t give(struct archive *a, void *ctx, const void **buf)
{
	struct unpack *u = ctx;
	ssize_t r = u->from.read(u->from.ctx, u->buf, sizeof(u->buf), u->fault);

	if (r < 0) {
		u->error = (int)r;
		u->lib.archive_set_error(a, (int)-r, "read");
	}
	*buf = u->buf;
	return r;
}

static int failed(const struct unpack *u, struct fault *fault)
{
	const char *why = u->lib.archive_error_string(u->archive);

	if (u->error)
		return u->error;
	if (u->lib.archive_errno(u->archive) == ENOMEM)
		return fault_set(fault, -ENOMEM, "out of memory");
	return fault_set(fault, -EINVAL, "the packed data are damaged or cut off (%s)", why ? why : "no reason given");
}

static void unpack_close(void *state)
{
	struct unpack *u = state;

	if (u->archive)
		u->lib.archive_read_free(u->archive);
	if (u->lib.handle)
		dlclose(u->lib.handle);
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
	r = load(&u->lib, fault);
	if (r < 0)
		return r;
	u->archive = u->lib.archive_read_new();
	if (!u->archive)
		return fault_set(fault, -ENOMEM, "out of memory");
	/* A warning says that a program would have to do it: none is run here. */
	if (u->lib.archive_read_support_filter_zstd(u->archive) || u->lib.archive_read_support_filter_xz(u->archive) ||
	    u->lib.archive_read_support_filter_lz4(u->archive) || u->lib.archive_read_support_format_raw(u->archive) ||
	    u->lib.archive_read_support_format_empty(u->archive))
		return fault_set(fault, -ENOTSUP, "libarchive cannot unpack this here");
	r = u->lib.archive_read_open(u->archive, u, NULL, give, NULL);
	if (r == ARCHIVE_OK)
		r = u->lib.archive_read_next_header(u->archive, &entry);
	if (r != ARCHIVE_OK && r != ARCHIVE_EOF)
		return failed(u, fault);
	/* Too short for the filter to know it, the packed data would come through as they are. */
	if (u->lib.archive_filter_code(u->archive, 0) == ARCHIVE_FILTER_NONE)
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
	r = u->lib.archive_read_data(u->archive, buf, n);
	if (r < 0)
		return failed(u, fault);
	u->end = r == 0;
	return r;
}

const struct unpacker unpack_archive = {.open = unpack_open, .read = unpack_read, .close = unpack_close};
