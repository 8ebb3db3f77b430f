/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmmon: sample fields of /proc/vmstat, alone or while a trace is played. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/cli.h"
#include "run/files.h"
#include "run/program.h"
#include "run/session.h"
#include "run/table.h"
#include "vmmon/list.h"
#include "vmmon/options.h"
#include "vmmon/output.h"

static int complain(const char *what, const char *why, int status)
{
	fprintf(stderr, "vmmon: %s%s%s\n", what, why ? ": " : "", why ? why : "");
	return status;
}

static int usage_error(const char *text)
{
	fprintf(stderr, "vmmon: %s\nTry 'vmmon --help'.\n", text);
	return 2;
}

/* In the sampler's thread. */
static int on_row(void *ctx, uint64_t number _unused_, const struct sample *prev, const struct sample *now)
{
	struct output *o = ctx;
	int r;

	/* the first row follows the first reading */
	if (!o->start)
		o->start = prev->when;
	r = output_row(o, prev, now);
	if (r == -EPIPE)
		stop_request(SIGPIPE);
	return r;
}

/* A column of zeros reads "nothing happened", where the kernel has stopped counting. */
static void tell_constants(const struct columns *c, const struct sampler *s)
{
	size_t len;
	const char *text = sampler_text(s, &len);

	for (size_t i = 0; i < c->want_count; i++) {
		struct vmstat_want w = c->want[i];
		const char *history = field_history(w.name);

		if (field_class_of(w.name) == FIELD_CONSTANT && history && !vmstat_lookup(text, len, &w, 1) && !w.value)
			complain(w.name, history, 0);
	}
}

static int add_columns(struct sampler *s, const struct options *o)
{
	size_t len;
	const char *text = sampler_text(s, &len);
	struct fault fault;

	for (size_t i = 0; i < o->word_count; i++) {
		int r = columns_add(sampler_columns(s), o->word[i], o->mode, text, len, &fault);

		if (r < 0)
			return complain(sampler_path(s), fault.text, r == -ENOMEM ? 1 : 2);
	}
	tell_constants(sampler_columns(s), s);
	return 0;
}

/* One table a play; without plays one from the first reading to the end. */
static void print_tables(FILE *f, struct sampler *s, size_t plays)
{
	const struct sample *begin = NULL;
	const struct mark *mark;
	size_t marks = sampler_marks(s, &mark), number = 0;
	struct sampler_stats stats;
	char name[32];

	for (size_t i = 0; i < marks; i++) {
		if (!strcmp(mark[i].label, "begin")) {
			begin = &mark[i].sample;
		} else if (plays == 0 || begin) {
			snprintf(name, sizeof(name), "play %zu", ++number);
			table_print(f, plays > 1 ? name : NULL, sampler_columns(s), begin ? begin : sampler_first(s),
				    &mark[i].sample);
			begin = NULL;
		}
	}
	if (plays == 0 && marks == 0)
		table_print(f, NULL, sampler_columns(s), sampler_first(s), sampler_last(s));
	sampler_get_stats(s, &stats);
	table_ticks(f, &stats);
}

/* Composed first, so that it can be given up when nobody reads it and the user has asked for the end. */
static int summarize(struct sampler *s, size_t plays, int fd)
{
	_cleanup_free_ char *text = NULL;
	struct output out = {.fd = fd, .may_block = true};
	size_t n;
	FILE *f = open_memstream(&text, &n);
	int r;

	if (!f)
		return complain("summary", strerror(errno), 1);
	print_tables(f, s, plays);
	if (fclose(f))
		return complain("summary", strerror(errno), 1);
	r = output_write(&out, text, n);
	if (r == -EPIPE)
		return 128 + SIGPIPE;
	return r < 0 && r != -EINTR ? complain("standard output", strerror(-r), 1) : 0;
}

