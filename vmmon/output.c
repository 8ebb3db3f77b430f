/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"

#define LINES_UNKNOWN 24
#define POLL_MS 200

const char *output_stream(int fd)
{
	return fd == STDERR_FILENO ? "standard error" : "standard output";
}

static int tell(const char *path, int err, struct fault *fault)
{
	return fault_set(fault, err, "%s: %s", path, strerror(-err));
}

/* Rows under titles that are not theirs would be found out much later. */
static int check_heading(struct record *r, const char *path, int fd, struct fault *fault)
{
	char buf[4096];
	size_t done = 0;

	record_head(r, 0);
	if (r->error < 0)
		return tell(path, r->error, fault);
	while (done < r->length) {
		ssize_t n = pread(fd, buf, MIN(sizeof(buf), r->length - done), (off_t)done);

		if (n < 0)
			return tell(path, -errno, fault);
		if (n == 0 || memcmp(buf, r->text + done, (size_t)n) != 0)
			return fault_set(fault, -EINVAL, "%s: its first line is not '%.*s', so it has other columns; "
					 "choose another file, or write without --append", path, (int)r->length - 1, r->text);
		done += (size_t)n;
	}
	return 0;
}

/* Text may follow whatever people wrote, but not what programs read. */
static int check_form(enum record_form form, const char *path, int fd, struct fault *fault)
{
	char begin[6] = "";

	if (pread(fd, begin, sizeof(begin) - 1, 0) < 0)
		return tell(path, -errno, fault);
	if (form == RECORD_JSON ? begin[0] == '{' : begin[0] != '{' && strcmp(begin, "time,") != 0)
		return 0;
	return fault_set(fault, -EINVAL, "%s: what it has is %s; choose another file, or write without --append", path,
			 form == RECORD_JSON ? "no JSON" : "no text of vmmon");
}

/* A file with something in it goes on in its form, and on a new line. An empty one is like a new one. */
static int go_on(struct output *o, struct record *r, off_t size, struct fault *fault)
{
	_cleanup_close_ int fd = open(o->name, O_RDONLY | O_CLOEXEC);
	char last = '\n';
	int err;

	if (fd < 0)
		return tell(o->name, -errno, fault);
	err = r->form == RECORD_CSV ? check_heading(r, o->name, fd, fault) : check_form(r->form, o->name, fd, fault);
	if (err < 0)
		return err;
	/* of CSV there is one heading */
	o->since = r->form == RECORD_CSV ? 0 : UINT64_MAX;
	if (pread(fd, &last, 1, size - 1) < 0)
		return tell(o->name, -errno, fault);
	err = last == '\n' ? 0 : output_write(o, "\n", 1);
	return err < 0 ? tell(o->name, err, fault) : 0;
}

int output_open(struct output *out, const struct output_place *place, struct record *r, struct fault *fault)
{
	_cleanup_(output_close) struct output o = {
		.fd = place->path ? STDOUT_FILENO : place->fd, .since = UINT64_MAX, .record.out.fd = -1};
	struct stat st;
	int err;

	o.name = output_stream(o.fd);
	if (place->path && strcmp(place->path, "-") != 0) {
		o.name = place->path;
		o.fd = open(place->path, O_WRONLY | O_CREAT | O_CLOEXEC | (place->append ? O_APPEND : O_TRUNC), 0666);
		if (o.fd < 0)
			return tell(o.name, -errno, fault);
		o.owned = true;
	}
	if (fstat(o.fd, &st) < 0)
		return tell(o.name, -errno, fault);
	err = place->append && S_ISREG(st.st_mode) && st.st_size > 0 ? go_on(&o, r, st.st_size, fault) : 0;
	if (err < 0)
		return err;
	o.may_block = !S_ISREG(st.st_mode);
	o.terminal = isatty(o.fd);
	o.record = *r;
	*r = (struct record){.out.fd = -1};
	*out = o;
	o = (struct output){.fd = -1, .record.out.fd = -1};
	return 0;
}

void output_close(struct output *o)
{
	if (o->owned)
		close(o->fd);
	record_fini(&o->record);
	*o = (struct output){.fd = -1, .record.out.fd = -1};
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

static int write_record(struct output *o)
{
	o->error = o->record.error ? o->record.error : output_write(o, o->record.text, o->record.length);
	return o->error;
}

static int write_heading(struct output *o)
{
	o->since = 0;
	record_head(&o->record, o->start ? o->start : clock_now());
	return write_record(o);
}

int output_begin(struct output *o)
{
	return o->since == UINT64_MAX ? write_heading(o) : 0;
}

/* The size is asked for each time: a window that changes its size needs no signal handler then. */
static bool heading_is_due(const struct output *o, size_t line_length)
{
	struct winsize w = {0};
	uint64_t lines, each;

	if (!o->terminal || o->since == 0 || o->record.form != RECORD_TEXT)
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
	/* the first row follows the first reading */
	if (!o->start)
		o->start = prev->when;
	if (output_begin(o) < 0)
		return o->error;
	if (o->chart)
		chart_add(o->chart, o->start, prev, now);
	record_row(&o->record, o->start, prev, now);
	if (heading_is_due(o, o->record.length - 1)) {
		if (write_heading(o) < 0)
			return o->error;
		record_row(&o->record, o->start, prev, now);
	}
	o->since++;
	return write_record(o);
}

int output_end(struct output *o, const struct mark *first, bool repeats, const struct sampler_stats *stats)
{
	if (o->record.form == RECORD_TEXT || o->error < 0)
		return o->error;
	if (!o->start && first)
		o->start = first->sample.when;
	if (output_begin(o) < 0)
		return o->error;
	record_end(&o->record, o->start, first, repeats, stats);
	return write_record(o);
}
