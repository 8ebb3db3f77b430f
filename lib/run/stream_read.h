/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream between the thread that reads and who waits for it: for stream.c and stream_read.c alone. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "import/import.h"
#include "run/more.h"
#include "run/step.h"

struct stream {
	struct program *p;
	size_t first, end;          /* steps that the thread runs */
	struct import **import;     /* of each of them, where it is one: kept to be asked */
	uint64_t *left;             /* of each of them that keeps the first requests: how many more */
	uint64_t *seen;             /* of each of them: requests that it has had */
	bool rehearsal;             /* what is read is looked at, and goes nowhere */
	uint64_t rehearsed;         /* requests that there are, as the rehearsal found; 0: not known */
	struct program shadow;      /* the program as the thread sees it: its trace is the part just read */
	struct more more;
	const struct step *wrong;   /* about which a rehearsal ended with an error; NULL: none */
	pthread_t thread;
	bool joined;
	atomic_bool cancel;
	pthread_mutex_t lock;       /* over what follows */
	bool going;                 /* p->trace is complete as far as it goes, the rest is to be streamed */
	bool full;                  /* it is as long as it may get */
	bool ended;                 /* the thread will do no more */
	int64_t began;              /* when the first request came; 0: none yet */
	uint64_t count;             /* requests let through */
	bool cut;                   /* not all of the inputs was wanted */
	int err;                    /* that ended it, about step at, with fault */
	size_t at;
	struct fault fault;
};

/*
 * The thread: reads all sources, gives what they bring to the trace or to the ring, and then ends both. Returns NULL.
 */
void *stream_read(void *stream);
