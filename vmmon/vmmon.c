/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmmon: sample fields of /proc/vmstat, alone, or while a trace is played or a command runs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/cli.h"
#include "diff/diff.h"
#include "run/files.h"
#include "run/program.h"
#include "vmmon/list.h"
#include "vmmon/notes.h"
#include "vmmon/summary.h"
#include "vmmon/watch.h"

static int usage_error(const char *text)
{
	fprintf(stderr, "vmmon: %s\nTry 'vmmon --help'.\n", text);
	return 2;
}

/* In the thread that samples. */
static int on_row(void *ctx, uint64_t number _unused_, const struct sample *prev, const struct sample *now)
{
	int r = output_row(ctx, prev, now);

	if (r == -EPIPE)
		stop_request(SIGPIPE);
	return r;
}

/* What a word that is no field was probably meant for. */
static void add_hint(struct fault *fault, const struct options *o, const char *word)
{
	const struct fault field = *fault;

	/* as vmstat(8) and sar(1) have it: INTERVAL COUNT */
	if (word[0] && !word[strspn(word, "0123456789.")])
		fault_set(fault, -EINVAL, "%s; the interval is -d SEC, the number of rows -n ROWS", field.text);
	else if (!o->command && notes_is_program(word))
		fault_set(fault, -EINVAL, "%s; a command stands behind --: vmmon FIELD... -- %s", field.text, word);
}

static int add_columns(struct sampler *s, const struct options *o)
{
	struct columns *c = sampler_columns(s);
	struct fault fault;

	for (size_t i = 0; i < o->word_count; i++) {
		int r = columns_add(c, o->word[i], o->mode, &fault);

		if (r == -EINVAL)
			add_hint(&fault, o, o->word[i]);
		if (r < 0)
			return complain(fault.text, NULL, r == -EINVAL ? 2 : 1);
	}
	notes_tell(c, o->interval_ns);
	return 0;
}

/* What does not go together. NULL: all does. */
static const char *misfit(const struct options *o, const struct program *p)
{
	if (o->word_count == 0)
		return program_plays_count(p) ? "no field to sample; a word behind --play or --mplay is its FILE"
					      : "no field to sample";
	if (o->command && !o->command[0])
		return "no command behind --";
	if (o->command && program_actions_count(p))
		return "actions and a command: only one of them can be watched";
	if (program_actions_count(p) && !program_takes_time(p))
		return "no --play, --mplay or --sleep among the actions, so there is nothing to sample";
	if (o->append && (!o->output || strcmp(o->output, "-") == 0))
		return "--append: there is no -o FILE to append to";
	if (o->tail_ns && !o->command && program_actions_count(p) == 0)
		return "--tail: there is no command and no action behind which to go on";
	if (o->command && o->mark_fd == STDIN_FILENO)
		return "--mark-fd: descriptor 0 is the command's standard input";
	return NULL;
}

static bool writes_stdout(const struct options *o)
{
	return o->output ? strcmp(o->output, "-") == 0 : !o->command;
}

static bool repeats(const struct options *o, const struct program *p)
{
	return o->command ? o->repeat > 1 : program_repeats(p);
}

static int open_output(struct output *out, const struct options *o, const struct program *p, const struct columns *c,
		       const char *command)
{
	_cleanup_(record_fini) struct record record = {.out.fd = -1};
	const struct record_about about = {
		.command = command, .interval_ns = o->interval_ns, .repeats = repeats(o, p)};
	const struct output_place place = {
		.path = o->output, .fd = o->command ? STDERR_FILENO : STDOUT_FILENO, .append = o->append};
	struct fault fault;
	int r = record_init(&record, o->form, o->time, c, &about);

	if (r < 0)
		return complain("--output", strerror(-r), 1);
	r = output_open(out, &place, &record, &fault);
	return r < 0 ? complain("--output", fault.text, r == -EINVAL ? 2 : 1) : 0;
}

/* The tables, the picture, and what a form for programs has at its end. */
static int summarize(struct sampler *s, struct output *out, const struct options *o, const struct program *p,
		     const char *command)
{
	bool aside = program_takes_stdout(p) || o->command;
	struct sampler_stats stats;
	bool told = out->error < 0; /* that rows could not be written */
	int r, fd;

	sampler_get_stats(s, &stats);
	r = output_end(out, sampler_marks(s), repeats(o, p), &stats);
	if (r == -EPIPE)
		return 128 + SIGPIPE;
	if (r < 0 && r != -EINTR && !told)
		return complain(out->name, strerror(-r), 1);
	fd = aside ? STDERR_FILENO : STDOUT_FILENO;
	r = summary_write(s, o->command ? "run" : "play", repeats(o, p), fd);
	if (r == 0 && o->plot)
		r = summary_plot(out->chart, o->plot, fd, command, s);
	return r;
}

