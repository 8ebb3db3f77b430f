/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each call does to descriptors and positions, and which data it moves. */
#include <errno.h>
#include <inttypes.h>

#include "import/strace.h"

/* One call that has succeeded. */
struct done {
	struct import *imp;
	struct strace *st;
	struct process *p;
	int64_t time;
	const struct strace_call *c;
};

struct call {
	const char *name;
	int (*done)(struct done *d, int how);
	int how;
	int args;      /* that it must have */
	bool failed;   /* is to be told of failures too */
};

enum { HOW_READ = 0, HOW_WRITE = 1, HOW_AT = 2, HOW_AT_VECTOR = 4 };

static const char left_out_unknown[] = "reads and writes at a position that the log does not tell are left out";
static const char left_out_append[] = "appending writes to a file of unknown size are left out";

static int failed(struct import *imp, int err)
{
	return import_fail(imp, err, err == -ENOMEM ? "out of memory" :
				"more processes, descriptors or unfinished calls at once than are followed");
}

static bool has(struct word w, const char *text)
{
	return memmem(w.s, w.n, text, strlen(text));
}

/* Names that are no files one could replay on. */
static bool is_special(const char *path, size_t n)
{
	static const char *const below[] = {"/proc/", "/sys/", "/dev/pts/", "/memfd:", "/dev/fd/"};
	static const char *const exactly[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
					      "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/kmsg"};

	for (size_t i = 0; i < ARRAY_SIZE(below); i++)
		if (word_begins(path, n, below[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(exactly); i++)
		if (word_is((struct word){path, n}, exactly[i]))
			return true;
	return false;
}

/* The file that an unescaped name means: its id in d, or no file. */
static int name_file(struct import *imp, struct description *d, const char *name, size_t n)
{
	while (n && scan_blank(name[n - 1]))
		n--;
	d->is_file = n > 0 && !is_special(name, n);
	return d->is_file ? import_file(imp, name, n, &d->file) : 0;
}

/* The same for "</path>", "</path<char 1:3>>", "</path>(deleted)", "<pipe:[1]>". */
static int name_decorated(struct import *imp, struct description *d, struct word decoration)
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
	return name_file(imp, d, name, n);
}

static struct file_size *size_of(struct done *d, const struct description *open)
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

static int set_fd(struct done *d, int64_t fd, struct description *open, bool close_on_exec, struct description **out)
{
	int r = fd_put(&d->st->all, d->p, fd, open, close_on_exec, out);

	return r ? failed(d->imp, r) : 0;
}

/*
 * The description behind a descriptor in an argument. One whose opening is not in the log is made up: a file if -y
 * names one; or, when the call itself says where in it the data are (positioned), a file named after the descriptor.
 * 0 and *out, which is NULL for what is no file.
 */
static int open_of(struct done *d, struct word arg, bool positioned, struct description **out)
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
			import_note(d->imp, "calls on descriptors whose opening is not in the log are left out");
			return 0;
		}
		r = set_fd(d, fd, NULL, false, out);
		if (!r && decoration.n)
			r = name_decorated(d->imp, *out, decoration);
		else if (!r) {
			int n = d->p->pid ? snprintf(name, sizeof(name), "pid%u-fd%" PRId64, d->p->pid, fd) :
					    snprintf(name, sizeof(name), "fd%" PRId64, fd);

			r = name_file(d->imp, *out, name, (size_t)n);
		}
		if (r)
			return r;
	}
	if (!(*out)->is_file)
		*out = NULL;
	return 0;
}

static int emit(struct done *d, enum op op, const struct description *open, uint64_t offset, uint64_t length)
{
	struct file_size *size = size_of(d, open);
	uint64_t end;
	int r;

	if (!size)
		return failed(d->imp, -ENOMEM);
	r = import_emit(d->imp, op, offset, length, d->time, open->file);
	if (!r && op == OP_WRITE && !__builtin_add_overflow(offset, length, &end))
		size->bytes = size->known ? MAX(size->bytes, end) : 0;
	return r;
}

/* Data moved at the position of the description, which moves on; where writes append, at the end of the file. */
static int at_position(struct done *d, enum op op, struct description *open, uint64_t length)
{
	uint64_t offset = open->position;
	int r;

	if (op == OP_WRITE && open->append) {
		const struct file_size *size = size_of(d, open);

		if (!size || !size->known) {
			open->position_known = false;
			import_note(d->imp, left_out_append);
			return 1;
		}
		offset = size->bytes;
		open->position_known = true;
	} else if (!open->position_known) {
		import_note(d->imp, left_out_unknown);
		return 1;
	}
	r = emit(d, op, open, offset, length);
	if (!r && __builtin_add_overflow(offset, length, &open->position))
		r = import_bad(d->imp, "the position passes 2^64");
	return r ? r : 1;
}

