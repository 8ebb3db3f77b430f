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

/* The event of --event must be one of Q D C (NULL: Q). 0 or -EINVAL with the text. */
int rwbs_check_event(const char *event, struct fault *fault);

/*
 * The letters blkparse prints, in the kernel's order: F (flush) first, then one of R W WZ N F D DE Z*, then any
 * of F (fua) A S M U and the B (barrier) of kernels before 2.6.37. false: other letters.
 */
bool rwbs_parse(const char *s, size_t n, struct rwbs *out);

/* A sync for the flush, then the data if length is not 0. As import_emit(). */
int rwbs_emit(struct import *imp, struct rwbs what, uint64_t offset, uint64_t length, int64_t time, uint32_t id);
