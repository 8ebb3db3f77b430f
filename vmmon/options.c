/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
#include "run/files.h"
#include "run/gnuplot.h"
#include "run/marker.h"
#include "vmmon/oom.h"

/* Shorter, and the readings would be most of what they measure. */
#define INTERVAL_MIN (100 * NS_PER_USEC)
#define INTERVAL_MAX (1000000 * NS_PER_SEC)

void options_init(struct options *o)
{
	*o = (struct options){.mode = COLUMN_RATE, .interval_ns = NS_PER_SEC, .mark_fd = -1, .oom_score = OOM_KEEP, .repeat = 1};
}

void options_fini(struct options *o)
{
	for (size_t i = 0; i < o->word_count; i++)
		free(o->word[i]);
	free(o->word);
	free(o->output);
	free(o->plot);
	free(o->proc);
	free(o->plain);
}

static int no_memory(struct fault *fault)
{
	return fault_set(fault, -ENOMEM, "%s", strerror(ENOMEM));
}

static int refuse_number(const char *text, const char *why, struct fault *fault)
{
	char quoted[64];

	return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), text, strlen(text)), why);
}

static int take_text(char **to, const char *text, struct fault *fault)
{
	char *copy;

	if (!text[0])
		return fault_set(fault, -EINVAL, "the name is empty");
	copy = strdup(text);
	if (!copy)
		return no_memory(fault);
	free(*to);
	*to = copy;
	return 0;
}

int options_word(void *ctx, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	char **word = reallocarray(o->word, o->word_count + 1, sizeof(*word));

	if (!word)
		return no_memory(fault);
	o->word = word;
	word[o->word_count] = strdup(text);
	return word[o->word_count++] ? 0 : no_memory(fault);
}

static int take_mode(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault _unused_)
{
	((struct options *)ctx)->mode = row->letter == 'r' ? COLUMN_RAW : COLUMN_AUTO;
	return 0;
}

static int take_interval(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	const char *why;
	int r = units_time(text, strlen(text), NS_PER_SEC, &o->interval_ns, &why);

	if (r < 0)
		return refuse_number(text, why, fault);
	if (o->interval_ns < INTERVAL_MIN || o->interval_ns > INTERVAL_MAX)
		return refuse_number(text, "not between 0.0001 and 1000000 seconds", fault);
	return 0;
}

static int take_rows(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	const char *why;
	int r = units_count(text, strlen(text), &o->rows, &why);

	if (r < 0)
		return refuse_number(text, why, fault);
	return o->rows ? 0 : refuse_number(text, "no row at all", fault);
}

static int take_elapsed(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
			struct fault *fault _unused_)
{
	((struct options *)ctx)->time = STAMP_ELAPSED;
	return 0;
}

static int take_time(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	static const struct {
		const char *name;
		enum stamp stamp;
	} times[] = {{"elapsed", STAMP_ELAPSED}, {"iso", STAMP_ISO}, {"mono", STAMP_MONO}};

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		if (strcmp(text, times[i].name) == 0) {
			((struct options *)ctx)->time = times[i].stamp;
			return 0;
		}
	}
	return refuse_number(text, "none of elapsed, iso, mono", fault);
}

static int take_form(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault)
{
	struct options *o = ctx;
	enum record_form form = row->name[0] == 'c' ? RECORD_CSV : RECORD_JSON;

	if (o->form != RECORD_TEXT && o->form != form)
		return fault_set(fault, -EINVAL, "--csv and --json do not go together");
	o->form = form;
	return 0;
}

/* The option of plays whose name is another one here. */
static int take_play_json(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct options *o = ctx;

	program_call_json(o->program, row->name);
	return program_take(o->program, "json", text, fault);
}

static int take_plot(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	int form = gnuplot_form(text, fault), err = form < 0 ? form : gnuplot_check(fault);

	if (err == 0 && form != GNUPLOT_TEXT)
		err = file_check_output(text, fault);
	return err < 0 ? err : take_text(&((struct options *)ctx)->plot, text, fault);
}

static int take_append(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
		       struct fault *fault _unused_)
{
	((struct options *)ctx)->append = true;
	return 0;
}

static int take_output(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	return take_text(&((struct options *)ctx)->output, text, fault);
}

static int take_proc(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	return take_text(&((struct options *)ctx)->proc, text, fault);
}

static int take_plain(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	_cleanup_free_ char *plain = NULL;

	if (!text[0])
		return fault_set(fault, -EINVAL, "the name is empty");
	if (asprintf(&plain, "%s:%s", row->name, text) < 0) {
		plain = NULL;
		return no_memory(fault);
	}
	return take_text(&((struct options *)ctx)->plain, plain, fault);
}

static int take_fresh(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
		      struct fault *fault _unused_)
{
	((struct options *)ctx)->fresh = true;
	return 0;
}

static int take_list(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct options *o = ctx;

	o->list = true;
	return text ? options_word(o, text, fault) : 0;
}