/* read, readv, write, writev; with HOW_AT their positioned forms, whose offset -1 (of preadv2) means the position */
static int do_transfer(struct done *d, int how)
{
	enum op op = how & HOW_WRITE ? OP_WRITE : OP_READ;
	struct description *open;
	int64_t offset = -1;
	int r;

	if (!d->c->number || (how & HOW_AT && !strace_number(d->c->arg[3], &offset)))
		return import_bad(d->imp, "a result or an offset is no number");
	r = open_of(d, d->c->arg[0], offset >= 0, &open);
	if (r || !open || !d->c->result)
		return r ? r : 1;
	if (offset < 0 || (op == OP_WRITE && open->append)) {
		uint64_t position = open->position;
		bool known = open->position_known;

		r = at_position(d, op, open, d->c->result);
		/* Linux appends positioned writes too, but leaves the position alone */
		if (offset >= 0) {
			open->position = position;
			open->position_known = known;
		}
		return r;
	}
	r = emit(d, op, open, (uint64_t)offset, d->c->result);
	return r ? r : 1;
}

/* "NULL": the position; "[4096]" or "[4096] => [8192]": there. false when neither. */
static bool pointed_offset(struct word arg, int64_t *offset)
{
	const char *close = memchr(arg.s, ']', arg.n);

	*offset = -1;
	if (word_is(arg, "NULL"))
		return true;
	return arg.n && arg.s[0] == '[' && close && strace_number((struct word){arg.s + 1, (size_t)(close - arg.s - 1)}, offset);
}

/* One side of sendfile, copy_file_range, splice. */
static int copy_side(struct done *d, enum op op, struct word fd, struct word where)
{
	struct description *open;
	int64_t offset;
	int r;

	if (!pointed_offset(where, &offset))
		return import_bad_token(d->imp, "offset", where.s, where.n, "NULL or [OFFSET] is expected");
	r = open_of(d, fd, offset >= 0, &open);
	if (r || !open)
		return r;
	r = offset < 0 ? at_position(d, op, open, d->c->result) : emit(d, op, open, (uint64_t)offset, d->c->result);
	return r < 0 ? r : 0;
}

static int do_copy(struct done *d, int how _unused_)
{
	int r;

	if (!d->c->result)
		return 1;
	r = copy_side(d, OP_READ, d->c->arg[0], d->c->arg[1]);
	if (!r)
		r = copy_side(d, OP_WRITE, d->c->arg[2], d->c->arg[3]);
	return r ? r : 1;
}

static int do_sendfile(struct done *d, int how _unused_)
{
	static const struct word position = {"NULL", 4};
	int r;

	if (!d->c->result)
		return 1;
	r = copy_side(d, OP_READ, d->c->arg[1], d->c->arg[2]);
	if (!r)
		r = copy_side(d, OP_WRITE, d->c->arg[0], position);
	return r ? r : 1;
}

static int do_seek(struct done *d, int how)
{
	struct description *open;
	int64_t result = (int64_t)d->c->result, offset;
	struct file_size *size;
	int r;

	/* _llseek of 32-bit programs returns 0, and the position in its third argument */
	if (how && (!pointed_offset(d->c->arg[2], &result) || result < 0))
		return import_bad_token(d->imp, "position", d->c->arg[2].s, d->c->arg[2].n, "[OFFSET] is expected");
	r = open_of(d, d->c->arg[0], true, &open);
	if (r || !open)
		return r ? r : 1;
	open->position = (uint64_t)result;
	open->position_known = true;
	if (!word_is(d->c->arg[how ? 3 : 2], "SEEK_END") || !strace_number(d->c->arg[1], &offset))
		return 1;
	size = size_of(d, open);
	if (!size)
		return failed(d->imp, -ENOMEM);
	size->known = !__builtin_sub_overflow(result, offset, &result) && result >= 0;
	size->bytes = (uint64_t)result;
	return 1;
}

static int do_sync(struct done *d, int how)
{
	struct description *open;
	int r = open_of(d, d->c->arg[0], true, &open);

	if (!r && open)
		r = emit(d, (enum op)how, open, 0, 0);
	return r ? r : 1;
}

