/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of one field or several, in its parts; see mon/column.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "mon/column.h"

struct spec {
	const char *text;        /* the whole, borrowed */
	char *bare;              /* without its ? and mode */
	char *name;              /* of a sum, what is in the parentheses; else as bare */
	const char *suffix;      /* ":raw" as written, or "" */
	enum column_mode mode;
	bool optional;
	bool sum;
	bool several;            /* each match is a column */
	const char *alias;       /* set by search_operands() */
};

/* 0, or -EINVAL or -ENOMEM with the text. */
int spec_parse(struct spec *s, const char *text, enum column_mode mode, struct fault *fault);
void spec_fini(struct spec *s);

/*
 * Length of NAME when the text is NAME=FORMULA; else 0. NAME is a letter or "_", then letters, digits, "_", "-" and
 * ".".
 */
size_t spec_formula(const char *text);
