/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "base/macro.h"

#define LINES_UNKNOWN 24
#define POLL_MS 200

const char *output_stream(int fd)
{
	return fd == STDERR_FILENO ? "standard error" : "standard output";
}

int output_open(struct output *out, const char *path, int fd, const struct columns *c, bool time, struct fault *fault)
{
	_cleanup_(output_close) struct output o = {.fd = path ? STDOUT_FILENO : fd, .since = UINT64_MAX};
	struct stat st;
	int r = row_init(&o.row, c, time);

	if (r < 0)
		return fault_set(fault, r, "%s", strerror(-r));
	o.name = output_stream(o.fd);
	if (path && strcmp(path, "-") != 0) {
		o.name = path;
		o.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (o.fd < 0)
			return fault_set(fault, -errno, "%s: %s", path, strerror(errno));
		o.owned = true;
	}
	if (fstat(o.fd, &st) < 0)
		return fault_set(fault, -errno, "%s: %s", o.name, strerror(errno));
	o.may_block = !S_ISREG(st.st_mode);
	o.terminal = isatty(o.fd);
	*out = o;
	o = (struct output){.fd = -1};
	return 0;
}

void output_close(struct output *o)
{
	if (o->owned)
		close(o->fd);
	row_fini(&o->row);
	*o = (struct output){.fd = -1};
}

/* Signals do not reach a thread that blocks them, so a write to a full pipe could never be ended by one. */
static int wait_writable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	for (;;) {
		int stop = stop_signal(), r = poll(&p, 1, stop ? 0 : POLL_MS);

		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return -errno;
		if (stop)
			return -EINTR;
	}
}

int output_write(const struct output *o, const char *text, size_t n)
{
	while (n) {
		int r = o->may_block ? wait_writable(o->fd) : 0;
		ssize_t w;

		if (r < 0)
			return r;
		w = write(o->fd, text, n);
		if (w < 0 && errno != EINTR)
			return -errno;
		text += MAX(w, 0);
		n -= (size_t)MAX(w, 0);
	}
	return 0;
}

int output_heading(struct output *o)
{
	o->since = 0;
	o->error = output_write(o, o->row.buf, row_heading(&o->row));
	return o->error;
}

/* The size is asked for each time: a window that changes its size needs no signal handler then. */
static bool heading_is_due(const struct output *o, size_t line_length)
{
	struct winsize w = {0};
	uint64_t lines, each;

	if (o->since == UINT64_MAX)
		return true;
	if (!o->terminal || o->since == 0)
		return false;
	if (ioctl(o->fd, TIOCGWINSZ, &w) < 0 || w.ws_row == 0)
		w.ws_row = LINES_UNKNOWN;
	each = w.ws_col ? (line_length + w.ws_col - 1) / w.ws_col : 1;
	lines = w.ws_row / MAX(each, UINT64_C(1));
	/* the heading, the rows since, this row, and the line of the cursor */
	return o->since + 3 > lines;
}

int output_row(struct output *o, const struct sample *prev, const struct sample *now)
{
	size_t n = row_sample(&o->row, o->start, prev, now);

	if (heading_is_due(o, n - 1)) {
		if (output_heading(o) < 0)
			return o->error;
		n = row_sample(&o->row, o->start, prev, now);
	}
	o->since++;
	o->error = output_write(o, o->row.buf, n);
	return o->error;
}
