/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of options: what the files that hold them share. Each parameter is one row; most set a member of struct params
 * by one of the functions here and need no code of their own.
 */
#pragma once

#include <stddef.h>

#include "run/step.h"

/* The tables, which program_groups() puts together. */
extern const struct cli_row rows_pattern[], rows_import[], rows_load[], rows_engine[], rows_cache[], rows_write[], rows_report[],
	rows_action[], rows_cut[];

extern const struct action action_play, action_mplay, action_residency, action_willneed;

/*
 * What stands in a row's text is for the actions after it: remembers the row, to be refused when there is none. Each
 * take() of a parameter comes by here.
 */
struct params *row_params(void *ctx, const struct cli_row *row);

/* The data of a row that is one number. */
struct number {
	size_t where;      /* in struct params: an uint64_t or uint32_t, or an int64_t for times */
	size_t width;
	enum { BYTES, COUNT, TIME } kind;
	int64_t scale;     /* of times without a unit, ns */
	uint64_t min, max; /* max 0: none */
	uint64_t none;     /* the number that the word "none" stands for; 0: no such word */
};
int params_take_number(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

#define NUMBER(field, ...)                                                                                  \
	(&(const struct number){                                                                            \
	    .where = offsetof(struct params, field), .width = sizeof(((struct params *)0)->field), __VA_ARGS__})

/* The data of a row without an argument: a bool becomes true, or false. */
struct flag {
	size_t where;
	bool off;
};
int params_take_flag(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

/* The data of a row that is one of some words: an enum becomes the number of the word. */
struct choice {
	size_t where;
	const char *const *name; /* in the order of the enum; the last is NULL */
};
int params_take_choice(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

/* The data of a row without an argument that sets a USE_ bit of plays. */
int params_take_use(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

#define ROW(name_, arg_, take_, help_, ...)                                                                     \
	{                                                                                                       \
		.name = name_, .arg = CLI_REQUIRED, .arg_help = arg_, .take = take_, .help = help_, __VA_ARGS__ \
	}
#define ROW_NUMBER(name_, arg_, help_, field_, ...) \
	ROW(name_, arg_, params_take_number, help_, .data = NUMBER(field_, __VA_ARGS__))
#define ROW_FLAG_TO(name_, field_, off_, help_)                                           \
	{                                                                                 \
		.name = name_, .arg = CLI_NONE, .take = params_take_flag, .help = help_,  \
		.data = &(const struct flag){offsetof(struct params, field_), off_}       \
	}
#define ROW_FLAG(name_, field_, help_) ROW_FLAG_TO(name_, field_, false, help_)
#define ROW_CHOICE(name_, arg_, help_, field_, ...)                                                      \
	ROW(name_, arg_, params_take_choice, help_,                                                      \
	    .data = (&(const struct choice){offsetof(struct params, field_),                             \
					    (const char *const[]){__VA_ARGS__, NULL}}))

#define ROW_USE(name_, bit_, help_)                                                \
	{                                                                          \
		.name = name_, .arg = CLI_NONE, .take = params_take_use,           \
		.help = help_, .data = &(const unsigned){bit_}                     \
	}

/*
 * The target that text names: a copy of it, in which the size of memory has a letter, to be freed. 0 or -errno with the
 * text.
 */
int params_target(const struct params *p, const char *text, char **target, struct fault *fault);

/* Is all that a play on target writes to memory? */
bool params_only_memory(const struct play_params *p, const char *target);

/* --after-loop, --barrier, and the words of the first. */
int params_take_after_loop(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);
int params_take_barrier(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);
const char *params_after_name(enum play_after after);

/* --advise; see params_advise.c. */
int params_take_advise(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

/* Does the engine take the advice of p? 0 or -EINVAL with the text. */
int params_check_advise(const struct play_params *p, struct fault *fault);

/*
 * A range of a target, "A-B" or "A-", A included and B not: bytes under the unit that holds now. *length HINT_TO_END
 * without B. 0 or -EINVAL with the text.
 */
int params_range(const struct params *p, const char *s, size_t n, uint64_t *offset, uint64_t *length,
		 struct fault *fault);

/* The option of a USE_ bit, by its number below USE_COUNT. */
const char *params_use_option(unsigned bit);

/* "'TOKEN': why"; returns -EINVAL. */
int params_refuse(struct fault *fault, const char *s, size_t n, const char *why);
