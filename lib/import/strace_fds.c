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

static void page_free(struct processes *all, struct slot *page)
{
	for (uint32_t i = 0; page && i < FDS_PAGE; i++)
		description_unref(page[i].open);
	all->pages -= page != NULL;
	free(page);
}

static void table_unref(struct processes *all, struct table *t)
{
	if (!t || --t->refs > 0)
		return;
	for (uint32_t i = 0; i < t->pages; i++)
		page_free(all, t->page[i]);
	all->index -= t->pages * sizeof(*t->page);
	free(t->page);
	free(t);
}

static int index_grow(struct processes *all, struct table *t, uint32_t pages)
{
	size_t more = (pages - t->pages) * sizeof(*t->page);
	struct slot **bigger;

	if (more > FDS_INDEX_MAX - all->index)
		return -E2BIG;
	bigger = reallocarray(t->page, pages, sizeof(*t->page));
	if (!bigger)
		return -ENOMEM;
	memset(bigger + t->pages, 0, more);
	all->index += more;
	t->page = bigger;
	t->pages = pages;
	return 0;
}

/* Have a page of a table. */
static int page_make(struct processes *all, struct table *t, uint32_t number)
{
	int r = number < t->pages ? 0 : index_grow(all, t, number + 1);

	if (r || t->page[number])
		return r;
	if (all->pages == FDS_PAGES_MAX)
		return -E2BIG;
	t->page[number] = calloc(FDS_PAGE, sizeof(**t->page));
	if (!t->page[number])
		return -ENOMEM;
	all->pages++;
	return 0;
}

static int page_copy(struct processes *all, struct table *t, uint32_t number, const struct slot *from)
{
	int r = page_make(all, t, number);

	for (uint32_t i = 0; !r && i < FDS_PAGE; i++) {
		t->page[number][i] = from[i];
		if (from[i].open)
			from[i].open->refs++;
	}
	return r;
}

static int table_new(struct processes *all, const struct table *from, struct table **out)
{
	struct table *t = calloc(1, sizeof(*t));
	int r = 0;

	if (!t)
		return -ENOMEM;
	t->refs = 1;
	for (uint32_t i = 0; from && !r && i < from->pages; i++)
		if (from->page[i])
			r = page_copy(all, t, i, from->page[i]);
	if (r)
		table_unref(all, t);
	else
		*out = t;
	return r;
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

void process_seen(struct processes *all, struct process *p)
{
	all->seen += !p->seen;
	p->seen = true;
}

struct process *process_only(const struct processes *all)
{
	if (all->seen != 1)
		return NULL;
	for (size_t i = 0; i < PROCESS_CHAINS; i++)
		for (struct process *p = all->chain[i]; p; p = p->next)
			if (p->seen)
				return p;
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
	all->seen -= p->seen;
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
	for (uint32_t i = 0; i < p->fds->pages; i++)
		for (uint32_t j = 0; p->fds->page[i] && j < FDS_PAGE; j++)
			if (p->fds->page[i][j].close_on_exec)
				fd_close(p, (int64_t)i * FDS_PAGE + j);
	return 0;
}

void processes_fini(struct processes *all)
{
	for (size_t i = 0; i < PROCESS_CHAINS; i++)
		while (all->chain[i])
			process_remove(all, all->chain[i]);
}

/* The place of a descriptor, NULL when its page is not there. */
static struct slot *slot_of(const struct process *p, int64_t fd)
{
	const struct table *t = p->fds;

	if (fd < 0 || fd >= (int64_t)t->pages * FDS_PAGE || !t->page[fd / FDS_PAGE])
		return NULL;
	return &t->page[fd / FDS_PAGE][fd % FDS_PAGE];
}

struct description *fd_get(const struct process *p, int64_t fd)
{
	const struct slot *slot = slot_of(p, fd);

	return slot ? slot->open : NULL;
}

int fd_put(struct processes *all, struct process *p, int64_t fd, struct description *open, bool close_on_exec,
	   struct description **out)
{
	int r;

	if (fd < 0 || fd >= FD_MAX)
		return -E2BIG;
	r = page_make(all, p->fds, (uint32_t)(fd / FDS_PAGE));
	if (r)
		return r;
	if (!open) {
		open = calloc(1, sizeof(*open));
		if (!open)
			return -ENOMEM;
	}
	open->refs++;
	fd_close(p, fd);
	p->fds->page[fd / FDS_PAGE][fd % FDS_PAGE] = (struct slot){.open = open, .close_on_exec = close_on_exec};
	*out = open;
	return 0;
}

void fd_close(struct process *p, int64_t fd)
{
	struct slot *slot = slot_of(p, fd);

	if (!slot)
		return;
	description_unref(slot->open);
	*slot = (struct slot){0};
}

void fd_close_on_exec(struct process *p, int64_t fd, bool on)
{
	struct slot *slot = slot_of(p, fd);

	if (slot && slot->open)
		slot->close_on_exec = on;
}

static int64_t last_of(const struct process *p, int64_t last)
{
	return MIN(last, (int64_t)p->fds->pages * FDS_PAGE - 1);
}

void fd_close_range(struct process *p, int64_t first, int64_t last)
{
	for (int64_t fd = MAX(first, 0); fd <= last_of(p, last); fd++)
		fd_close(p, fd);
}

void fd_close_range_on_exec(struct process *p, int64_t first, int64_t last)
{
	for (int64_t fd = MAX(first, 0); fd <= last_of(p, last); fd++)
		fd_close_on_exec(p, fd, true);
}
