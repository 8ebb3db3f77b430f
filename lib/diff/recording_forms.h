/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recording.c and the readers of the forms share. */
#pragma once

#include "diff/recording.h"
#include "diff/rowset.h"

/* n bytes of text, whatever they are, at least one; a line in each fault. As recording_parse(). */
struct recording_form {
	/* Can it be this form? The first line that is not empty is given. */
	bool (*is)(const char *line, size_t n);
	int (*parse)(struct recording *r, const char *text, size_t n, struct fault *fault);
};

extern const struct recording_form recording_text, recording_csv, recording_dumps, recording_document;

/* Larger values are refused: their squares have to be doubles. */
#define RECORDING_VALUE_MAX 1e30

/* The lines of a text. */
struct lines {
	const char *text;
	size_t n, at;
	uint64_t number;  /* of the line given out last */
};

/* The next line, without its end; false behind the last. */
bool lines_next(struct lines *l, const char **line, size_t *length);

/*
 * The figure with that name, made if need be; its value of this run is added, and its events, if they are not negative.
 * *out is NULL when it has a value of this run already: the same figure in two columns. 0, -ENOMEM, -E2BIG
 * or -ERANGE.
 */
int recording_add(struct recording *r, const char *phase, const char *name, enum figure_kind kind, const char *unit,
		  double value, double events, struct figure **out);

/* One that says something else than another file of this side becomes "(several)". 0 or -ENOMEM. */
int recording_tell(struct recording *r, const char *name, const char *text, size_t n);

/*
 * What is read now is of that form, a constant. Rows of any form go together; -EINVAL with the text when rows and
 * reports meet.
 */
int recording_is_of(struct recording *r, const char *form, struct fault *fault);

/* n bytes as a terminated text; NULL: no memory. The bytes need no terminator, which strndup(3) may look for. */
char *recording_copy(const char *s, size_t n);

/* The text of -ENOMEM, -E2BIG and -ERANGE, with a line if it is not 0. Returns err; another is returned as it is. */
int recording_fault(struct fault *fault, int err, uint64_t line);

/*
 * A time, in seconds: a number (from 10^10 on of nanoseconds), or a date and time as ISO 8601 writes them (with T or a
 * blank, and Z or an offset). False: it is none.
 */
bool recording_time(const char *s, size_t n, double *seconds);

/* A number as units_real() has it, of less than 10^30. */
bool recording_number(const char *s, size_t n, double *value);

/* A cell without a value: empty, "-", "null" or "nan". */
bool recording_is_missing(const char *s, size_t n);
