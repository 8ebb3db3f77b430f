/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/marker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/macro.h"

enum { WAKE, SIGNALS, LINES, SOURCES };

struct marker {
	struct sampler *sampler;
	struct pollfd source[SOURCES];
	pthread_t thread;
	bool running;
	int error;                 /* of the first mark that failed */
	char line[MARK_TEXT];      /* what has come of a line; its end is cut */
	size_t used;
};

/* name: NULL: the next number. */
static void mark(struct marker *m, const char *name)
{
	int r = sampler_mark(m->sampler, name, name);

	if (r < 0 && m->error == 0)
		m->error = r;
}

static void take_signals(struct marker *m)
{
	struct signalfd_siginfo info;

	while (read(m->source[SIGNALS].fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		mark(m, NULL);
}

static void end_line(struct marker *m)
{
	while (m->used && m->line[m->used - 1] == ' ')
		m->used--;
	m->line[m->used] = '\0';
	m->used = 0;
	mark(m, m->line[0] ? m->line : NULL);
}

static void take_byte(struct marker *m, char c)
{
	if (c == '\n') {
		end_line(m);
		return;
	}
	/* also the end of a line that came from another system */
	if ((unsigned char)c < 0x20 || c == 0x7f)
		c = ' ';
	if (m->used + 1 < sizeof(m->line) && (m->used || c != ' '))
		m->line[m->used++] = c;
}

static void take_lines(struct marker *m)
{
	char text[512];
	ssize_t n = read(m->source[LINES].fd, text, sizeof(text));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		/* a last line without its end */
		if (m->used)
			end_line(m);
		m->source[LINES].fd = -1;
	}
	for (ssize_t i = 0; i < n; i++)
		take_byte(m, text[i]);
}

static void *listen_to_all(void *arg)
{
	struct marker *m = arg;
	bool last = false;

	while (!last) {
		if (poll(m->source, SOURCES, -1) < 0)
			continue;
		last = m->source[WAKE].revents;
		if (m->source[SIGNALS].revents)
			take_signals(m);
		if (m->source[LINES].revents)
			take_lines(m);
	}
	return NULL;
}

int marker_check(int fd, struct fault *fault)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return fault_set(fault, -errno, "descriptor %d is not open", fd);
	if ((flags & O_ACCMODE) == O_WRONLY || flags & O_PATH)
		return fault_set(fault, -EBADF, "descriptor %d cannot be read", fd);
	return 0;
}

static int start(struct marker *m, struct fault *fault)
{
	sigset_t usr1, all, old;
	int err;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &usr1, NULL);
	m->source[WAKE].fd = eventfd(0, EFD_CLOEXEC);
	m->source[SIGNALS].fd = signalfd(-1, &usr1, SFD_CLOEXEC | SFD_NONBLOCK);
	if (m->source[WAKE].fd < 0 || m->source[SIGNALS].fd < 0)
		return fault_set(fault, -errno, "cannot listen for marks: %s", strerror(errno));
	/* Other signals are the caller's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&m->thread, NULL, listen_to_all, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return fault_set(fault, -err, "cannot listen for marks: %s", strerror(err));
	m->running = true;
	return 0;
}

int marker_start(struct marker **out, struct sampler *s, int fd, struct fault *fault)
{
	_cleanup_(marker_stopp) struct marker *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
	m->sampler = s;
	for (size_t i = 0; i < SOURCES; i++)
		m->source[i] = (struct pollfd){.fd = -1, .events = POLLIN};
	m->source[LINES].fd = fd;
	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	err = start(m, fault);
	if (err < 0)
		return err;
	*out = TAKE_PTR(m);
	return 0;
}

int marker_stop(struct marker *m)
{
	const uint64_t one = 1;
	int error;

	if (!m)
		return 0;
	if (m->running && write(m->source[WAKE].fd, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(m->thread, NULL);
	closep(&m->source[WAKE].fd);
	closep(&m->source[SIGNALS].fd);
	error = m->error;
	free(m);
	return error;
}

void marker_stopp(struct marker **m)
{
	marker_stop(*m);
}
