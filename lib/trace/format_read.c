/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/units.h"
#include "trace/binary.h"
#include "trace/format.h"
#include "trace/format_line.h"
#include "trace/input.h"

/* Digits that cannot overflow 63 bits. */
#define FAST_DIGITS 18

#define LETTER_NONE 64

/* Requests between two checks. */
#define CHECK (1 << 20)

struct trace_reader {
	int fd;
	struct input *in;        /* of fd, from the first read on */
	unsigned shift;
	bool end_seen;           /* the input has no more */
	bool started;            /* a byte-order mark has been looked for */
	bool skipping;           /* inside a comment that is longer than the buffer likes */
	bool fast;               /* the layout is the one the fast path knows */
	struct binary image;     /* map NULL: the input is text */
	uint64_t next;           /* request of the image */
	const atomic_bool *cancel; /* of a live reader */
	uint64_t line;           /* lines read */
	struct trace_layout layout;
	char *at, *end;          /* what waits in the buffer */
	char *limit;             /* behind the last newline of that; at when there is none */
	unsigned char letter[256]; /* shift of a unit letter, else LETTER_NONE */
	char buf[FORMAT_BUF + 1 + 7];  /* the newline that the last line may lack, and what a look at eight bytes there sees */
};

struct trace_reader *trace_reader_new(int fd, unsigned shift)
{
	struct trace_reader *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	r->fd = fd;
	r->in = NULL;
	r->shift = shift;
	r->end_seen = r->started = r->skipping = false;
	r->fast = true;
	r->image = (struct binary){0};
	r->next = 0;
	r->cancel = NULL;
	r->line = 0;
	r->layout = trace_layout_default;
	r->at = r->end = r->limit = r->buf;
	memset(r->letter, LETTER_NONE, sizeof(r->letter));
	for (int c = 'A'; c <= 'z'; c++)
		if (units_shift((char)c) >= 0)
			r->letter[c] = (unsigned char)units_shift((char)c);
	return r;
}

void trace_reader_set_live(struct trace_reader *r, const atomic_bool *cancel)
{
	r->cancel = cancel;
}

void trace_reader_free(struct trace_reader *r)
{
	if (!r)
		return;
	input_free(r->in);
	binary_close(&r->image);
	free(r);
}

void trace_reader_freep(struct trace_reader **r)
{
	trace_reader_free(*r);
}

/* Read more behind what waits. 0 (look at end_seen) or -errno with the text set. */
static int more(struct trace_reader *r, struct fault *fault)
{
	size_t have = (size_t)(r->end - r->at);
	char *newline;
	ssize_t n;
	int err = r->in ? 0 : input_of_fd_until(&r->in, r->fd, r->cancel, fault);

	if (err)
		return err;
	memmove(r->buf, r->at, have);
	r->at = r->limit = r->buf;
	r->end = r->buf + have;
	n = input_read(r->in, r->end, FORMAT_BUF - have, fault);
	if (n < 0)
		return (int)n;
	if (n == 0)
		r->end_seen = true;
	newline = memrchr(r->end, '\n', (size_t)n);
	r->end += n;
	if (newline)
		r->limit = newline + 1;
	return 0;
}

static int bad_line(const struct trace_reader *r, size_t n, struct fault *fault)
{
	const char *what = format_guess(r->at, n, r->line == 1);

	if (what)
		return fault_set_line(fault, -EINVAL, r->line, "not a trace: this looks like %s", what);
	fault->line = r->line;
	return -EINVAL;
}

/* A line has more than FORMAT_LINE_MAX bytes, n of them are here. */
static int long_line(struct trace_reader *r, size_t n, struct fault *fault)
{
	r->line++;
	fault_set(fault, -EINVAL, "a line of more than %d bytes", FORMAT_LINE_MAX);
	return bad_line(r, n, fault);
}

/* Have n bytes at the beginning if the input has them. 0 or -errno with the text set. */
static int need_head(struct trace_reader *r, ptrdiff_t n, struct fault *fault)
{
	int err = 0;

	while (r->end - r->at < n && !r->end_seen && !err)
		err = more(r, fault);
	return err;
}

/* What has been read so far begins a binary trace: map it, where it is a plain file from its beginning on. */
static int start_binary(struct trace_reader *r, struct fault *fault)
{
	size_t have = (size_t)(r->end - r->at);
	struct stat st;

	if (!input_packing(r->in) && fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    lseek(r->fd, 0, SEEK_CUR) == (off_t)have)
		return binary_open(&r->image, r->fd, fault);
	return binary_read(&r->image, r->at, have, r->in, fault);
}

