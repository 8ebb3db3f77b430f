/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "run/files.h"
#include "run/foreign.h"
#include "run/rows.h"
#include "run/memory.h"
#include "run/save.h"
#include "run/save_split.h"
#include "run/session.h"
#include "run/step.h"
#include "trace/format.h"
#include "trace/sort.h"
#include "trace/xform.h"

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

bool program_makes_before(const struct program *p, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (p->step[j].action->writes && p->step[j].file && strcmp(p->step[j].file, p->step[i].file) == 0)
			return true;
	return false;
}

static int check_create(struct program *p, size_t i, struct fault *fault)
{
	return gen_check(&p->step[i].params.gen, fault);
}

static int run_save(struct program *p, const struct step *s, struct fault *fault);

/* Requests of a pattern that are made and written at a time. */
#define PART 16384

/* Does nothing but the save behind it want the pattern? Then it is never in memory as a whole, at half the time. */
static bool is_only_saved(const struct program *p, const struct step *create)
{
	const struct step *next = create + 1;
	const struct trace *t = &p->trace;

	return t->count == 0 && !t->time && !t->file && !t->step && next + 1 == p->step + p->step_count &&
	       next->action->run == run_save && !next->params.split_by &&
	       next->params.seed_number == create->params.seed_number;
}

static int run_create(struct program *p, const struct step *s, struct fault *fault)
{
	if (is_only_saved(p, s))
		return no_memory(trace_reserve(&p->trace, PART), fault);
	return no_memory(gen_append(&p->trace, &s->params.gen, &p->rng), fault);
}

static int run_round_up(struct program *p, const struct step *s, struct fault *fault)
{
	return no_memory(xform_round_up(&p->trace, s->params.gen.align, fault), fault);
}

/* [N,M]: N exchanges, M the locality; either may be left out. */
static int parse_shuffle(struct step *s, const char *text, struct fault *fault)
{
	const char *second;
	size_t n;
	int err = 0;

	s->times = s->scope = SHUFFLE_ALL;
	if (!text)
		return 0;
	second = params_split(text, &n);
	if (n || !second)
		err = params_count(text, n, &s->times, fault);
	if (err == 0 && second)
		err = params_count(second, strlen(second), &s->scope, fault);
	if (err == 0 && s->scope == 0)
		err = fault_set(fault, -EINVAL, "a locality of 0 leaves nothing to exchange");
	return err;
}

static int run_shuffle(struct program *p, const struct step *s, struct fault *fault)
{
	return no_memory(xform_shuffle(&p->trace, s->times, s->scope, &p->rng), fault);
}

int program_check_input(struct program *p, size_t i, struct fault *fault)
{
	const char *file = p->step[i].file;

	if (program_makes_before(p, i) && !file_is_stdout(file))
		return 0;
	for (size_t j = 0; j < i && file_is_stdin(file); j++)
		if (p->step[j].action->reads && file_is_stdin(p->step[j].file))
			return fault_set(fault, -EINVAL, "standard input can be read only once");
	return file_check_input(file, fault);
}

static int load(const struct step *s, struct trace *t, struct fault *fault)
{
	_cleanup_(trace_reader_freep) struct trace_reader *reader = NULL;
	_cleanup_close_ int fd = file_open_input(s->file, fault);
	int err;

	if (fd < 0)
		return fd;
	reader = trace_reader_new(fd, s->params.shift);
	err = reader ? trace_reader_rest_checked(reader, t, memory_check, fault) : no_memory(-ENOMEM, fault);
	if (err == -EINVAL)
		foreign_hint(s->file, fault);
	return err;
}

static int run_load(struct program *p, const struct step *s, struct fault *fault)
{
	return load(s, &p->trace, fault);
}

static int run_interleave(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(trace_fini) struct trace other;
	int err;

	trace_init(&other);
	other.room = p->trace.room;
	err = load(s, &other, fault);
	if (err == 0 && s->params.by_time)
		err = sort_merge(&p->trace, &other, fault);
	else if (err == 0)
		err = xform_interleave(&p->trace, &other, &p->rng, fault);
	return no_memory(err, fault);
}

int program_check_file(struct program *p, const char *file, const char *what, struct fault *fault)
{
	int err;

	if (file_is_stdout(file)) {
		if (p->stdout_taken && strcmp(p->stdout_taken, what) != 0)
			return fault_set(fault, -EINVAL, "%s and %s cannot both go to standard output", p->stdout_taken,
					 what);
		p->stdout_taken = what;
		p->report = stderr;
	}
	err = file_check_output(file, fault);
	return err < 0 ? err : program_claim(p, file, what, fault);
}

int program_check_output(struct program *p, size_t i, struct fault *fault)
{
	const char *file = p->step[i].file;

	return file ? program_check_file(p, file, "a trace", fault) : 0;
}

/* One file, whatever --split-by says. */
static int check_whole(struct program *p, size_t i, struct fault *fault)
{
	int err = program_check_output(p, i, fault);

	return err || !p->step[i].file ? err : save_check(p->step[i].file, fault);
}

static int check_save(struct program *p, size_t i, struct fault *fault)
{
	const struct step *s = &p->step[i];

	return s->params.split_by ? save_split_check(p, s, fault) : check_whole(p, i, fault);
}

/* The pattern of the step before, which run_create() left to be made. */
static int save_pattern(struct program *p, const struct step *s, struct save *v, struct fault *fault)
{
	struct trace *t = &p->trace;
	struct gen g;
	int err;

	gen_init(&g, &s[-1].params.gen, &p->rng);
	do {
		t->count = gen_fill(&g, t->req, PART);
		err = save_put(v, t, fault);
	} while (t->count == PART && !err && !stop_signal());
	return err;
}