static int take_oom_score(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	bool below = text[0] == '-';
	const char *why;
	uint64_t n;

	if (units_count(text + below, strlen(text + below), &n, &why) < 0)
		return refuse_number(text, why, fault);
	if (n > OOM_MAX)
		return refuse_number(text, "not between -1000 and 1000", fault);
	o->oom_score = below ? -(int)n : (int)n;
	return 0;
}

static int take_mark_fd(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	const char *why;
	uint64_t fd;

	if (units_count(text, strlen(text), &fd, &why) < 0)
		return refuse_number(text, why, fault);
	if (fd > INT_MAX)
		return refuse_number(text, "not the number of a descriptor", fault);
	o->mark_fd = (int)fd;
	return marker_check(o->mark_fd, fault) < 0 ? -EINVAL : 0;
}

static int take_tail(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	const char *why;

	if (units_time(text, strlen(text), NS_PER_SEC, &o->tail_ns, &why) < 0)
		return refuse_number(text, why, fault);
	return o->tail_ns ? 0 : refuse_number(text, "no time at all", fault);
}

/* Of plays it is a parameter like others. */
static int take_repeat(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct options *o = ctx;
	const char *why;

	if (!o->command)
		return program_take(o->program, row->name, text, fault);
	if (units_count(text, strlen(text), &o->repeat, &why) < 0)
		return refuse_number(text, why, fault);
	return o->repeat ? 0 : refuse_number(text, "no run at all", fault);
}

static int take_help(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
		     struct fault *fault _unused_)
{
	((struct options *)ctx)->help = true;
	return 0;
}

static int take_version(void *ctx, const struct cli_row *row _unused_, const char *text _unused_,
			struct fault *fault _unused_)
{
	((struct options *)ctx)->version = true;
	return 0;
}

const struct cli_row option_rows[] = {
	{.name = "raw", .letter = 'r', .take = take_mode, .help = "show values as they are, not differences per second"},
	{.name = "auto", .letter = 'a', .take = take_mode, .help = "show gauges as they are, counters per second"},
	{.name = "delay", .letter = 'd', .arg = CLI_REQUIRED, .arg_help = "SEC", .take = take_interval,
	 .help = "time between rows, from 0.0001 (default 1)"},
	{.name = "rows", .letter = 'n', .arg = CLI_REQUIRED, .arg_help = "ROWS", .take = take_rows,
	 .help = "end after ROWS rows"},
	{.name = "elapsed", .letter = 't', .take = take_elapsed, .help = "elapsed seconds in the first column"},
	{.name = "time", .arg = CLI_REQUIRED, .arg_help = "elapsed|iso|mono", .take = take_time,
	 .help = "or the date, or the monotonic clock in ns"},
	{.name = "csv", .take = take_form, .help = "rows as CSV"},
	{.name = "json", .take = take_form, .help = "rows as JSON, an object a line, with a summary at the end"},
	{.name = "output", .letter = 'o', .arg = CLI_REQUIRED, .arg_help = "FILE", .take = take_output,
	 .help = "write the rows to FILE, as they come"},
	{.name = "append", .take = take_append, .help = "to what FILE has already"},
	{.name = "plot", .arg = CLI_REQUIRED, .arg_help = "FILE", .take = take_plot,
	 .help = "draw them into FILE.svg or FILE.png, or by letters (-); needs gnuplot"},
	{.name = "play-json", .arg = CLI_REQUIRED, .arg_help = "FILE", .take = take_play_json,
	 .help = "the report of plays as JSON, --json of iotrace"},
	{.name = "mark-fd", .arg = CLI_REQUIRED, .arg_help = "N", .take = take_mark_fd,
	 .help = "a line on descriptor N begins a phase and names it"},
	{.name = "repeat", .arg = CLI_REQUIRED, .arg_help = "N", .take = take_repeat,
	 .help = "run the command N times, or the plays behind this"},
	{.name = "tail", .arg = CLI_REQUIRED, .arg_help = "SEC", .take = take_tail,
	 .help = "sample SEC longer than the command or the actions"},
	{.name = "oom-score-adj", .arg = CLI_REQUIRED, .negative = true, .arg_help = "N", .take = take_oom_score,
	 .help = "-1000: the last to be ended when memory runs out"},
	{.name = "list", .arg = CLI_OPTIONAL, .arg_help = "[GLOB]", .take = take_list,
	 .help = "list fields: name, class, unit, freshness, value"},
	{.name = "node", .arg = CLI_REQUIRED, .arg_help = "N", .take = take_plain,
	 .help = "read plain names from memory node N"},
	{.name = "cgroup", .arg = CLI_REQUIRED, .arg_help = "PATH", .take = take_plain,
	 .help = "read plain names from a memory cgroup"},
	{.name = "fresh", .take = take_fresh, .help = "gather the per-CPU counts before each reading (root)"},
	{.name = "proc", .arg = CLI_REQUIRED, .arg_help = "DIR", .take = take_proc,
	 .help = "read DIR/vmstat and its like (default /proc)"},
	{.name = "help", .letter = 'h', .take = take_help, .help = "print this and exit"},
	{.name = "version", .letter = 'v', .take = take_version, .help = "print the version and exit"},
	{.name = NULL},
};