/* See what it is. 0 or -errno with the text set. */
static int start(struct trace_reader *r, struct fault *fault)
{
	static const char mark[3] = "\xef\xbb\xbf";
	int err = need_head(r, 1, fault);

	/* No more than tells what it is: a first line may be shorter than that, and the next one take its time. */
	if (!err && r->at < r->end && r->at[0] == mark[0])
		err = need_head(r, sizeof(mark), fault);
	if (!err && r->at < r->end && r->at[0] == BINARY_MAGIC[0])
		err = need_head(r, BINARY_MAGIC_SIZE, fault);
	if (!err && binary_is(r->at, (size_t)(r->end - r->at)))
		err = start_binary(r, fault);
	if (!err && r->end - r->at >= (ptrdiff_t)sizeof(mark) && memcmp(r->at, mark, sizeof(mark)) == 0)
		r->at += sizeof(mark);
	r->started = !err;
	return err;
}

/* Drop the rest of a comment, as far as it is here. */
static void skip(struct trace_reader *r)
{
	char *newline = r->limit > r->at ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;

	r->at = newline ? newline + 1 : r->end;
	r->limit = MAX(r->limit, r->at);
	if (newline) {
		r->skipping = false;
		r->line++;
	}
}

/* See to it that a whole line waits: 1; 0 at the end of the input; -errno with the text set. */
static int need_line(struct trace_reader *r, struct fault *fault)
{
	int err = 0;

	while (!err) {
		if (r->skipping)
			skip(r);
		if (r->limit > r->at)
			return 1;
		if (r->end - r->at > FORMAT_LINE_MAX) {
			size_t n = (size_t)(r->end - r->at);

			if (!format_is_comment(r->at, FORMAT_LINE_MAX))
				return long_line(r, n, fault);
			r->skipping = true;
			continue;
		}
		if (r->end_seen) {
			if (r->at == r->end)
				return 0;
			*r->end++ = '\n';
			r->limit = r->end;
			return 1;
		}
		err = more(r, fault);
	}
	return err;
}

/*
 * Their value: a digit in each byte, the first in the lowest. Neighbours are joined to pairs, those to fours, and
 * those.
 */
