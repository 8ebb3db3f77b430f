/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/unpack.h"

#define MAGIC_MAX 6

/* How long a read from a quiet pipe or terminal may hide that the user wants to stop. */
#define POLL_MSEC 250

static const struct {
	char name[5];
	unsigned char length;
	unsigned char magic[MAGIC_MAX];
	const struct unpacker *unpacker;
} packing[] = {
    {"gzip", 3, {0x1f, 0x8b, 8}, &unpack_gzip},
    {"zstd", 4, {0x28, 0xb5, 0x2f, 0xfd}, &unpack_archive},
    {"xz", 6, {0xfd, '7', 'z', 'X', 'Z', 0}, &unpack_archive},
    {"lz4", 4, {0x04, 0x22, 0x4d, 0x18}, &unpack_archive},
};

struct input {
	int fd; /* -1: memory */
	bool owned;
	const unsigned char *memory;
	size_t memory_left;
	unsigned char head[MAGIC_MAX]; /* read to see what it is, not yet given out */
	size_t head_at, head_count;
	int kind;		   /* index into packing, -1: plain */
	void *state;		   /* of the unpacker */
	const atomic_bool *cancel; /* NULL: none */
};

static bool is_cancelled(const struct input *in)
{
	return in->cancel && atomic_load_explicit(in->cancel, memory_order_relaxed);
}

/* poll(2), unlike read(2), ends at a signal although the handlers restart calls. 0 or -errno. */
static int wait_readable(const struct input *in)
{
	struct pollfd p = {.fd = in->fd, .events = POLLIN};

	while (!stop_signal()) {
		int n;

		if (is_cancelled(in))
			return -ECANCELED;
		n = poll(&p, 1, in->cancel ? INPUT_CANCEL_MSEC : POLL_MSEC);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
	return -EINTR;
}

static ssize_t read_source(struct input *in, void *buf, size_t n, struct fault *fault)
{
	ssize_t r;
	int err;

	if (in->fd < 0) {
		n = MIN(n, in->memory_left);
		memcpy(buf, in->memory, n);
		in->memory += n;
		in->memory_left -= n;
		return (ssize_t)n;
	}
	do {
		err = wait_readable(in);
		if (err)
			return fault_set(fault, err, "%s",
					 err == -EINTR || err == -ECANCELED ? "interrupted" : strerror(-err));
		r = read(in->fd, buf, n);
	} while (r < 0 && (errno == EINTR || errno == EAGAIN));
	if (r >= 0)
		return r;
	return errno == EISDIR ? fault_set(fault, -EISDIR, "is a directory")
			       : fault_set(fault, -errno, "cannot be read: %s", strerror(errno));
}

static ssize_t read_plain(void *ctx, void *buf, size_t n, struct fault *fault)
{
	struct input *in = ctx;
	size_t left = in->head_count - in->head_at;

	if (likely(!left))
		return read_source(in, buf, n, fault);
	n = MIN(n, left);
	memcpy(buf, in->head + in->head_at, n);
	in->head_at += n;
	return (ssize_t)n;
}

/* The packing that the head begins with; *more when further bytes could still make it one. */
static int packing_of_head(const struct input *in, bool *more)
{
	*more = false;
	for (size_t i = 0; i < ARRAY_SIZE(packing); i++) {
		size_t n = MIN(in->head_count, packing[i].length);

		if (memcmp(in->head, packing[i].magic, n) != 0)
			continue;
		if (n == packing[i].length)
			return (int)i;
		*more = true;
	}
	return -1;
}

/* Read no more than tells what it is: who types a trace does not wait for a second line. */
static int look_at_head(struct input *in, struct fault *fault)
{
	bool more;

	for (;;) {
		ssize_t r;

		in->kind = packing_of_head(in, &more);
		if (!more || in->kind >= 0)
			return 0;
		r = read_source(in, in->head + in->head_count, sizeof(in->head) - in->head_count, fault);
		if (r <= 0)
			return (int)r;
		in->head_count += (size_t)r;
	}
}

static int start(struct input **out, struct input *made, struct fault *fault)
{
	_cleanup_(input_freep) struct input *in = made;
	int r = look_at_head(in, fault);

	if (r)
		return r;
	if (in->kind >= 0) {
		struct packed from = {.read = read_plain, .ctx = in};

		r = packing[in->kind].unpacker->open(&in->state, &from, fault);
		if (r)
			return r;
	}
	*out = TAKE_PTR(in);
	return 0;
}

static struct input *input_new(int fd, const atomic_bool *cancel)
{
	struct input *in = calloc(1, sizeof(*in));

	if (in) {
		in->fd = fd;
		in->kind = -1;
		in->cancel = cancel;
	}
	return in;
}

int input_of_fd(struct input **out, int fd, struct fault *fault)
{
	return input_of_fd_until(out, fd, NULL, fault);
}

int input_of_fd_until(struct input **out, int fd, const atomic_bool *cancel, struct fault *fault)
{
	struct input *in = input_new(fd, cancel);

	return in ? start(out, in, fault) : fault_set(fault, -ENOMEM, "out of memory");
}

int input_of_memory(struct input **out, const void *data, size_t n, struct fault *fault)
{
	struct input *in = input_new(-1, NULL);

	if (!in)
		return fault_set(fault, -ENOMEM, "out of memory");
	in->memory = data;
	in->memory_left = n;
	return start(out, in, fault);
}

int input_open(struct input **out, const char *path, struct fault *fault)
{
	return input_open_until(out, path, NULL, fault);
}

int input_open_until(struct input **out, const char *path, const atomic_bool *cancel, struct fault *fault)
{
	_cleanup_close_ int fd = -1;
	struct input *in;
	struct stat st;

	if (strcmp(path, "-") == 0)
		return input_of_fd_until(out, STDIN_FILENO, cancel, fault);
	/* The open of a pipe that nobody writes to would wait, and not be ended by a signal; poll(2) is. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st))
		return fault_set(fault, -errno, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fault_set(fault, -EISDIR, "is a directory");
	in = input_new(TAKE_FD(fd), cancel);
	if (!in)
		return fault_set(fault, -ENOMEM, "out of memory");
	in->owned = true;
	return start(out, in, fault);
}

ssize_t input_read(struct input *in, void *buf, size_t n, struct fault *fault)
{
	if (likely(in->kind < 0))
		return read_plain(in, buf, n, fault);
	return packing[in->kind].unpacker->read(in->state, buf, n, fault);
}

const char *input_packing(const struct input *in)
{
	return in->kind < 0 ? NULL : packing[in->kind].name;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	if (in->state)
		packing[in->kind].unpacker->close(in->state);
	if (in->owned)
		close(in->fd);
	free(in);
}

void input_freep(struct input **in)
{
	input_free(*in);
}