static int set_size(struct done *d, const struct description *open, uint64_t bytes)
{
	struct file_size *size = size_of(d, open);

	if (!size)
		return failed(d->imp, -ENOMEM);
	*size = (struct file_size){.known = true, .bytes = bytes};
	return 1;
}

static int do_truncate(struct done *d, int how _unused_)
{
	struct description *open;
	int64_t bytes;
	int r;

	if (!strace_number(d->c->arg[1], &bytes) || bytes < 0)
		return import_bad_token(d->imp, "size", d->c->arg[1].s, d->c->arg[1].n, "not a number");
	r = open_of(d, d->c->arg[0], true, &open);
	return r || !open ? (r ? r : 1) : set_size(d, open, (uint64_t)bytes);
}

/* fstat, and newfstatat and statx of a descriptor: the size of a file whose end matters to who appends */
static int do_stat(struct done *d, int how)
{
	static const char key[] = "st_size=", keyx[] = "stx_size=";
	struct description *open;
	struct word text, decoration;
	const char *at, *end;
	int64_t bytes, fd;
	int r;

	/* of a path; or of a descriptor that is not followed, whose file is not made up for this */
	if ((how && !word_is(d->c->arg[1], "\"\"")) || !strace_fd(d->c->arg[0], &fd, &decoration) || fd < 0 ||
	    (!decoration.n && !fd_get(d->p, fd)))
		return 1;
	text = d->c->arg[how == 2 ? 4 : how + 1];
	at = memmem(text.s, text.n, how == 2 ? keyx : key, strlen(how == 2 ? keyx : key));
	if (!at)
		return 1;
	at += strlen(how == 2 ? keyx : key);
	for (end = at; end < text.s + text.n && scan_digit(*end); end++)
		;
	if (!strace_number((struct word){at, (size_t)(end - at)}, &bytes) || bytes < 0)
		return 1;
	r = open_of(d, d->c->arg[0], true, &open);
	return r || !open ? (r ? r : 1) : set_size(d, open, (uint64_t)bytes);
}

static int do_fallocate(struct done *d, int how _unused_)
{
	struct description *open;
	struct file_size *size;
	int64_t offset, length;
	int r = open_of(d, d->c->arg[0], true, &open);

	if (r || !open)
		return r ? r : 1;
	if (!strace_number(d->c->arg[2], &offset) || !strace_number(d->c->arg[3], &length) || offset < 0 || length < 0)
		return import_bad(d->imp, "the range of fallocate is no range");
	size = size_of(d, open);
	if (!size)
		return failed(d->imp, -ENOMEM);
	if (has(d->c->arg[1], "PUNCH_HOLE"))
		r = emit(d, OP_TRIM, open, (uint64_t)offset, (uint64_t)length);
	else if (has(d->c->arg[1], "COLLAPSE") || has(d->c->arg[1], "INSERT"))
		size->known = false;
	else if (!has(d->c->arg[1], "KEEP_SIZE"))
		size->bytes = MAX(size->bytes, (uint64_t)offset + (uint64_t)length);
	return r ? r : 1;
}

/* The name in an argument of open, below the directory that dir names. */
static int open_path(struct done *d, struct description *open, struct word path, struct word dir)
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
	return name_file(d->imp, open, name, n);
}

/* how: the number of the argument with the flags; the path stands in front of it */
static int do_open(struct done *d, int how)
{
	struct word flags = how ? d->c->arg[how] : (struct word){"O_WRONLY|O_CREAT|O_TRUNC", 24};
	struct word dir = how == 2 ? d->c->arg[0] : (struct word){0};
	struct description *open;
	int r;

	if (!d->c->number)
		return import_bad(d->imp, "the result is no descriptor");
	r = set_fd(d, (int64_t)d->c->result, NULL, has(flags, "O_CLOEXEC"), &open);
	if (r || has(flags, "O_DIRECTORY") || has(flags, "O_PATH"))
		return r ? r : 1;
	r = d->c->decoration.n ? name_decorated(d->imp, open, d->c->decoration) :
				 open_path(d, open, d->c->arg[how ? how - 1 : 0], dir);
	if (r)
		return r;
	open->position_known = true;
	open->append = has(flags, "O_APPEND");
	if (open->is_file && (has(flags, "O_TRUNC") || (has(flags, "O_CREAT") && has(flags, "O_EXCL"))))
		return set_size(d, open, 0);
	return 1;
}

