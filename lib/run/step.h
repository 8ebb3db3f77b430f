/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of struct program, shared by the files of parameters and actions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/rng.h"
#include "base/undo.h"
#include "import/import.h"
#include "io/engine.h"
#include "run/cli.h"
#include "run/play.h"
#include "run/program.h"
#include "run/sinks.h"
#include "trace/gen.h"
#include "trace/trace.h"

/* What the parameters before an action say. */
struct params {
	unsigned shift;           /* unit of a number without a letter, log2 */
	struct gen_params gen;    /* its max_requests and max_bytes are those of plays too */
	struct play_params play;  /* but target, limits of requests and bytes, and seed */
	uint64_t repeat;          /* times that an action plays */
	const char *log, *json;   /* files; the program keeps the texts; NULL: none */
	uint64_t seed;
	unsigned seed_number;     /* how many --seed came before: a new one restarts the random numbers */
	bool quiet;
	bool by_time;             /* --interleave */
	enum { SPLIT_BY_NOTHING, SPLIT_BY_FILE, SPLIT_BY_JOB } split_by; /* --save */
	struct import_options import;  /* its texts belong to the program; no format */
	uint64_t readahead;       /* bytes; AHEAD_AS_IT_IS: none given */
	struct confine *confine;  /* the cgroup of plays; the program keeps it; NULL: none */
};

struct step;

/* One kind of action: the data of its row. */
struct action {
	/* Take the argument into the step. NULL: it is a file name, or there is none. */
	int (*parse)(struct step *s, const char *text, struct fault *fault);

	/*
	 * Can it be done? Step number i of p; without I/O. 0 or -errno with the text, or with nothing when it printed.
	 * NULL: always.
	 */
	int (*check)(struct program *p, size_t i, struct fault *fault);

	/*
	 * Do it. 0; 1 when done with failures to be told by the exit status; or -errno, which ends the program, with
	 * the text in the fault: empty when it printed.
	 */
	int (*run)(struct program *p, const struct step *s, struct fault *fault);
	bool reads;               /* the file is an input */
	bool writes;              /* the file is an output */
	bool plays;
	bool sleeps;
	bool replaces;            /* the trace that was there goes, unseen */
	bool warms;               /* reads what the trace has into the page cache */
	bool appends;             /* only appends to the trace */
	/* For streams, see stream.h. */
	bool source;              /* appends, what it reads */
	bool single;              /* of a trace in parts it makes the same as of the whole */
	bool draws;               /* does so by random numbers */
	bool first;               /* keeps only the first requests, number of the step */
	bool saves;               /* writes the trace and nothing else */
	bool looks;               /* tells what the trace is like, see look.h */
};

struct step {
	const struct cli_row *row;
	const struct action *action;
	struct params params;
	char *file;               /* owned; NULL: none */
	char *format;             /* of --import and --export; owned */
	uint64_t times, scope;    /* --shuffle */
	uint64_t number;          /* of actions in trace_actions.c: a count, bytes, billionths, an op */
	int64_t delta;            /* --shift */
	int64_t sleep_ns;
};

/* An output of the line; the program keeps the text. */
struct claim {
	const char *file, *what;
};

struct program {
	const char *tool, *command;
	struct params params;     /* as they stand at the end of what was read */
	bool engine_help;
	struct step *step;
	size_t step_count, step_capacity;
	const struct cli_row *idle; /* a parameter with no action behind it yet; NULL: none */
	const struct cli_row *import_param; /* given, and no --import stands behind it yet; NULL: none */
	const struct cli_row *op_param; /* --op or --write-percent, and no --create stands behind it yet; NULL: none */
	void **kept;              /* memory of parameters */
	size_t kept_count;
	FILE *report;             /* where reports go: standard error when something else goes to standard output */
	const char *stdout_taken; /* by what: "a trace"; NULL: by reports */
	struct claim *claim;      /* outputs that were checked */
	size_t claim_count;
	/* while running */
	struct trace trace;
	struct sinks sinks;
	struct rng rng;
	unsigned seed_number;
	struct session *session;
	struct undo *undo;        /* NULL: nothing of the machine was changed */
	struct more *more;        /* what follows the trace in the next play; NULL: nothing */
};

/* A step with the parameters as they stand; the row's data are its struct action. */
int program_take_action(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

/* A row of an action; what comes behind the help are members of its struct action. */
#define ACTION(name_, letter_, arg_, arg_help_, help_, ...)                                          \
	{                                                                                            \
		.name = name_, .letter = letter_, .arg = arg_, .arg_help = arg_help_, .help = help_, \
		.take = program_take_action, .data = &(const struct action){__VA_ARGS__},            \
	}

/* The parameters before the first option. */
void params_init(struct params *p);

/*
 * Numbers of options: text of n bytes under the unit that holds now. 0 or -EINVAL with the text. A list "A,B" is
 * taken apart by params_split(): *first is the length of A, and B is returned, or NULL.
 */
int params_bytes(const struct params *p, const char *s, size_t n, uint64_t *bytes, struct fault *fault);
int params_count(const char *s, size_t n, uint64_t *count, struct fault *fault);
int params_bytes_signed(const struct params *p, const char *s, size_t n, int64_t *bytes, struct fault *fault);
int params_billionths(const char *s, uint64_t *billionths, struct fault *fault);
int params_time(const char *s, int64_t scale, int64_t *ns, struct fault *fault);
const char *params_split(const char *text, size_t *first);

/* What parameters point to lives as long as the program. Takes over memory; NULL: no memory, and it has been freed. */
void *program_adopt(struct program *p, void *memory);

/* The same of a copy of a text. */
const char *program_keep(struct program *p, const char *text);

/* Have p->undo, before the machine is changed. 0 or -errno with the text. */
int program_undo(struct program *p, struct fault *fault);

/* Does what the parameters say of a play go together, as far as that is not for play_open() to say? 0 or -EINVAL. */
int params_check_play(const struct params *params, struct fault *fault);

/* Is there a step before number i that makes the file of step i, as the line names it? */
bool program_makes_before(const struct program *p, size_t i);

/* action.check of a file that is read, or written. */
int program_check_input(struct program *p, size_t i, struct fault *fault);
int program_check_output(struct program *p, size_t i, struct fault *fault);

/* Can what ("a trace") be written to that file? On standard output nothing else goes beside it. 0 or -errno. */
int program_check_file(struct program *p, const char *file, const char *what, struct fault *fault);

/*
 * Print "tool: --action: FILE: text" on standard error, or "tool: FILE:LINE: text" when the fault has a line. Of a
 * request its number, and "FILE:LINE: " in front where origin_find() finds it.
 */
void program_complain(const struct program *p, const struct step *s, const struct fault *fault);
