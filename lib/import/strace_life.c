/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that make, share and close descriptors, and processes. */
#include <errno.h>

#include "import/strace_calls.h"

/* The name in an argument of open, below the directory that dir names. */
static int open_path(struct strace_done *d, struct description *open, struct word path, struct word dir)
{
	char name[4096 * 2];
	struct word decoration;
	size_t n = 0;
	int64_t fd;

	if (path.n > 1 && path.s[1] != '/' && dir.n && strace_fd(dir, &fd, &decoration)) {
		if (decoration.n && decoration.s[0] == '/')
			n = strace_unescape(decoration, false, name, 4096);
		if (n && name[n - 1] != '/')
			name[n++] = '/';
	}
	n += strace_unescape(path, true, name + n, sizeof(name) - n);
	return strace_name_file(d->imp, open, name, n);
}

/* how: the number of the argument with the flags; the path stands in front of it */
int strace_do_open(struct strace_done *d, int how)
{
	struct word flags = how ? d->c->arg[how] : (struct word){"O_WRONLY|O_CREAT|O_TRUNC", 24};
	struct word dir = how == 2 ? d->c->arg[0] : (struct word){0};
	struct description *open;
	int r;

	if (!d->c->number)
		return import_bad(d->imp, "the result is no descriptor");
	if (flags.n && scan_digit(flags.s[0]))
		return import_bad_token(d->imp, "flags", flags.s, flags.n,
					"names are expected, not those of strace -X raw");
	r = strace_set_fd(d, (int64_t)d->c->result, NULL, strace_has(flags, "O_CLOEXEC"), &open);
	if (r || strace_has(flags, "O_DIRECTORY") || strace_has(flags, "O_PATH"))
		return r ? r : 1;
	r = d->c->decoration.n ? strace_name_decorated(d->imp, open, d->c->decoration)
			       : open_path(d, open, d->c->arg[how ? how - 1 : 0], dir);
	if (r)
		return r;
	open->position_known = true;
	open->append = strace_has(flags, "O_APPEND");
	if (open->is_file &&
	    (strace_has(flags, "O_TRUNC") || (strace_has(flags, "O_CREAT") && strace_has(flags, "O_EXCL"))))
		return strace_set_size(d, open, 0);
	return 1;
}

/* socket, eventfd...: the result is a descriptor of no file; how: the argument "[3, 4]" with two of them, from 1 */
int strace_do_other(struct strace_done *d, int how)
{
	struct description *open;
	struct word pair, decoration;
	const char *comma;
	int64_t fd;
	int r = 0;

	if (!how) {
		r = d->c->number ? strace_set_fd(d, (int64_t)d->c->result, NULL, false, &open) : 0;
		return r ? r : 1;
	}
	pair = d->c->arg[how - 1];
	comma = pair.n > 2 ? memchr(pair.s, ',', pair.n) : NULL;
	if (!comma && !word_is(pair, "[...]"))
		return import_bad_token(d->imp, "descriptors", pair.s, pair.n, "[FD, FD] is expected");
	for (int i = 0; i < 2 && !r; i++) {
		const char *close = pair.s + pair.n - 1;
		struct word w = i ? scan_trim(comma + 1, close) : scan_trim(pair.s + 1, comma ? comma : close);

		/* left out by strace -s 0 or -s 1; calls on it are then those on a descriptor that is not known */
		if (word_is(w, "..."))
			return 1;
		if (!strace_fd(w, &fd, &decoration))
			return import_bad_token(d->imp, "descriptor", w.s, w.n, "is none");
		r = strace_set_fd(d, fd, NULL, false, &open);
	}
	return r ? r : 1;
}

/* A second descriptor of what is open already. */
static int duplicate(struct strace_done *d, struct word from, bool close_on_exec)
{
	struct description *open, *out;
	struct word decoration;
	int64_t fd, to = (int64_t)d->c->result;
	int r;

	if (!d->c->number || !strace_fd(from, &fd, &decoration) || fd < 0)
		return import_bad_token(d->imp, "descriptor", from.s, from.n, "is none");
	if (fd == to)
		return 1;
	/* when it is not known yet, both are from now on the same unknown */
	r = strace_open_of(d, from, true, &open);
	if (r)
		return r;
	open = fd_get(d->p, fd);
	r = strace_set_fd(d, to, open, close_on_exec, &out);
	return r ? r : 1;
}

int strace_do_dup(struct strace_done *d, int how)
{
	return duplicate(d, d->c->arg[0], how && strace_has(d->c->arg[2], "O_CLOEXEC"));
}

int strace_do_fcntl(struct strace_done *d, int how _unused_)
{
	struct word command = d->c->arg[1], decoration;
	struct description *open;
	int64_t fd;

	if (word_begins(command.s, command.n, "F_DUPFD"))
		return duplicate(d, d->c->arg[0], strace_has(command, "CLOEXEC"));
	if (d->c->count < 3 || !strace_fd(d->c->arg[0], &fd, &decoration))
		return 1;
	open = fd_get(d->p, fd);
	if (open && word_is(command, "F_SETFL"))
		open->append = strace_has(d->c->arg[2], "O_APPEND");
	if (open && word_is(command, "F_SETFD"))
		fd_close_on_exec(d->p, fd, strace_has(d->c->arg[2], "FD_CLOEXEC"));
	return 1;
}

int strace_do_close(struct strace_done *d, int how _unused_)
{
	struct word decoration;
	int64_t fd;

	/* Linux frees the descriptor whatever else close says */
	if (strace_fd(d->c->arg[0], &fd, &decoration) && !word_is(d->c->error, "EBADF"))
		fd_close(d->p, fd);
	return 1;
}

int strace_do_close_range(struct strace_done *d, int how _unused_)
{
	int64_t first, last;

	if (!strace_number(d->c->arg[0], &first))
		return import_bad(d->imp, "the range of close_range is no range");
	if (!strace_number(d->c->arg[1], &last))
		last = INT64_MAX; /* ~0U, shown as 4294967295 or as a name */
	if (strace_has(d->c->arg[2], "CLOSE_RANGE_CLOEXEC"))
		fd_close_range_on_exec(d->p, first, last);
	else
		fd_close_range(d->p, first, last);
	return 1;
}

int strace_do_fork(struct strace_done *d, int how _unused_)
{
	struct process *child;
	bool share = false;
	int r;

	if (!d->c->number || d->c->result == 0 || d->c->result > UINT32_MAX ||
	    process_find(&d->st->all, (uint32_t)d->c->result))
		return 1;
	for (int i = 0; i < MIN(d->c->count, STRACE_ARGS); i++)
		share |= strace_has(d->c->arg[i], "CLONE_FILES");
	r = process_add(&d->st->all, (uint32_t)d->c->result, d->p, share, &child);
	return r ? strace_failed(d->imp, r) : 1;
}

int strace_do_exec(struct strace_done *d, int how _unused_)
{
	int r = process_exec(&d->st->all, d->p);

	return r ? strace_failed(d->imp, r) : 1;
}

int strace_do_mmap(struct strace_done *d, int how _unused_)
{
	static const char text[] =
	    "{mapping of a file|mappings of files}: what is read and written through {it|them} is in "
	    "no such log";
	struct word decoration, fd = d->c->arg[4];
	int64_t number;

	if (!word_is(fd, "-1") && strace_fd(fd, &number, &decoration) && !strace_has(d->c->arg[2], "PROT_EXEC"))
		import_note(d->imp, text);
	return 1;
}
