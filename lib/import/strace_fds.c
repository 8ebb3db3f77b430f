/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/strace_fds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

#define FD_MAX (1 << 20)

static void description_unref(struct description *d)
{
	if (d && --d->refs == 0)
		free(d);
}

static void table_unref(struct processes *all, struct table *t)
{
	if (!t || --t->refs > 0)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		description_unref(t->slot[i].open);
	all->slots -= t->count;
	free(t->slot);
	free(t);
}

static int table_grow(struct processes *all, struct table *t, uint32_t count)
{
	struct slot *bigger;

	if (count <= t->count)
		return 0;
	count = MAX(count, MIN(t->count * 2, 1024u));
	if (count - t->count > FDS_SLOTS_MAX - all->slots)
		return -E2BIG;
	bigger = reallocarray(t->slot, count, sizeof(*t->slot));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + t->count, 0, (count - t->count) * sizeof(*bigger));
	all->slots += count - t->count;
	t->slot = bigger;
	t->count = count;
	return 0;
}

static int table_new(struct processes *all, const struct table *from, struct table **out)
{
	struct table *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	t->refs = 1;
	r = from ? table_grow(all, t, from->count) : 0;
	if (r) {
		table_unref(all, t);
		return r;
	}
	for (uint32_t i = 0; from && i < from->count; i++) {
		t->slot[i] = from->slot[i];
		if (t->slot[i].open)
			t->slot[i].open->refs++;
	}
	*out = t;
	return 0;
}

static struct process **chain_of(struct processes *all, uint32_t pid)
{
	return &all->chain[pid % PROCESS_CHAINS];
}

struct process *process_find(struct processes *all, uint32_t pid)
{
	struct process *p = *chain_of(all, pid);

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

int process_add(struct processes *all, uint32_t pid, struct process *parent, bool share, struct process **out)
{
	struct process *p, **chain = chain_of(all, pid);
	int r = 0;

	if (all->count == PROCESSES_MAX)
		return -E2BIG;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->pid = pid;
	if (parent && share) {
		p->fds = parent->fds;
		p->fds->refs++;
	} else {
		r = table_new(all, parent ? parent->fds : NULL, &p->fds);
	}
	if (r) {
		free(p);
		return r;
	}
	p->next = *chain;
	*chain = p;
	all->count++;
	*out = p;
	return 0;
}

static void unlink_process(struct processes *all, struct process *p)
{
	struct process **at = chain_of(all, p->pid);

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
}

void process_rename(struct processes *all, struct process *p, uint32_t pid)
{
	unlink_process(all, p);
	p->pid = pid;
	p->next = *chain_of(all, pid);
	*chain_of(all, pid) = p;
}

struct process *process_only(struct processes *all)
{
	if (all->count != 1)
		return NULL;
	for (size_t i = 0; i < PROCESS_CHAINS; i++)
		if (all->chain[i])
			return all->chain[i];
	return NULL;
}

void process_forks(struct processes *all, struct process *p, uint64_t line)
{
	p->forking = true;
	p->forking_since = line;
	all->forking++;
}

void process_forked(struct processes *all, struct process *p)
{
	all->forking -= p->forking;
	p->forking = false;
}

int process_keep(struct processes *all, struct process *p, const char *args, size_t n)
{
	free(p->pending);
	all->pending -= p->pending_length;
	p->pending = NULL;
	p->pending_length = 0;
	process_forked(all, p);
	if (!args)
		return 0;
	if (n > PENDING_MAX - all->pending)
		return -E2BIG;
	p->pending = malloc(n + 1);
	if (!p->pending)
		return -ENOMEM;
	memcpy(p->pending, args, n);
	p->pending_length = n;
	all->pending += n;
	return 0;
}

void process_remove(struct processes *all, struct process *p)
{
	unlink_process(all, p);
	all->count--;
	process_keep(all, p, NULL, 0);
	table_unref(all, p->fds);
	free(p);
}

int process_exec(struct processes *all, struct process *p)
{
	if (p->fds->refs > 1) {
		struct table *own;
		int r = table_new(all, p->fds, &own);

		if (r)
			return r;
		table_unref(all, p->fds);
		p->fds = own;
	}
	for (uint32_t i = 0; i < p->fds->count; i++)
		if (p->fds->slot[i].close_on_exec)
			fd_close(p, i);
	return 0;
}

void processes_fini(struct processes *all)
{
	for (size_t i = 0; i < PROCESS_CHAINS; i++)
		while (all->chain[i])
			process_remove(all, all->chain[i]);
}

struct description *fd_get(const struct process *p, int64_t fd)
{
	return fd >= 0 && fd < p->fds->count ? p->fds->slot[fd].open : NULL;
}

int fd_put(struct processes *all, struct process *p, int64_t fd, struct description *open, bool close_on_exec,
	   struct description **out)
{
	int r;

	if (fd < 0 || fd >= FD_MAX)
		return -E2BIG;
	r = table_grow(all, p->fds, (uint32_t)fd + 1);
	if (r)
		return r;
	if (!open) {
		open = calloc(1, sizeof(*open));
		if (!open)
			return -ENOMEM;
	}
	open->refs++;
	fd_close(p, fd);
	p->fds->slot[fd] = (struct slot){.open = open, .close_on_exec = close_on_exec};
	*out = open;
	return 0;
}

void fd_close(struct process *p, int64_t fd)
{
	if (fd < 0 || fd >= p->fds->count)
		return;
	description_unref(p->fds->slot[fd].open);
	p->fds->slot[fd] = (struct slot){0};
}

void fd_close_range(struct process *p, int64_t first, int64_t last)
{
	for (int64_t fd = MAX(first, 0); fd <= last && fd < p->fds->count; fd++)
		fd_close(p, fd);
}

void fd_close_on_exec(struct process *p, int64_t fd, bool on)
{
	if (fd_get(p, fd))
		p->fds->slot[fd].close_on_exec = on;
}
