/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line as a program: parameters hold for the actions after them, actions run in order on one
 * current trace. Both tools take it; vmmon without the one-letter names.
 *
 * The whole line becomes steps and is checked (program_check) before the first byte of I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "run/cli.h"

struct program;
struct session;

/* The target of --play and --mplay without FILE, as it was in 2009. */
#define PROGRAM_TARGET "/tmp/sparse/100G"

/* command: the words of the command line for headers and report lines (borrowed). NULL: no memory. */
struct program *program_new(const char *tool, const char *command);
void program_free(struct program *p);
void program_freep(struct program **p);

/*
 * The groups of option rows, PROGRAM_GROUPS of them, to be put into a struct cli: parameters by subject, then the
 * actions. letters as there.
 */
#define PROGRAM_GROUPS 9
void program_groups(struct program *p, bool letters, struct cli_group *out);

/*
 * Take the program's own option of that name, as its row does, for a tool that has another meaning for the name or
 * another name for the option.
 */
int program_take(struct program *p, const char *name, const char *text, struct fault *fault);

/* What complaints call --json, without the dashes: for a tool that takes it under that name (borrowed). */
void program_call_json(struct program *p, const char *option);

/*
 * Further actions, which show the trace: not for vmmon, which shows other things under such names. ctx is the program.
 */
extern const struct cli_row program_look[];

/* A second name of --in-cgroup: not for vmmon, where it is another option. ctx is the program. */
extern const struct cli_row program_as_cgroup[];

/* How many actions, and how many plays, repetitions counted. */
size_t program_actions_count(const struct program *p);
size_t program_plays_count(const struct program *p);

/* True when there are several plays, and all are those of one action. */
bool program_repeats(const struct program *p);

/* True when an action plays or sleeps, so that there is something to sample meanwhile. */
bool program_takes_time(const struct program *p);

/*
 * True when the line said "--engine help": the list of engines, with the reason where one cannot run here, has been
 * printed on standard output and there is nothing else to do. Ask after cli_parse(), before program_check().
 */
bool program_engine_help(const struct program *p);

/*
 * Check every step: parameters that make no sense together, targets of plays (kind, engine can run), inputs that are
 * missing, outputs that cannot be made. 0, or -errno after printing "tool: --action: what". No I/O was done.
 */
int program_check(struct program *p);

/*
 * Make the memory cgroups that plays run in, unless they are there. Done by program_run(), for those who are to be
 * sampled before; they go with the program. 0, or the exit status after printing the error.
 */
int program_confine(struct program *p);

/* After program_confine(): the folder of the cgroup of the first play that has one; NULL: none has. */
const char *program_cgroup(const struct program *p);

/*
 * After program_check(), for a file that the tool itself writes, what: "the rows". 0; -EINVAL with the text when an
 * action plays on that file or asks what of it is cached, or writes something else to it; or -ENOMEM. Standard output
 * is no such file. what lives as long as the program.
 */
int program_claim(struct program *p, const char *file, const char *what, struct fault *fault);

/* After program_check(): true when a trace goes to standard output, or it was left, so that nothing else should. */
bool program_takes_stdout(const struct program *p);

/* After program_check(): standard output is the caller's, and reports go to standard error. */
void program_leave_stdout(struct program *p);

/*
 * Run all steps. Plays go through session_play(), sleeps through session_sleep(). Prints reports on standard output (on
 * standard error when a trace goes to standard output) and errors on standard error. A failure ends it, but a play
 * with short data, reads past the end or counted errors does so only under --on-error stop and for errors.
 * Returns the exit status: 0; 1 I/O errors, short data; 2 bad input; 128+n after signal n, also SIGPIPE when the
 * reader of standard output is gone.
 */
int program_run(struct program *p, struct session *s);

/* Flush standard output. status, or 1 after printing the error when status was 0 and not all could be written. */
int program_finish(const char *tool, int status);
