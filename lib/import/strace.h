/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two halves of the strace importer share: strace.c follows lines and processes, strace_calls.c calls. */
#pragma once

#include "import/importer.h"
#include "import/strace_fds.h"
#include "import/strace_line.h"

struct file_size {
	bool known;
	uint64_t bytes;
};

struct joined {
	char *s;
	size_t capacity;
};

struct strace {
	struct processes all;
	struct file_size *size; /* by id of the file */
	uint32_t sizes;
	struct joined call; /* the two halves of a call */
	struct joined line; /* the two halves of a line */
	size_t interrupted; /* bytes in line that begin the next line; 0: none */
	int64_t clock;	    /* ns, of the last line */
	int64_t day;	    /* ns, what midnights have added to the time of day */
	bool summary;	    /* in the table of strace -C */
};

/* A call that has ended, of process p, begun at time. As importer.line(). */
int strace_call(struct import *imp, struct process *p, int64_t time, struct word name, struct word args);

/* End the import for want of memory, or of the room that logs are given. Returns err. */
int strace_failed(struct import *imp, int err);

/* Is it a call that makes a process? */
bool strace_forks(struct word name);