static inline uint64_t eight_digits(uint64_t d)
{
	d = (d * 10 + (d >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	d = (d * 100 + (d >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (d * 10000 + (d >> 32)) & UINT64_C(0xffffffff);
}

/*
 * The digits at p, up to eight of them, by one look; returns what is behind. Eight have a branch of their own, for that
 * is foreseen: where the line ends is then known long before the value is there.
 */
static inline const char *leading_digits(const char *p, uint64_t *v)
{
	uint64_t text, others;
	unsigned bits;

	memcpy(&text, p, sizeof(text));
	text = le64toh(text) ^ UINT64_C(0x3030303030303030);
	/* The high bit of the first byte that is no digit, and of some behind it. */
	others = ((text + UINT64_C(0x7676767676767676)) | text) & UINT64_C(0x8080808080808080);
	if (likely(!others)) {
		*v = eight_digits(text);
		return p + 8;
	}
	bits = (unsigned)__builtin_ctzll(others) & ~7u;
	*v = bits ? eight_digits(text << (64 - bits)) : 0;
	return p + bits / 8;
}

/* Digits, most likely many of them or not, and perhaps a letter at *s. False when the general way should look at it. */
static inline bool fast_number(const struct trace_reader *r, const char **s, bool many, uint64_t *bytes)
{
	uint64_t v = 0;
	const char *p = many ? leading_digits(*s, &v) : *s;
	unsigned digit, shift;

	while ((digit = (unsigned)(unsigned char)*p - '0') < 10) {
		v = v * 10 + digit;
		p++;
	}
	if (unlikely(p == *s || p - *s > FAST_DIGITS))
		return false;
	shift = r->letter[(unsigned char)*p];
	if (shift == LETTER_NONE)
		shift = r->shift;
	else
		p++;
	if (unlikely(v > REQ_MAX >> shift))
		return false;
	*bytes = v << shift;
	*s = p;
	return true;
}

/*
 * The lines most files consist of: "OFFSET LENGTH" or "OFFSET". Takes up to room of them, and stops at the first that
 * is not exactly so, which format_line() then accepts or refuses. The newline at limit - 1 ends every loop.
 */
static size_t fast_lines(struct trace_reader *r, struct req *out, size_t room)
{
	const char *line = r->at, *limit = r->limit;
	size_t n = 0;

	while (n < room && line < limit) {
		const char *p = line;
		uint64_t offset, length = PAGE_BYTES;

		if (!fast_number(r, &p, true, &offset))
			break;
		if (*p == ' ' || *p == '\t') {
			do {
				p++;
			} while (*p == ' ' || *p == '\t');
			if (!fast_number(r, &p, false, &length))
				break;
		}
		if (*p == '\r')
			p++;
		if (unlikely(*p != '\n' || offset + length > REQ_MAX))
			break;
		out[n++] = req_make(offset, length, OP_READ);
		line = p + 1;
	}
	r->at += line - r->at;
	r->line += n;
	return n;
}

/* Fast lines into t, up to max. How many, or -ENOMEM with the text set. */
static ssize_t fast(struct trace_reader *r, struct trace *t, size_t max, struct fault *fault)
{
	size_t n, first = t->count;

	if (trace_reserve(t, 1))
		return fault_set(fault, -ENOMEM, "out of memory");
	n = fast_lines(r, t->req + first, MIN(max, t->capacity - first));
	for (size_t i = first; t->time && i < first + n; i++)
		t->time[i] = TIME_NONE;
	if (t->file)
		memset(t->file + first, 0, n * sizeof(*t->file));
	if (t->step)
		memset(t->step + first, 0, n * sizeof(*t->step));
	t->count += n;
	return (ssize_t)n;
}

/* One line of any kind. 0 or -errno with the fault set. */
static int general(struct trace_reader *r, struct trace *t, struct fault *fault)
{
	const char *newline = memchr(r->at, '\n', (size_t)(r->limit - r->at));
	size_t whole = (size_t)(newline - r->at), n = whole;
	int err;

	if (n && r->at[n - 1] == '\r')
		n--;
	if (n > FORMAT_LINE_MAX && !format_is_comment(r->at, FORMAT_LINE_MAX))
		return long_line(r, n, fault);
	r->line++;
	err = format_line(r->at, n, r->shift, &r->layout, t, fault);
	if (err == -EINVAL)
		return bad_line(r, n, fault);
	if (err)
		return err;
	r->at += whole + 1;
	r->fast = trace_layout_is_default(&r->layout);
	return 0;
}

ssize_t trace_reader_read(struct trace_reader *r, struct trace *t, size_t max, struct fault *fault)
{
	size_t first = t->count;
	int err = r->started ? 0 : start(r, fault);

	if (err)
		return err;
	if (r->image.map)
		return binary_load_some(&r->image, &r->next, t, max, fault);
	while (t->count - first < max && !(r->cancel && t->count > first && r->limit <= r->at)) {
		int more_lines = need_line(r, fault);
		ssize_t n;

		if (more_lines < 0)
			return more_lines;
		if (more_lines == 0)
			break;
		n = r->fast ? fast(r, t, max - (t->count - first), fault) : 0;
		if (n < 0)
			return n;
		if (n == 0) {
			err = general(r, t, fault);
			if (err)
				return err;
		}
	}
	return (ssize_t)(t->count - first);
}

uint64_t trace_reader_line(const struct trace_reader *r)
{
	return r->image.map ? 0 : r->line;
}

static int nothing(const struct trace *t _unused_, struct fault *fault _unused_)
{
	return 0;
}

int trace_reader_rest(struct trace_reader *r, struct trace *t, struct fault *fault)
{
	return trace_reader_rest_checked(r, t, nothing, fault);
}

int trace_reader_rest_checked(struct trace_reader *r, struct trace *t,
			      int (*check)(const struct trace *t, struct fault *fault), struct fault *fault)
{
	ssize_t n = r->started ? 0 : start(r, fault);

	if (n == 0 && r->image.map && r->next == 0 && !t->req && !t->time && !t->file && !t->step)
		return binary_load_all(&r->image, t, fault);
	if (n < 0)
		return (int)n;
	do {
		n = trace_reader_read(r, t, CHECK, fault);
		if (n == CHECK) {
			int err = check(t, fault);

			if (err)
				return err;
		}
	} while (n > 0);
	return (int)n;
}