static int run_save(struct program *p, const struct step *s, struct fault *fault)
{
	bool pattern = s > p->step && s[-1].action->run == run_create && is_only_saved(p, s - 1);
	_cleanup_(save_abort) struct save v = SAVE_NONE;
	int err;

	if (s->params.split_by)
		return save_split(p, s, fault);
	err = save_open(&v, p, s, false, fault);
	if (!err)
		err = pattern ? save_pattern(p, s, &v, fault) : save_put(&v, &p->trace, fault);
	return err ? err : save_end(&v, &p->trace, fault);
}

static int check_break_up(struct program *p, size_t i, struct fault *fault)
{
	int err = gen_check_size(&p->step[i].params.gen, fault);

	return err < 0 ? err : check_whole(p, i, fault);
}

static int run_break_up(struct program *p, const struct step *s, struct fault *fault)
{
	const struct gen_params *g = &s->params.gen;
	_cleanup_(save_abort) struct save v = SAVE_NONE;
	int err = no_memory(xform_break_up(&p->trace, g->size_min, g->size_max, g->align, &p->rng), fault);

	if (err < 0 || !s->file)
		return err;
	err = save_open(&v, p, s, true, fault);
	if (!err)
		err = save_put(&v, &p->trace, fault);
	return err ? err : save_end(&v, &p->trace, fault);
}

static int parse_sleep(struct step *s, const char *text, struct fault *fault)
{
	return params_time(text, NS_PER_SEC, &s->sleep_ns, fault);
}

static int run_sleep(struct program *p, const struct step *s, struct fault *fault)
{
	return session_sleep(p->session, s->sleep_ns, fault);
}

int program_take_action(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct program *p = ctx;
	const struct action *action = row->data;
	struct step *s;

	if (p->step_count == p->step_capacity) {
		size_t capacity = p->step_capacity ? 2 * p->step_capacity : 8;
		struct step *more = reallocarray(p->step, capacity, sizeof(*more));

		if (!more)
			return no_memory(-ENOMEM, fault);
		p->step = more;
		p->step_capacity = capacity;
	}
	s = &p->step[p->step_count++];
	*s = (struct step){.row = row, .action = action, .params = p->params};
	p->idle = NULL;
	if (action == &foreign_import)
		p->import_param = NULL;
	if (action->run == run_create)
		p->op_param = NULL;
	if (action->parse)
		return action->parse(s, text, fault);
	if (!text)
		return 0;
	s->file = strdup(text);
	return s->file ? 0 : no_memory(-ENOMEM, fault);
}

const struct cli_row rows_action[] = {
    ACTION("create", 'c', CLI_NONE, NULL, "append requests made by the pattern", .check = check_create,
	   .run = run_create, .appends = true),
    ACTION("break-up", 'b', CLI_OPTIONAL, "[FILE]", "cut requests to the sizes of --size; FILE: step, offset, length",
	   .check = check_break_up, .run = run_break_up, .writes = true),
    ACTION("round-up", 'r', CLI_NONE, NULL, "extend requests to multiples of --align", .run = run_round_up,
	   .single = true),
    ACTION("shuffle", 'x', CLI_OPTIONAL, "[N,M]", "exchange requests N times with locality M (default: all)",
	   .parse = parse_shuffle, .run = run_shuffle),
    ACTION("load", 'l', CLI_REQUIRED, "FILE", "append the trace in FILE (-: standard input)",
	   .check = program_check_input, .run = run_load, .reads = true, .appends = true, .source = true),
    ACTION("interleave", 'i', CLI_REQUIRED, "FILE", "mix with the trace in FILE", .check = program_check_input,
	   .run = run_interleave, .reads = true),
    ACTION("save", 's', CLI_REQUIRED, "FILE", "write the trace to FILE (-: standard output)", .check = check_save,
	   .run = run_save, .writes = true, .saves = true),
    {.name = "import", .arg = CLI_REQUIRED, .arg_help = "FORMAT:FILE", .help = "append the trace of another tool",
     .take = program_take_action, .data = &foreign_import},
    {.name = "export", .arg = CLI_REQUIRED, .arg_help = "FORMAT:FILE", .help = "write the trace for another tool",
     .take = program_take_action, .data = &foreign_export},
    {.name = "play", .letter = 'p', .arg = CLI_OPTIONAL, .arg_help = "[FILE]",
     .help = "play the trace on FILE (default " PROGRAM_TARGET ")", .take = program_take_action, .data = &action_play},
    {.name = "mplay", .arg = CLI_OPTIONAL, .arg_help = "[FILE]", .help = "the same through a mapping (--engine mmap)",
     .take = program_take_action, .data = &action_mplay},
    {.name = "residency", .arg = CLI_REQUIRED, .arg_help = "FILE",
     .help = "tell what of FILE is cached; that is the trace then", .take = program_take_action,
     .data = &action_residency},
    {.name = "willneed", .arg = CLI_REQUIRED, .arg_help = "FILE", .help = "read what the trace has of FILE into the cache",
     .take = program_take_action, .data = &action_willneed},
    ACTION("sleep", '\0', CLI_REQUIRED, "SEC", "sleep for SEC", .parse = parse_sleep, .run = run_sleep,
	   .sleeps = true),
    {.name = NULL},
};