/* Sample until the end, which is that of the program if there is one. Returns the exit status. */
static int sample(struct sampler *s, struct output *out, struct program *p, struct fault *fault)
{
	struct session session = {.sampler = s, .progress = isatty(STDERR_FILENO) && !out->terminal};
	bool alone = program_actions_count(p) == 0;
	int status = 0, r;

	if (alone) {
		/* Before the first row comes, which may take long. */
		r = output_heading(out);
		if (r < 0)
			return r == -EPIPE ? 128 + SIGPIPE : complain(out->name, strerror(-r), 1);
		if (session_wait(&session, fault) < 0)
			return complain(sampler_path(s), fault->text, 1);
	} else {
		status = program_run(p, &session);
	}
	if (!session.sampling)
		return status;
	r = session_stop(&session);
	if (stop_signal())
		status = 128 + stop_signal();
	if (stop_signal() == SIGPIPE)
		return status;
	if (r < 0 && r != -EINTR)
		status = complain(out->error < 0 ? out->name : sampler_path(s), strerror(-r), status ? status : 1);
	if (out->error < 0 && out->fd == STDOUT_FILENO && r != -EINTR)
		return status;
	/* The rows asked for are all, or the sampling goes on to the moment when the end was asked for. */
	if (r == 0 && program_plays_count(p) == 0 && (!alone || !sampler_done(s)) && sampler_mark(s, "end") < 0)
		status = complain(sampler_path(s), "cannot be read any more", status ? status : 1);
	r = summarize(s, program_plays_count(p), program_takes_stdout(p) ? STDERR_FILENO : STDOUT_FILENO);
	return status ? status : r;
}

static int run(const struct options *o, struct program *p)
{
	_cleanup_(sampler_closep) struct sampler *s = NULL;
	_cleanup_(output_close) struct output out = {.fd = -1};
	const struct sampler_params params = {
		.proc_dir = o->proc,
		.interval_ns = o->interval_ns,
		.max_rows = o->rows,
		.row = on_row,
		.ctx = &out,
	};
	struct fault fault = {0};
	int status;

	if (o->word_count == 0 && program_plays_count(p))
		return usage_error("no field to sample; a word behind --play or --mplay is its FILE");
	if (o->word_count == 0)
		return usage_error("no field to sample");
	if (program_actions_count(p) && !program_takes_time(p))
		return usage_error("no --play, --mplay or --sleep among the actions, so there is nothing to sample");
	if (sampler_open(&s, &params, &fault) < 0)
		return complain(fault.text, NULL, 1);
	status = add_columns(s, o);
	if (status)
		return status;
	if (program_check(p) < 0)
		return 2;
	if (program_takes_stdout(p) && (!o->output || !strcmp(o->output, "-")))
		return usage_error("the rows, and a trace, log or report as JSON, cannot both go to standard output: give -o FILE");
	if (output_open(&out, o->output, sampler_columns(s), o->time, &fault) < 0)
		return complain("--output", fault.text, 1);
	stop_install();
	return sample(s, &out, p, &fault);
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *command = cli_command(argc, (const char **)argv);
	_cleanup_(program_freep) struct program *p = command ? program_new("vmmon", command) : NULL;
	_cleanup_(options_fini) struct options options;
	struct cli_group groups[1 + PROGRAM_GROUPS + 1] = {
		{.title = "Sampling", .rows = option_rows, .letters = true, .ctx = &options},
	};
	const struct cli cli = {
		.tool = "vmmon",
		.usage = "[OPTION...] FIELD... [PARAMETER... ACTION]...",
		.about = "Sample fields of /proc/vmstat: NAME, 'GLOB*' or 'sum(GLOB*)', each with :raw, :rate or :delta.\n"
			 "With the actions of iotrace, sample while they play or sleep, and end with them.",
		.groups = groups,
		.word = options_word,
		.word_ctx = &options,
	};

	file_hold_streams();
	options_init(&options);
	if (!p)
		return complain("no memory", NULL, 1);
	program_groups(p, false, groups + 1);
	if (cli_parse(&cli, argc, (const char **)argv) < 0)
		return 2;
	if (options.help)
		cli_help(&cli, stdout);
	else if (options.version)
		puts("vmmon " VERSION);
	else if (options.list && program_actions_count(p))
		return usage_error("--list goes with no action");
	else if (options.list)
		return program_finish("vmmon", list_fields(&options));
	else if (!program_engine_help(p))
		return program_finish("vmmon", run(&options, p));
	return program_finish("vmmon", 0);
}
