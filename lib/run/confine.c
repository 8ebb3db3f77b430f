/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/confine.h"

#include <errno.h>

#include "base/macro.h"

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

int confine_open(struct program *p, struct confine *c, struct fault *fault)
{
	if (c->group.folder)
		return 0;
	return c->name ? cgroup_open(&c->group, "/proc", c->name, fault) : make(p, c, fault);
}

int confine_close(struct program *p, struct confine *c, struct fault *fault)
{
	bool made = c->group.made;
	int r = c->group.folder ? cgroup_close(&c->group, fault) : 0;

	if (made && r == 0)
		undo_drop(p->undo, c->undo);
	return r;
}
