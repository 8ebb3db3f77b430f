/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/vmstat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"

#define FIRST_SIZE ((size_t)16 << 10)
#define LARGEST ((size_t)16 << 20)
#define HALF_PAGE ((size_t)2048)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The decimal number and the rest of its line; *end is the offset of the newline or n. */
static bool parse_value(const char *text, size_t n, size_t at, uint64_t *value, size_t *end)
{
	uint64_t v = 0;
	size_t i = at;

	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (i == at)
		return false;
	while (i < n && is_blank(text[i]))
		i++;
	if (n - i >= 2 && text[i] == 'k' && text[i + 1] == 'B')
		i += 2;
	while (i < n && (is_blank(text[i]) || text[i] == '\r'))
		i++;
	if (i < n && text[i] != '\n')
		return false;
	*value = v;
	*end = i;
	return true;
}

int vmstat_next(const char *text, size_t n, size_t at, struct vmstat_line *out)
{
	while (at < n) {
		const char *newline = memchr(text + at, '\n', n - at);
		size_t end = newline ? (size_t)(newline - text) : n;
		size_t name_end = at, digits, value_end;

		while (name_end < end && !is_blank(text[name_end]))
			name_end++;
		digits = name_end;
		while (digits < end && is_blank(text[digits]))
			digits++;
		if (name_end > at && digits > name_end && parse_value(text, end, digits, &out->value, &value_end)) {
			out->name = text + at;
			out->name_length = name_end - at;
			out->start = at;
			out->next = newline ? end + 1 : n;
			return 1;
		}
		at = newline ? end + 1 : n;
	}
	return 0;
}

/* Take the value if the line at this offset is that of the name. */
static bool take(const char *text, size_t len, size_t at, struct vmstat_want *w)
{
	size_t i, end;

	if (at >= len || len - at <= w->name_length || (at > 0 && text[at - 1] != '\n'))
		return false;
	i = at + w->name_length;
	if (!is_blank(text[i]) || memcmp(text + at, w->name, w->name_length))
		return false;
	while (i < len && is_blank(text[i]))
		i++;
	if (!parse_value(text, len, i, &w->value, &end))
		return false;
	w->hint = at;
	w->found = true;
	return true;
}

static bool search(const char *text, size_t len, struct vmstat_want *w)
{
	const char *p = text;

	while ((p = memmem(p, len - (size_t)(p - text), w->name, w->name_length))) {
		if (take(text, len, (size_t)(p - text), w))
			return true;
		p++;
	}
	return false;
}

size_t vmstat_lookup(const char *text, size_t len, struct vmstat_want *want, size_t n)
{
	size_t absent = 0, shift = 0;

	for (size_t i = 0; i < n; i++) {
		struct vmstat_want *w = &want[i];
		size_t before = w->hint;

		/*
		 * A number that gained a digit moves all lines behind it alike: what moved one name is tried on the
		 * next.
		 */
		if (take(text, len, before, w) || (shift && take(text, len, before + shift, w)))
			continue;
		if (search(text, len, w)) {
			shift = w->hint - before;
			continue;
		}
		w->value = 0;
		w->found = false;
		absent++;
	}
	return absent;
}

bool vmstat_names(const char *text, size_t len, const char *name, size_t name_length)
{
	for (size_t at = 0; at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t end = newline ? (size_t)(newline - text) : len;

		if (end - at > name_length && !memcmp(text + at, name, name_length) && is_blank(text[at + name_length]))
			return true;
		at = end + 1;
	}
	return false;
}

static int grow(struct vmstat *v)
{
	size_t size = v->size ? v->size * 2 : FIRST_SIZE;
	char *buf;

	if (size > LARGEST)
		return -EFBIG;
	buf = realloc(v->buf, size);
	if (!buf)
		return -ENOMEM;
	v->buf = buf;
	v->size = size;
	return 0;
}

void vmstat_rewind(struct vmstat *v)
{
	v->used = 0;
	v->reads = 0;
}

int vmstat_read_on(struct vmstat *v)
{
	size_t room;
	ssize_t got;

	if (v->used == v->size) {
		int r = grow(v);

		if (r < 0)
			return r;
	}
	room = v->size - v->used;
	do
		got = pread(v->fd, v->buf + v->used, room, (off_t)v->used);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (got == 0)
		return v->used ? 0 : -ENODATA;
	v->used += (size_t)got;
	v->reads++;
	/* A read may end where a page has no room for the next line (fs/seq_file.c); before, only at the end. */
	return (size_t)got >= MIN(room, HALF_PAGE);
}

int vmstat_read(struct vmstat *v)
{
	int more;

	vmstat_rewind(v);
	do
		more = vmstat_read_on(v);
	while (more > 0);
	return more;
}

void vmstat_close(struct vmstat *v)
{
	if (v->fd >= 0)
		close(v->fd);
	free(v->path);
	free(v->buf);
	*v = (struct vmstat){.fd = -1};
}

int vmstat_open_file(struct vmstat *out, const char *path, struct fault *fault)
{
	_cleanup_(vmstat_close) struct vmstat v = {.fd = -1, .path = strdup(path)};
	int r;

	if (!v.path)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	/* O_NONBLOCK: a fifo in its place is refused by the read instead of waited for. */
	v.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	r = v.fd < 0 ? -errno : vmstat_read(&v);
	if (r < 0 && r != -ENODATA)
		return fault_set(fault, r, "%s: %s", path, strerror(-r));
	*out = v;
	v = (struct vmstat){.fd = -1};
	return 0;
}

int vmstat_open(struct vmstat *out, const char *dir, struct fault *fault)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_(vmstat_close) struct vmstat v = {.fd = -1};
	struct vmstat_line line;
	int r;

	if (asprintf(&path, "%s/vmstat", dir ? dir : "/proc") < 0) {
		path = NULL;
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	}
	r = vmstat_open_file(&v, path, fault);
	if (r < 0)
		return r;
	if (!vmstat_next(v.buf, v.used, 0, &line))
		return fault_set(fault, -ENODATA, "%s: no line of the form 'name number'", path);
	*out = v;
	v = (struct vmstat){.fd = -1};
	return 0;
}
