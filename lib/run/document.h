/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading JSON (RFC 8259): one value after the other of a text in memory, each as an array of nodes in the order of the
 * text, a node before its children. The nodes point into the text, which is borrowed; the array is used again for the
 * next value.
 *
 * Not checked: that strings are UTF-8, and that no name is there twice (the first counts). Values nest to
 * DOCUMENT_DEPTH. A struct document belongs to one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define DOCUMENT_DEPTH 64

enum document_type {
	DOCUMENT_NULL,
	DOCUMENT_FALSE,
	DOCUMENT_TRUE,
	DOCUMENT_NUMBER,
	DOCUMENT_STRING,
	DOCUMENT_ARRAY,
	DOCUMENT_OBJECT
};

struct document_node {
	enum document_type type;
	const char *name;        /* of a member: as it stands between the quotes; NULL: none */
	size_t name_length;
	const char *text;        /* the value; of a string what stands between the quotes */
	size_t length;
	double number;           /* finite; of a number */
	size_t end;              /* index behind the last node below this one */
	uint64_t line;
};

/* All zero is empty. */
struct document {
	struct document_node *node; /* the first is the value itself */
	size_t count, capacity;
};

void document_fini(struct document *d);

/*
 * The next value of n bytes at *at, which moves behind it; *line counts the lines, and is 1 at first. 1; 0 when nothing
 * but blanks is left; -EINVAL with the line and the text; -ENOMEM.
 */
int document_next(struct document *d, const char *text, size_t n, size_t *at, uint64_t *line, struct fault *fault);

/*
 * The children of a node: index *at, 0 at first, moves on. NULL at the end, and for what has no children. The node is
 * one of d.
 */
const struct document_node *document_child(const struct document *d, const struct document_node *parent, size_t *at);

/* The member of that name, which needs no escapes, or NULL; also when the object is NULL or is none. */
const struct document_node *document_member(const struct document *d, const struct document_node *object,
					    const char *name);

/* The member when it has that type, else NULL. */
const struct document_node *document_typed(const struct document *d, const struct document_node *object,
					   const char *name, enum document_type type);

/*
 * What a text between quotes means: its escapes undone, cut at a NUL character, half a surrogate pair as U+FFFD. Caller
 * frees; NULL: no memory.
 */
char *document_text(const char *text, size_t n);