/* socket, eventfd...: the result is a descriptor of no file; how: the argument "[3, 4]" with two of them, from 1 */
static int do_other(struct done *d, int how)
{
	struct description *open;
	struct word pair, decoration;
	const char *comma;
	int64_t fd;
	int r = 0;

	if (!how) {
		r = d->c->number ? set_fd(d, (int64_t)d->c->result, NULL, false, &open) : 0;
		return r ? r : 1;
	}
	pair = d->c->arg[how - 1];
	comma = pair.n > 2 ? memchr(pair.s, ',', pair.n) : NULL;
	if (!comma)
		return import_bad_token(d->imp, "descriptors", pair.s, pair.n, "[FD, FD] is expected");
	for (int i = 0; i < 2 && !r; i++) {
		struct word w = i ? scan_trim(comma + 1, pair.s + pair.n - 1) : scan_trim(pair.s + 1, comma);

		if (!strace_fd(w, &fd, &decoration))
			return import_bad_token(d->imp, "descriptor", w.s, w.n, "is none");
		r = set_fd(d, fd, NULL, false, &open);
	}
	return r ? r : 1;
}

/* A second descriptor of what is open already. */
static int duplicate(struct done *d, struct word from, bool close_on_exec)
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
	r = open_of(d, from, true, &open);
	if (r)
		return r;
	open = fd_get(d->p, fd);
	r = set_fd(d, to, open, close_on_exec, &out);
	return r ? r : 1;
}

static int do_dup(struct done *d, int how)
{
	return duplicate(d, d->c->arg[0], how && has(d->c->arg[2], "O_CLOEXEC"));
}

static int do_fcntl(struct done *d, int how _unused_)
{
	struct word command = d->c->arg[1], decoration;
	struct description *open;
	int64_t fd;

	if (word_begins(command.s, command.n, "F_DUPFD"))
		return duplicate(d, d->c->arg[0], has(command, "CLOEXEC"));
	if (d->c->count < 3 || !strace_fd(d->c->arg[0], &fd, &decoration))
		return 1;
	open = fd_get(d->p, fd);
	if (open && word_is(command, "F_SETFL"))
		open->append = has(d->c->arg[2], "O_APPEND");
	if (open && word_is(command, "F_SETFD"))
		fd_close_on_exec(d->p, fd, has(d->c->arg[2], "FD_CLOEXEC"));
	return 1;
}

static int do_close(struct done *d, int how _unused_)
{
	struct word decoration;
	int64_t fd;

	/* Linux frees the descriptor whatever else close says */
	if (strace_fd(d->c->arg[0], &fd, &decoration) && !word_is(d->c->error, "EBADF"))
		fd_close(d->p, fd);
	return 1;
}

static int do_close_range(struct done *d, int how _unused_)
{
	int64_t first, last;

	if (!strace_number(d->c->arg[0], &first))
		return import_bad(d->imp, "the range of close_range is no range");
	if (!strace_number(d->c->arg[1], &last))
		last = INT64_MAX;   /* ~0U, shown as 4294967295 or as a name */
	if (has(d->c->arg[2], "CLOSE_RANGE_CLOEXEC")) {
		for (int64_t fd = MAX(first, 0); fd <= last && fd < d->p->fds->count; fd++)
			fd_close_on_exec(d->p, fd, true);
		return 1;
	}
	fd_close_range(d->p, first, last);
	return 1;
}

static int do_fork(struct done *d, int how _unused_)
{
	struct process *child;
	bool share = false;
	int r;

	if (!d->c->number || d->c->result == 0 || d->c->result > UINT32_MAX ||
	    process_find(&d->st->all, (uint32_t)d->c->result))
		return 1;
	for (int i = 0; i < MIN(d->c->count, STRACE_ARGS); i++)
		share |= has(d->c->arg[i], "CLONE_FILES");
	r = process_add(&d->st->all, (uint32_t)d->c->result, d->p, share, &child);
	return r ? failed(d->imp, r) : 1;
}

static int do_exec(struct done *d, int how _unused_)
{
	int r = process_exec(&d->st->all, d->p);

	return r ? failed(d->imp, r) : 1;
}

static int do_mmap(struct done *d, int how _unused_)
{
	static const char text[] = "mappings of files: what is read and written through them is in no such log";
	struct word decoration, fd = d->c->arg[4];
	int64_t number;

	if (!word_is(fd, "-1") && strace_fd(fd, &number, &decoration) && !has(d->c->arg[2], "PROT_EXEC"))
		import_note(d->imp, text);
	return 1;
}

