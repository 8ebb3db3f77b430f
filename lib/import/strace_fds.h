/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has which file open where: processes, their tables of descriptors, and the open descriptions that tables share,
 * as Linux keeps them. A position belongs to the description, so that dup and fork share it. Private to lib/import.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct description {
	uint32_t refs;
	uint32_t file; /* id of the name; only of a file */
	bool is_file;
	bool position_known;
	bool append;
	uint64_t position;
};

struct slot {
	struct description *open; /* NULL: free */
	bool close_on_exec;
};

/* Descriptors are mostly small, but may be large: pages of slots, of which those in use are there. */
#define FDS_PAGE 64

struct table {
	uint32_t refs;
	uint32_t pages;
	struct slot **page;
};

struct process {
	struct process *next; /* of its hash chain */
	uint32_t pid;
	struct table *fds;
	/* the call that has begun and not ended */
	char *pending; /* its arguments so far, NULL: none */
	size_t pending_length;
	int64_t pending_time;
	bool forking;		/* it is a fork whose child is not known */
	uint64_t forking_since; /* number of the line */
	bool seen;		/* the log has a line of it; else it is known as the result of a fork alone */
};

#define PROCESS_CHAINS 1024
#define FDS_PAGES_MAX (1u << 16) /* over all tables, as are the bytes of their indexes */
#define FDS_INDEX_MAX (64u << 20)
#define PROCESSES_MAX (1u << 18)
#define PENDING_MAX (64u << 20) /* bytes over all processes */

struct processes {
	struct process *chain[PROCESS_CHAINS];
	uint32_t count;
	uint32_t seen, forking; /* how many are */
	size_t pages, index; /* of all tables; index in bytes */
	size_t pending;
};

/* All may return -ENOMEM, and -E2BIG above the bounds. */

/* The process of a pid; NULL when it is not known. */
struct process *process_find(struct processes *all, uint32_t pid);

/* A new process without descriptors, or with those of parent: shared, or copied. */
int process_add(struct processes *all, uint32_t pid, struct process *parent, bool share, struct process **out);

/* Its pid becomes known: it had been 0, and no other has the new one. */
void process_rename(struct processes *all, struct process *p, uint32_t pid);

/* There is a line of it. */
void process_seen(struct processes *all, struct process *p);

/* The only process that was seen and has not ended; NULL when there is none, or are several. */
struct process *process_only(const struct processes *all);

/* It has ended. */
void process_remove(struct processes *all, struct process *p);

/* execve: the table is its own from now on, and what is to be closed is closed. */
int process_exec(struct processes *all, struct process *p);

/* Keep the arguments of a call that goes on later (an older one is forgotten), or forget them (NULL). */
int process_keep(struct processes *all, struct process *p, const char *args, size_t n);

/* The call it keeps is a fork, begun in this line; its child has been found. */
void process_forks(struct processes *all, struct process *p, uint64_t line);
void process_forked(struct processes *all, struct process *p);

void processes_fini(struct processes *all);

/* The description behind a descriptor, NULL when none is known. */
struct description *fd_get(const struct process *p, int64_t fd);

/* A descriptor gets a description: a new one (open NULL, *out it), or one more name for one that is there. */
int fd_put(struct processes *all, struct process *p, int64_t fd, struct description *open, bool close_on_exec,
	   struct description **out);

void fd_close(struct process *p, int64_t fd);
void fd_close_range(struct process *p, int64_t first, int64_t last);
void fd_close_on_exec(struct process *p, int64_t fd, bool on);
void fd_close_range_on_exec(struct process *p, int64_t first, int64_t last);