static int run(const struct options *o, struct program *p, const char *command, const struct child_signals *signals)
{
	_cleanup_(sampler_closep) struct sampler *s = NULL;
	_cleanup_(output_close) struct output out = {.fd = -1, .record.out.fd = -1};
	_cleanup_(chart_fini) struct chart chart = {0};
	const char *why = misfit(o, p);
	struct replayed replayed = REPLAYED_INIT;
	struct sampler_params params = {
		.sources = {
			.proc = o->proc,
			.plain = o->plain,
			.fresh = o->fresh,
			.replay = program_plays_count(p) ? replayed_read : NULL,
			.replay_ctx = &replayed,
		},
		.interval_ns = o->interval_ns,
		.max_rows = o->rows,
		.row = on_row,
		.ctx = &out,
		.whole = !o->command && program_plays_count(p) == 0,
	};
	struct watch watch = {.options = o, .program = p, .signals = signals, .out = &out, .replayed = &replayed};
	struct fault fault = {0};
	bool sampled;
	int status, r;

	if (why)
		return usage_error(why);
	if (program_check(p) < 0)
		return 2;
	if (o->output && program_claim(p, o->output, "the rows", &fault) < 0)
		return complain("--output", fault.text, 2);
	if (o->plot && program_claim(p, o->plot, "the picture", &fault) < 0)
		return complain("--plot", fault.text, 2);
	/* A cgroup that the plays make can be sampled like any other. */
	status = program_confine(p);
	if (status)
		return status;
	params.sources.replay_cgroup = program_cgroup(p);
	if (sampler_open(&s, &params, &fault) < 0)
		return complain(fault.text, NULL, 1);
	status = add_columns(s, o);
	if (status)
		return status;
	if (program_takes_stdout(p) && writes_stdout(o))
		return usage_error(
		    "the rows, and a trace, log or report as JSON, cannot both go to standard output: give -o FILE");
	/* Rows that are read by a program have it to themselves. */
	if (o->form != RECORD_TEXT && writes_stdout(o))
		program_leave_stdout(p);
	status = open_output(&out, o, p, sampler_columns(s), command);
	if (status)
		return status;
	if (o->plot && chart_init(&chart, sampler_columns(s)) < 0)
		return complain("no memory", NULL, 1);
	out.chart = o->plot ? &chart : NULL;
	stop_install();
	watch.sampler = s;
	status = watch_run(&watch, &sampled);
	r = sampled ? summarize(s, &out, o, p, command) : 0;
	return status ? status : r;
}

/* The words behind "--"; NULL: there is none. *argc counts what is before. */
static char **split_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			*argc = i;
			return &argv[i + 1];
		}
	}
	return NULL;
}

static int compare(const struct diff *d, const struct options *o, const struct program *p)
{
	if (!d->wanted)
		return usage_error("--floor goes with --diff");
	if (program_actions_count(p) || o->list || o->command)
		return usage_error("--diff compares files, and goes with no action and no command");
	return diff_run(d, o->word, o->word_count, "vmmon", stdout);
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *command = cli_command(argc, (const char **)argv);
	_cleanup_(program_freep) struct program *p = command ? program_new("vmmon", command) : NULL;
	_cleanup_(options_fini) struct options options;
	struct child_signals signals;
	struct diff diff;
	struct cli_group groups[2 + PROGRAM_GROUPS + 1] = {
		{.title = "Sampling", .rows = option_rows, .letters = true, .ctx = &options},
		{.title = "Comparing", .rows = diff_rows, .letters = true, .ctx = &diff},
	};
	const struct cli cli = {
		.tool = "vmmon",
		.usage = "[OPTION...] FIELD... [PARAMETER... ACTION]... | [-- COMMAND [ARG...]]",
		.about = "Sample fields of /proc/vmstat and its like: NAME, 'GLOB*' or 'sum(GLOB*)', each with :raw, :rate\n"
			 "or :delta; SOURCE:NAME as node:0:nr_dirty; or 'NAME=FORMULA' as 'x=pgfree/pgdeactivate'.\n"
			 "With the actions of iotrace, sample while they play or sleep, and end with them;\n"
			 "with a command, while it runs, and pass its exit status on.",
		.groups = groups,
		.word = options_word,
		.word_ctx = &options,
	};

	file_hold_streams();
	child_note_signals(&signals);
	options_init(&options);
	options.program = p;
	options.command = split_command(&argc, argv);
	diff_init(&diff);
	if (!p)
		return complain("no memory", NULL, 1);
	program_groups(p, false, groups + 2);
	if (cli_parse(&cli, argc, (const char **)argv) < 0)
		return 2;
	if (options.help)
		cli_help(&cli, stdout);
	else if (options.version)
		puts("vmmon " VERSION);
	else if (diff.wanted || diff.floored)
		return program_finish("vmmon", compare(&diff, &options, p));
	else if (options.list && (options.command || program_actions_count(p)))
		return usage_error("--list goes with no action and no command");
	else if (options.list)
		return program_finish("vmmon", list_fields(&options));
	else if (!program_engine_help(p))
		return program_finish("vmmon", run(&options, p, command, &signals));
	return program_finish("vmmon", 0);
}
