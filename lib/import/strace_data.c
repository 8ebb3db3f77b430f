/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that move data, and those that say where a file ends. */
#include <errno.h>

#include "import/strace_calls.h"

static const char left_out_unknown[] =
    "{read or write at a position that the log does not tell is|reads and writes at a "
    "position that the log does not tell are} left out";
static const char left_out_append[] =
    "appending {write to a file of unknown size is|writes to a file of unknown size are} left out";

static int emit(struct strace_done *d, enum op op, const struct description *open, uint64_t offset, uint64_t length)
{
	struct file_size *size = strace_size_of(d, open);
	uint64_t end;
	int r;

	if (!size)
		return strace_failed(d->imp, -ENOMEM);
	r = import_emit(d->imp, op, offset, length, d->time, open->file);
	if (!r && op == OP_WRITE && !__builtin_add_overflow(offset, length, &end))
		size->bytes = size->known ? MAX(size->bytes, end) : 0;
	return r;
}

/* Data moved at the position of the description, which moves on; where writes append, at the end of the file. */
static int at_position(struct strace_done *d, enum op op, struct description *open, uint64_t length)
{
	uint64_t offset = open->position;
	int r;

	if (op == OP_WRITE && open->append) {
		const struct file_size *size = strace_size_of(d, open);

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
int strace_do_transfer(struct strace_done *d, int how)
{
	enum op op = how & HOW_WRITE ? OP_WRITE : OP_READ;
	struct description *open;
	int64_t offset = -1;
	int r;

	if (!d->c->number || (how & HOW_AT && !strace_number(d->c->arg[3], &offset)))
		return import_bad(d->imp, "a result or an offset is no number");
	r = strace_open_of(d, d->c->arg[0], offset >= 0, &open);
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
	return arg.n && arg.s[0] == '[' && close &&
	       strace_number((struct word){arg.s + 1, (size_t)(close - arg.s - 1)}, offset);
}

/* One side of sendfile, copy_file_range, splice. */
static int copy_side(struct strace_done *d, enum op op, struct word fd, struct word where)
{
	struct description *open;
	int64_t offset;
	int r;

	if (!pointed_offset(where, &offset))
		return import_bad_token(d->imp, "offset", where.s, where.n, "NULL or [OFFSET] is expected");
	r = strace_open_of(d, fd, offset >= 0, &open);
	if (r || !open)
		return r;
	r = offset < 0 ? at_position(d, op, open, d->c->result) : emit(d, op, open, (uint64_t)offset, d->c->result);
	return r < 0 ? r : 0;
}

int strace_do_copy(struct strace_done *d, int how _unused_)
{
	int r;

	if (!d->c->result)
		return 1;
	r = copy_side(d, OP_READ, d->c->arg[0], d->c->arg[1]);
	if (!r)
		r = copy_side(d, OP_WRITE, d->c->arg[2], d->c->arg[3]);
	return r ? r : 1;
}

int strace_do_sendfile(struct strace_done *d, int how _unused_)
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

int strace_do_seek(struct strace_done *d, int how)
{
	struct description *open;
	int64_t result = (int64_t)d->c->result, offset;
	struct file_size *size;
	int r;

	/* _llseek of 32-bit programs returns 0, and the position in its third argument */
	if (how && (!pointed_offset(d->c->arg[2], &result) || result < 0))
		return import_bad_token(d->imp, "position", d->c->arg[2].s, d->c->arg[2].n, "[OFFSET] is expected");
	r = strace_open_of(d, d->c->arg[0], true, &open);
	if (r || !open)
		return r ? r : 1;
	open->position = (uint64_t)result;
	open->position_known = true;
	if (!word_is(d->c->arg[how ? 3 : 2], "SEEK_END") || !strace_number(d->c->arg[1], &offset))
		return 1;
	size = strace_size_of(d, open);
	if (!size)
		return strace_failed(d->imp, -ENOMEM);
	size->known = !__builtin_sub_overflow(result, offset, &result) && result >= 0;
	size->bytes = (uint64_t)result;
	return 1;
}

int strace_do_sync(struct strace_done *d, int how)
{
	struct description *open;
	int r = strace_open_of(d, d->c->arg[0], true, &open);

	if (!r && open)
		r = emit(d, (enum op)how, open, 0, 0);
	return r ? r : 1;
}

int strace_do_truncate(struct strace_done *d, int how _unused_)
{
	struct description *open;
	int64_t bytes;
	int r;

	if (!strace_number(d->c->arg[1], &bytes) || bytes < 0)
		return import_bad_token(d->imp, "size", d->c->arg[1].s, d->c->arg[1].n, "not a number");
	r = strace_open_of(d, d->c->arg[0], true, &open);
	return r || !open ? (r ? r : 1) : strace_set_size(d, open, (uint64_t)bytes);
}

/* fstat, and newfstatat and statx of a descriptor: the size of a file whose end matters to who appends */
int strace_do_stat(struct strace_done *d, int how)
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
	r = strace_open_of(d, d->c->arg[0], true, &open);
	return r || !open ? (r ? r : 1) : strace_set_size(d, open, (uint64_t)bytes);
}

int strace_do_fallocate(struct strace_done *d, int how _unused_)
{
	struct description *open;
	struct file_size *size;
	int64_t offset, length;
	int r = strace_open_of(d, d->c->arg[0], true, &open);

	if (r || !open)
		return r ? r : 1;
	if (!strace_number(d->c->arg[2], &offset) || !strace_number(d->c->arg[3], &length) || offset < 0 || length < 0)
		return import_bad(d->imp, "the range of fallocate is no range");
	size = strace_size_of(d, open);
	if (!size)
		return strace_failed(d->imp, -ENOMEM);
	if (strace_has(d->c->arg[1], "PUNCH_HOLE"))
		r = emit(d, OP_TRIM, open, (uint64_t)offset, (uint64_t)length);
	else if (strace_has(d->c->arg[1], "COLLAPSE") || strace_has(d->c->arg[1], "INSERT"))
		size->known = false;
	else if (!strace_has(d->c->arg[1], "KEEP_SIZE"))
		size->bytes = MAX(size->bytes, (uint64_t)offset + (uint64_t)length);
	return r ? r : 1;
}
