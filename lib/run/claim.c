/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command line writes: each into a file of its own, and none over what it plays on. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/macro.h"
#include "run/files.h"
#include "run/step.h"

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	if (strcmp(a, b) == 0)
		return true;
	if (stat(a, &x) < 0 || stat(b, &y) < 0)
		return false;
	if (S_ISBLK(x.st_mode) && S_ISBLK(y.st_mode))
		return x.st_rdev == y.st_rdev;
	return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* S_IFREG and so on; 0: there is no such file. */
static mode_t kind_of(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 ? st.st_mode & S_IFMT : 0;
}

static bool is_target(const struct step *s, const char *file)
{
	const struct play_params *play = &s->params.play;

	if (!s->action->plays && !s->action->warms && !s->action->replaces)
		return false;
	if (is_same(s->file ? s->file : PROGRAM_TARGET, file))
		return true;
	for (unsigned i = 0; s->action->plays && i < play->map_count; i++)
		if (is_same(play->map[i].target, file))
			return true;
	return false;
}

static int add(struct program *p, const char *file, const char *what, struct fault *fault)
{
	struct claim *more = reallocarray(p->claim, p->claim_count + 1, sizeof(*more));
	const char *copy = program_keep(p, file);

	if (more)
		p->claim = more;
	if (!more || !copy)
		return fault_set(fault, -ENOMEM, "no memory");
	more[p->claim_count++] = (struct claim){.file = copy, .what = what};
	return 0;
}

int program_claim(struct program *p, const char *file, const char *what, struct fault *fault)
{
	mode_t kind = kind_of(file);

	/* pipes and such devices as terminals take all that comes */
	if (file_is_stdout(file) || (kind && kind != S_IFREG && kind != S_IFBLK))
		return 0;
	/* what is not there may be made here, to be played on */
	for (size_t i = 0; i < p->step_count && kind; i++)
		if (is_target(&p->step[i], file))
			return fault_set(fault, -EINVAL,
					 "%s is the target of --%s too, which %s would take the place of", file,
					 p->step[i].row->name, what);
	for (size_t i = 0; i < p->claim_count; i++) {
		/* a trace that is saved anew replaces the one before, and logs and reports follow each other */
		if (strcmp(p->claim[i].what, what) == 0 || !is_same(p->claim[i].file, file))
			continue;
		return fault_set(fault, -EINVAL, "%s and %s cannot both go to %s", p->claim[i].what, what, file);
	}
	return add(p, file, what, fault);
}