static int do_left_out(struct done *d, int how)
{
	static const char *const text[] = {
		"calls of io_uring_enter: what they read and write is in no such log",
		"calls of io_submit are left out",
		"calls of sync_file_range are left out",
	};

	import_note(d->imp, text[how]);
	return 1;
}

/* In the order of their names. */
static const struct call calls[] = {
	{"_llseek", do_seek, 1, 4, false},
	{"accept", do_other, 0, 1, false},
	{"accept4", do_other, 0, 1, false},
	{"clone", do_fork, 0, 0, false},
	{"clone3", do_fork, 0, 0, false},
	{"close", do_close, 0, 1, true},
	{"close_range", do_close_range, 0, 3, false},
	{"copy_file_range", do_copy, 0, 4, false},
	{"creat", do_open, 0, 2, false},
	{"dup", do_dup, 0, 1, false},
	{"dup2", do_dup, 0, 2, false},
	{"dup3", do_dup, 1, 3, false},
	{"epoll_create", do_other, 0, 1, false},
	{"epoll_create1", do_other, 0, 1, false},
	{"eventfd", do_other, 0, 1, false},
	{"eventfd2", do_other, 0, 1, false},
	{"execve", do_exec, 0, 1, false},
	{"execveat", do_exec, 0, 1, false},
	{"fallocate", do_fallocate, 0, 4, false},
	{"fcntl", do_fcntl, 0, 2, false},
	{"fcntl64", do_fcntl, 0, 2, false},
	{"fdatasync", do_sync, OP_DATASYNC, 1, false},
	{"fork", do_fork, 0, 0, false},
	{"fstat", do_stat, 0, 2, false},
	{"fstat64", do_stat, 0, 2, false},
	{"fsync", do_sync, OP_SYNC, 1, false},
	{"ftruncate", do_truncate, 0, 2, false},
	{"ftruncate64", do_truncate, 0, 2, false},
	{"inotify_init", do_other, 0, 0, false},
	{"inotify_init1", do_other, 0, 1, false},
	{"io_submit", do_left_out, 1, 0, false},
	{"io_uring_enter", do_left_out, 0, 0, false},
	{"io_uring_setup", do_other, 0, 1, false},
	{"lseek", do_seek, 0, 3, false},
	{"memfd_create", do_other, 0, 1, false},
	{"mmap", do_mmap, 0, 6, false},
	{"mmap2", do_mmap, 0, 6, false},
	{"newfstatat", do_stat, 1, 3, false},
	{"open", do_open, 1, 2, false},
	{"openat", do_open, 2, 3, false},
	{"openat2", do_open, 2, 3, false},
	{"perf_event_open", do_other, 0, 1, false},
	{"pidfd_open", do_other, 0, 1, false},
	{"pipe", do_other, 1, 1, false},
	{"pipe2", do_other, 1, 2, false},
	{"pread", do_transfer, HOW_READ | HOW_AT, 4, false},
	{"pread64", do_transfer, HOW_READ | HOW_AT, 4, false},
	{"preadv", do_transfer, HOW_READ | HOW_AT, 4, false},
	{"preadv2", do_transfer, HOW_READ | HOW_AT, 4, false},
	{"pwrite", do_transfer, HOW_WRITE | HOW_AT, 4, false},
	{"pwrite64", do_transfer, HOW_WRITE | HOW_AT, 4, false},
	{"pwritev", do_transfer, HOW_WRITE | HOW_AT, 4, false},
	{"pwritev2", do_transfer, HOW_WRITE | HOW_AT, 4, false},
	{"read", do_transfer, HOW_READ, 3, false},
	{"readv", do_transfer, HOW_READ, 3, false},
	{"sendfile", do_sendfile, 0, 4, false},
	{"sendfile64", do_sendfile, 0, 4, false},
	{"signalfd4", do_other, 0, 1, false},
	{"socket", do_other, 0, 1, false},
	{"socketpair", do_other, 4, 4, false},
	{"splice", do_copy, 0, 4, false},
	{"statx", do_stat, 2, 5, false},
	{"sync_file_range", do_left_out, 2, 0, false},
	{"timerfd_create", do_other, 0, 1, false},
	{"vfork", do_fork, 0, 0, false},
	{"write", do_transfer, HOW_WRITE, 3, false},
	{"writev", do_transfer, HOW_WRITE, 3, false},
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

	return call && call->done == do_fork;
}

int strace_call(struct import *imp, struct process *p, int64_t time, struct word name, struct word args)
{
	const struct call *call = find(name);
	struct strace_call c;
	struct done d = {.imp = imp, .st = imp->state, .p = p, .time = time, .c = &c};

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
