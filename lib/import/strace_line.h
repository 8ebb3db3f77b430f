/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of strace (checked with 6.1): what stands in front of a call, the call, its arguments and result.
 * Nothing here knows what a call means. Private to lib/import.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "import/scan.h"

/* What is in front: [pid N] or N, a time in one of the styles of -t -tt -ttt -r, the addresses of -i and -n. */
struct strace_front {
	uint32_t pid; /* 0: none */
	enum { STAMP_NONE, STAMP_ABSOLUTE, STAMP_OF_DAY, STAMP_RELATIVE } stamp;
	struct word time; /* "SECONDS[.FRACTION]" or "HH:MM:SS[.FRACTION]" */
};

/* Move *s behind the front. */
void strace_front(const char **s, const char *end, struct strace_front *out);

enum strace_kind {
	STRACE_CALL,	   /* name and args (up to the end of the line) */
	STRACE_UNFINISHED, /* likewise, without the mark at the end */
	STRACE_RESUMED,	   /* name; args is what goes on with it */
	STRACE_EXIT,	   /* +++ exited or killed +++ */
	STRACE_NOISE,	   /* signals, stack traces, words of strace itself */
	STRACE_ODD,	   /* nothing strace prints */
};

/* What is behind the front. */
enum strace_kind strace_body(const char *s, const char *end, struct word *name, struct word *args);

#define STRACE_ARGS 8

/* A call with its arguments apart. */
struct strace_call {
	int count; /* arguments; only the first STRACE_ARGS are kept */
	struct word arg[STRACE_ARGS];
	bool failed;	   /* -1, or '?' */
	struct word error; /* "EBADF" */
	bool number;	   /* result is a decimal number */
	uint64_t result;
	struct word decoration; /* of the result, see strace_fd() */
};

/* Take "ARG, ARG) = RESULT ..." apart. false when it has not this form. */
bool strace_split(struct word text, struct strace_call *out);

/*
 * A descriptor, "3" or "3</path>" or "AT_FDCWD</path>": its number (-1 for AT_FDCWD) and what stands between the
 * brackets (n == 0: nothing does). false when it is none.
 */
bool strace_fd(struct word arg, int64_t *fd, struct word *decoration);

/* Decimal digits with a sign or none, all of arg. */
bool strace_number(struct word arg, int64_t *value);

/*
 * The bytes of a quoted string, or of a path of a decoration (quoted: false), with its escapes undone, but for bytes
 * that no name in a trace may hold, which stay escaped. Returns the length; cap must be at least 8. What does not fit
 * is cut.
 */
size_t strace_unescape(struct word text, bool quoted, char *buf, size_t cap);
