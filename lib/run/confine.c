/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/confine.h"

#include <errno.h>

#include "base/macro.h"
#include "base/smallfile.h"
#include "run/killed.h"

int confine_check(const struct confine *c, struct fault *fault)
{
	_cleanup_free_ char *place = NULL;
	struct cgroup g;
	int r;

	if (c->group.folder)
		return 0;
	if (c->name) {
		r = cgroup_open(&g, "/proc", c->name, fault);
		return r < 0 ? r : cgroup_close(&g, fault);
	}
	return cgroup_place(&place, "/proc", fault);
}

static int make(struct program *p, struct confine *c, struct fault *fault)
{
	_cleanup_free_ char *place = NULL, *folder = NULL;
	int r = cgroup_place(&place, "/proc", fault);

	if (r < 0)
		return r;
	folder = cgroup_name(place, p->tool);
	if (!folder)
		return fault_set(fault, -ENOMEM, "no memory");
	r = program_undo(p, fault);
	if (r == 0)
		r = undo_add(p->undo, UNDO_RMDIR, folder, NULL, fault);
	if (r < 0)
		return r;
	c->undo = r;
	r = cgroup_make(&c->group, folder, c->bytes, fault);
	if (r < 0)
		undo_drop(p->undo, c->undo);
	return r;
}

/* A process that the kernel kills for want of memory cannot say so itself. */
static int have_kill_told(struct program *p, struct confine *c, struct fault *fault)
{
	_cleanup_free_ char *file = cgroup_kill_file(&c->group);
	uint64_t before = file ? smallfile_number(file, "oom_kill") : SMALLFILE_NONE;
	char text[UNDO_TEXT];
	int r;

	if (!file)
		return fault_set(fault, -ENOMEM, "no memory");
	if (before == SMALLFILE_NONE)
		return 0;
	r = program_undo(p, fault);
	if (r < 0)
		return r;
	killed_text(text, p->tool, before);
	r = undo_add(p->undo, UNDO_TELL, file, text, fault);
	if (r < 0)
		return r;
	c->told = r;
	return 0;
}

int confine_open(struct program *p, struct confine *c, struct fault *fault)
{
	int r;

	if (c->group.folder)
		return 0;
	r = c->name ? cgroup_open(&c->group, "/proc", c->name, fault) : make(p, c, fault);
	return r < 0 ? r : have_kill_told(p, c, fault);
}

int confine_close(struct program *p, struct confine *c, struct fault *fault)
{
	bool made = c->group.made;
	int r = c->group.folder ? cgroup_close(&c->group, fault) : 0;

	if (c->told)
		undo_drop(p->undo, c->told);
	c->told = 0;
	if (made && r == 0)
		undo_drop(p->undo, c->undo);
	return r;
}
