/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a block layer event does, however it is written down. Private to lib/import. */
#pragma once

#include "import/importer.h"

struct rwbs {
	bool flush; /* a flush in front */
	bool data;  /* op says what moves; else nothing does */
	bool zone;  /* a command to a zone */
	enum op op;
};

#define RWBS_EVENTS "QDC"

/* Which event of a request is the request. */
struct rwbs_choice {
	char event;				  /* a letter of RWBS_EVENTS */
	uint64_t others[sizeof(RWBS_EVENTS) - 1]; /* how many there were of those that were not chosen */
	bool met;				  /* one that was */
};

/* The event of --event must be one of RWBS_EVENTS (NULL: Q). 0 or -EINVAL with the text. */
int rwbs_choose(struct rwbs_choice *choice, const char *event, struct fault *fault);

/* Is an event of this letter the chosen one? */
bool rwbs_chosen(struct rwbs_choice *choice, char event);

/* At the end: when there was none of the chosen events, remark which others there were. */
void rwbs_remark(const struct rwbs_choice *choice, struct import *imp);

/*
 * The letters blkparse prints, in the kernel's order: F (flush) first, then one of R W WZ N F D DE Z*, then any
 * of F (fua) A S M U and the B (barrier) of kernels before 2.6.37. false: other letters.
 */
bool rwbs_parse(const char *s, size_t n, struct rwbs *out);

/* A sync for the flush, then the data; they are none, and offset means nothing, if length is 0. As import_emit(). */
int rwbs_emit(struct import *imp, struct rwbs what, uint64_t offset, uint64_t length, int64_t time, uint32_t id);
