/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files, disks and volumes of a log, by name: each distinct name gets a small number. What a log can make us
 * remember is bounded by NAMES_MAX names and NAMES_BYTES of text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMES_MAX (1u << 20)
#define NAMES_BYTES (64u << 20)

enum name_choice { NAME_UNDECIDED, NAME_WANTED, NAME_UNWANTED };

struct name {
	char *text; /* as shown, terminated */
	uint32_t length;
	uint32_t hash;
	enum name_choice choice;
	bool mark;	   /* for the importer */
	int32_t number;	   /* in the trace, -1: none yet */
	uint64_t requests; /* that came in */
};

struct names {
	struct name *name;
	uint32_t *slot; /* index + 1, 0: free */
	uint32_t count, capacity, slots;
	uint32_t last; /* what was found last: the next is mostly the same */
	size_t bytes;
};

/* Find or add a name. 0 and *id, -ENOMEM, or -E2BIG above the bounds. */
int names_id(struct names *n, const char *text, size_t length, uint32_t *id);
void names_fini(struct names *n);
