/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "run/files.h"
#include "trace/binary.h"

static bool is_regular(const char *path, struct stat *st)
{
	return (file_is_stdin(path) ? fstat(STDIN_FILENO, st) : stat(path, st)) == 0 && S_ISREG(st->st_mode);
}

/*
 * A short binary trace is mapped, which costs less than to read it. Only files are opened to be looked at: who writes
 * into a pipe would find no reader after that.
 */
static bool is_better_mapped(const struct step *s)
{
	_cleanup_close_ int fd = -1;
	struct binary_header h;
	struct fault f;
	struct stat st;

	if (s->format || file_is_stdin(s->file) || !is_regular(s->file, &st))
		return false;
	fd = file_open_input(s->file, &f);
	return fd >= 0 && pread(fd, &h, sizeof(h), 0) == sizeof(h) && binary_is(&h, sizeof(h)) &&
	       h.count <= STREAM_HEAD;
}

/* Can it be made of parts? */
static bool is_change(const struct step *s)
{
	return s->action->single || s->action->first;
}

static bool can_end(const struct step *s)
{
	const struct play_params *play = &s->params.play;

	if (s->action->saves || s->action->looks)
		return !s->action->saves || !s->params.split_by;
	return s->action->plays && s->params.repeat == 1 && play->loops == 1 && play->after_count == 0 &&
	       play->cache < CACHE_WARM && !play->processes && (play->jobs <= 1 || play->split == SPLIT_ROUND_ROBIN);
}

size_t stream_end(const struct program *p, size_t i)
{
	const struct trace *t = &p->trace;
	unsigned draws = 0;
	size_t end = i;

	if (t->count || t->time || t->file || t->step || t->file_count)
		return 0;
	for (; end < p->step_count && (p->step[end].action->source || (end > i && is_change(&p->step[end]))); end++) {
		draws += p->step[end].action->draws;
		if (p->step[end].action->source && is_better_mapped(&p->step[end]))
			return 0;
	}
	/* More than one that draws would take turns with the random numbers. */
	if (end == i || end == p->step_count || draws > 1 || !can_end(&p->step[end]))
		return 0;
	for (size_t after = end + 1; after < p->step_count; after++)
		if (!p->step[after].action->sleeps)
			return 0;
	return end;
}

bool stream_may_wait(const struct program *p, size_t first, size_t end)
{
	struct stat st;

	for (size_t i = first; i < end; i++)
		if (p->step[i].action->source && !is_regular(p->step[i].file, &st))
			return true;
	return false;
}

bool stream_can_again(const struct program *p, size_t first, size_t end)
{
	struct stat st;

	for (size_t i = first; i < end; i++) {
		const struct step *s = &p->step[i];

		if (s->action->source && (file_is_stdin(s->file) || !is_regular(s->file, &st)))
			return false;
	}
	return true;
}
