/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file a descriptor stands for, and what is known of that file. */
#include <errno.h>
#include <inttypes.h>

#include "import/strace_calls.h"

int strace_failed(struct import *imp, int err)
{
	return import_fail(imp, err,
			   err == -ENOMEM
			       ? "out of memory"
			       : "more processes, descriptors or unfinished calls at once than are followed");
}

bool strace_has(struct word w, const char *text)
{
	return memmem(w.s, w.n, text, strlen(text));
}

/* Names that are no files one could replay on. */
static bool is_special(const char *path, size_t n)
{
	static const char *const below[] = {"/proc/", "/sys/", "/dev/pts/", "/memfd:", "/dev/fd/"};
	static const char *const exactly[] = {"/dev/null", "/dev/zero", "/dev/full",	"/dev/random", "/dev/urandom",
					      "/dev/tty",  "/dev/ptmx", "/dev/console", "/dev/kmsg"};

	for (size_t i = 0; i < ARRAY_SIZE(below); i++)
		if (word_begins(path, n, below[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(exactly); i++)
		if (word_is((struct word){path, n}, exactly[i]))
			return true;
	return false;
}

/* The file that an unescaped name means: its id in d, or no file. */
int strace_name_file(struct import *imp, struct description *d, const char *name, size_t n)
{
	while (n && scan_blank(name[n - 1]))
		n--;
	d->is_file = n > 0 && !is_special(name, n);
	return d->is_file ? import_file(imp, name, n, &d->file) : 0;
}

/* The same for "</path>", "</path<char 1:3>>", "</path>(deleted)", "<pipe:[1]>". */
int strace_name_decorated(struct import *imp, struct description *d, struct word decoration)
{
	static const char deleted[] = " (deleted)";
	const char *kind;
	char name[4096];
	size_t n;

	if (!decoration.n || decoration.s[0] != '/')
		return 0;
	kind = memchr(decoration.s, '<', decoration.n);
	if (kind) {
		if (word_begins(kind, decoration.n - (size_t)(kind - decoration.s), "<char "))
			return 0;
		decoration.n = (size_t)(kind - decoration.s);
	}
	n = strace_unescape(decoration, false, name, sizeof(name));
	if (n > strlen(deleted) && memcmp(name + n - strlen(deleted), deleted, strlen(deleted)) == 0)
		n -= strlen(deleted);
	return strace_name_file(imp, d, name, n);
}

struct file_size *strace_size_of(struct strace_done *d, const struct description *open)
{
	struct strace *st = d->st;

	if (open->file >= st->sizes) {
		uint32_t count = MAX(open->file + 1, st->sizes * 2);
		struct file_size *bigger = reallocarray(st->size, count, sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + st->sizes, 0, (count - st->sizes) * sizeof(*bigger));
		st->size = bigger;
		st->sizes = count;
	}
	return &st->size[open->file];
}

int strace_set_size(struct strace_done *d, const struct description *open, uint64_t bytes)
{
	struct file_size *size = strace_size_of(d, open);

	if (!size)
		return strace_failed(d->imp, -ENOMEM);
	*size = (struct file_size){.known = true, .bytes = bytes};
	return 1;
}

int strace_set_fd(struct strace_done *d, int64_t fd, struct description *open, bool close_on_exec,
		  struct description **out)
{
	int r = fd_put(&d->st->all, d->p, fd, open, close_on_exec, out);

	return r ? strace_failed(d->imp, r) : 0;
}

/*
 * The description behind a descriptor in an argument. One whose opening is not in the log is made up: a file if -y
 * names one; or, when the call itself says where in it the data are (positioned), a file named after the descriptor.
 * 0 and *out, which is NULL for what is no file.
 */
int strace_open_of(struct strace_done *d, struct word arg, bool positioned, struct description **out)
{
	struct word decoration;
	char name[64];
	int64_t fd;
	int r;

	*out = NULL;
	if (!strace_fd(arg, &fd, &decoration) || fd < 0)
		return import_bad_token(d->imp, "descriptor", arg.s, arg.n, "is none");
	*out = fd_get(d->p, fd);
	if (!*out) {
		if (!decoration.n && !positioned) {
			import_note(d->imp, "{call on a descriptor|calls on descriptors} whose opening is not in the log {is|are} left out");
			return 0;
		}
		r = strace_set_fd(d, fd, NULL, false, out);
		if (!r && decoration.n)
			r = strace_name_decorated(d->imp, *out, decoration);
		else if (!r) {
			int n = d->p->pid ? snprintf(name, sizeof(name), "pid%u-fd%" PRId64, d->p->pid, fd)
					  : snprintf(name, sizeof(name), "fd%" PRId64, fd);

			r = strace_name_file(d->imp, *out, name, (size_t)n);
		}
		if (r)
			return r;
	}
	if (!(*out)->is_file)
		*out = NULL;
	return 0;
}
