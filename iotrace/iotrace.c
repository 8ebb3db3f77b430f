/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iotrace: make, transform and replay patterns of I/O. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/event.h"
#include "base/macro.h"
#include "base/outfile.h"
#include "run/cli.h"
#include "diff/diff.h"
#include "run/files.h"
#include "run/program.h"
#include "run/session.h"

struct others {
	char *pid_file;
	bool help, version;
	struct diff diff;
	char **word;          /* files of --diff */
	size_t words;
};

static void others_fini(struct others *o)
{
	free(o->pid_file);
	for (size_t i = 0; i < o->words; i++)
		free(o->word[i]);
	free(o->word);
}

static int take_word(void *ctx, const char *text, struct fault *fault)
{
	struct others *o = ctx;
	char **more = reallocarray(o->word, o->words + 1, sizeof(*more));

	if (more)
		o->word = more;
	if (!more || !(more[o->words] = strdup(text)))
		return fault_set(fault, -ENOMEM, "no memory");
	o->words++;
	return 0;
}

static int take_pid(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct others *o = ctx;

	if (o->pid_file)
		return fault_set(fault, -EINVAL, "is given twice");
	o->pid_file = strdup(text);
	return o->pid_file ? 0 : fault_set(fault, -ENOMEM, "no memory");
}

static int take_help(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
		     struct fault *fault _unused_)
{
	((struct others *)ctx)->help = true;
	return 0;
}

static int take_version(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
			struct fault *fault _unused_)
{
	((struct others *)ctx)->version = true;
	return 0;
}

static const struct cli_row other_rows[] = {
    {.name = "pid", .arg = CLI_REQUIRED, .arg_help = "FILE", .take = take_pid, .help = "write the process id to FILE"},
    {.name = "help", .letter = 'h', .arg = CLI_NONE, .take = take_help, .help = "print this and exit"},
    {.name = "version", .letter = 'v', .arg = CLI_NONE, .take = take_version, .help = "print the version and exit"},
    {.name = NULL},
};

static int write_pid(const char *path, struct fault *fault)
{
	_cleanup_(outfile_abort) struct outfile o = {.fd = -1};
	int err = outfile_open(&o, path, fault);

	if (err < 0)
		return err;
	o.used += (size_t)snprintf(outfile_reserve(&o, 24), 24, "%jd\n", (intmax_t)getpid());
	return outfile_commit(&o, fault);
}

static int complain_pid(const struct others *o, const struct fault *fault, int status)
{
	fprintf(stderr, "iotrace: --pid: %s: %s\n", o->pid_file, fault->text);
	return status;
}

static int usage_error(const char *what, const char *why)
{
	fprintf(stderr, "iotrace: %s: %s\nTry 'iotrace --help'.\n", what, why);
	return 2;
}

/* Words are files of --diff, and nothing else. */
static int check_words(const struct others *o)
{
	char quoted[80];

	if (o->diff.wanted || o->words == 0)
		return 0;
	return usage_error(fault_quote(quoted, sizeof(quoted), o->word[0], strlen(o->word[0])),
			   "a word that belongs to no option");
}

static int compare(const struct program *p, const struct others *o)
{
	if (!o->diff.wanted)
		return usage_error("--floor", "goes with --diff");
	if (program_actions_count(p))
		return usage_error("--diff", "compares files, and goes with no action");
	return diff_run(&o->diff, o->word, o->words, "iotrace", stdout);
}

static int run(struct program *p, const struct others *o)
{
	struct session session = {.progress = isatty(STDERR_FILENO)};
	struct fault fault;
	int status;

	if (program_actions_count(p) == 0) {
		fputs("iotrace: no action: nothing to do\nTry 'iotrace --help'.\n", stderr);
		return 2;
	}
	if (o->pid_file && file_check_output(o->pid_file, &fault) < 0)
		return complain_pid(o, &fault, 2);
	if (program_check(p) < 0)
		return 2;
	if (o->pid_file && program_claim(p, o->pid_file, "the process id", &fault) < 0)
		return complain_pid(o, &fault, 2);
	stop_install();
	if (o->pid_file && write_pid(o->pid_file, &fault) < 0)
		return complain_pid(o, &fault, 1);
	status = program_run(p, &session);
	session_stop(&session);
	return status;
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *command = cli_command(argc, (const char **)argv);
	_cleanup_(program_freep) struct program *p = command ? program_new("iotrace", command) : NULL;
	_cleanup_(others_fini) struct others others = {0};
	struct cli_group groups[PROGRAM_GROUPS + 5] = {
	    [PROGRAM_GROUPS] = {.title = "Actions that show a trace", .rows = program_look, .letters = true, .ctx = p},
	    [PROGRAM_GROUPS + 1] = {.title = "Parameters that vmmon calls otherwise", .rows = program_as_cgroup, .ctx = p},
	    [PROGRAM_GROUPS + 2] = {.title = "Comparing", .rows = diff_rows, .letters = true, .ctx = &others.diff},
	    [PROGRAM_GROUPS + 3] = {.title = "Others", .rows = other_rows, .letters = true, .ctx = &others},
	};
	const struct cli cli = {
	    .tool = "iotrace",
	    .usage = "[PARAMETER... ACTION]...",
	    .about = "Make, transform and play patterns of I/O. Parameters hold for the actions after them.",
	    .groups = groups,
	    .word = take_word,
	    .word_ctx = &others,
	};

	diff_init(&others.diff);
	file_hold_streams();
	if (!p) {
		fputs("iotrace: no memory\n", stderr);
		return 1;
	}
	program_groups(p, true, groups);
	if (cli_parse(&cli, argc, (const char **)argv) < 0)
		return 2;
	if (check_words(&others))
		return 2;
	if (others.help)
		cli_help(&cli, stdout);
	else if (others.version)
		puts("iotrace " VERSION);
	else if (others.diff.wanted || others.diff.floored)
		return program_finish("iotrace", compare(p, &others));
	else if (!program_engine_help(p))
		return program_finish("iotrace", run(p, &others));
	return program_finish("iotrace", 0);
}
