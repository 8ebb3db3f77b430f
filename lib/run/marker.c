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
#include "base/utf8.h"

/* Bytes at a time, and how often: together as much as a pipe holds (pipe(7)), so that an endless stream ends too. */
#define CHUNK 512
#define CHUNKS 128

enum { WAKE, SIGNALS, LINES, SOURCES };

struct marker {
	struct sampler *sampler;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;      /* of what follows */
	struct pollfd source[SOURCES];
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

/* Names go into files of several forms, all of which are UTF-8. */
static void mend_characters(struct marker *m)
{
	bool cut = m->used + 1 == sizeof(m->line);

	for (size_t i = 0; i < m->used;) {
		size_t length = utf8_character(m->line + i, m->used - i);

		if (length == 0 && cut && m->used - i < 4) {
			m->used = i;
			return;
		}
		if (length == 0)
			m->line[i] = '?';
		i += MAX(length, (size_t)1);
	}
}

static void end_line(struct marker *m)
{
	mend_characters(m);
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
	char text[CHUNK];
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

static void take_pending(struct marker *m)
{
	for (int i = 0; i < CHUNKS && poll(m->source + SIGNALS, SOURCES - SIGNALS, 0) > 0; i++) {
		if (m->source[SIGNALS].revents)
			take_signals(m);
		if (m->source[LINES].revents)
			take_lines(m);
	}
}

void marker_settle(struct marker *m)
{
	pthread_mutex_lock(&m->lock);
	take_pending(m);
	pthread_mutex_unlock(&m->lock);
}

static void *listen_to_all(void *arg)
{
	struct marker *m = arg;
	struct pollfd source[SOURCES];

	do {
		pthread_mutex_lock(&m->lock);
		memcpy(source, m->source, sizeof(source));
		pthread_mutex_unlock(&m->lock);
		if (poll(source, SOURCES, -1) < 0)
			continue;
		/* which of them are still ready is asked again: the other thread may have been there */
		marker_settle(m);
	} while (!source[WAKE].revents);
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
	pthread_mutex_init(&m->lock, NULL);
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
	pthread_mutex_destroy(&m->lock);
	error = m->error;
	free(m);
	return error;
}

void marker_stopp(struct marker **m)
{
	marker_stop(*m);
}
