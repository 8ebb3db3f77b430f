/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/program.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/ahead.h"
#include "run/confine.h"
#include "run/foreign.h"
#include "run/killed.h"
#include "run/memory.h"
#include "run/rows.h"
#include "run/session.h"
#include "run/step.h"
#include "run/stream.h"

struct program *program_new(const char *tool, const char *command)
{
	struct program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->tool = tool;
	p->command = command;
	p->report = stdout;
	params_init(&p->params);
	trace_init(&p->trace);
	p->trace.room = memory_has_room;
	return p;
}

/* What was changed about the machine is as it was before. */
static void restore(struct program *p)
{
	struct fault fault;

	for (size_t i = 0; i < p->step_count; i++)
		if (p->step[i].params.confine && confine_close(p, p->step[i].params.confine, &fault) < 0)
			fprintf(stderr, "%s: %s\n", p->tool, fault.text);
	undo_close(p->undo);
}

int program_undo(struct program *p, struct fault *fault)
{
	return p->undo ? 0 : undo_open(&p->undo, killed_say, fault);
}

void program_free(struct program *p)
{
	if (!p)
		return;
	restore(p);
	for (size_t i = 0; i < p->step_count; i++) {
		free(p->step[i].file);
		free(p->step[i].format);
	}
	free(p->step);
	for (size_t i = 0; i < p->kept_count; i++)
		free(p->kept[i]);
	free(p->kept);
	free(p->claim);
	trace_fini(&p->trace);
	sinks_abort(&p->sinks);
	free(p);
}

void *program_adopt(struct program *p, void *memory)
{
	void **more = reallocarray(p->kept, p->kept_count + 1, sizeof(*more));

	if (more)
		p->kept = more;
	if (!more || !memory) {
		free(memory);
		return NULL;
	}
	return more[p->kept_count++] = memory;
}

const char *program_keep(struct program *p, const char *text)
{
	return program_adopt(p, strdup(text));
}

void program_freep(struct program **p)
{
	program_free(*p);
}

void program_groups(struct program *p, bool letters, struct cli_group *out)
{
	const struct cli_group group[PROGRAM_GROUPS] = {
	    {.title = "Parameters of traces", .rows = rows_pattern},
	    {.title = "Parameters of plays: load", .rows = rows_load},
	    {.title = "Parameters of plays: engine", .rows = rows_engine},
	    {.title = "Parameters of plays: page cache", .rows = rows_cache},
	    {.title = "Parameters of plays: writing", .rows = rows_write},
	    {.title = "Parameters of plays: report", .rows = rows_report},
	    {.title = "Parameters of imports", .rows = rows_import},
	    {.title = "Actions", .rows = rows_action},
	    {.title = "Actions that cut a trace to size", .rows = rows_cut},
	};

	for (size_t i = 0; i < PROGRAM_GROUPS; i++) {
		out[i] = group[i];
		out[i].letters = letters;
		out[i].ctx = p;
	}
}

int program_take(struct program *p, const char *name, const char *text, struct fault *fault)
{
	struct cli_group group[PROGRAM_GROUPS];

	program_groups(p, false, group);
	for (size_t i = 0; i < PROGRAM_GROUPS; i++)
		for (const struct cli_row *r = group[i].rows; r->name; r++)
			if (strcmp(r->name, name) == 0)
				return r->take(p, r, text, fault);
	return fault_set(fault, -EINVAL, "no such option");
}

void program_call_json(struct program *p, const char *option)
{
	p->sinks.json_option = option;
}

size_t program_actions_count(const struct program *p)
{
	return p->step_count;
}

size_t program_plays_count(const struct program *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->step_count; i++)
		n += p->step[i].action->plays ? (size_t)p->step[i].params.repeat : 0;
	return n;
}

bool program_repeats(const struct program *p)
{
	size_t actions = 0;

	for (size_t i = 0; i < p->step_count; i++)
		actions += p->step[i].action->plays;
	return actions == 1 && program_plays_count(p) > 1;
}

bool program_takes_time(const struct program *p)
{
	for (size_t i = 0; i < p->step_count; i++)
		if (p->step[i].action->plays || p->step[i].action->sleeps || p->step[i].action->warms)
			return true;
	return false;
}

/* What an engine can do, and the options that it takes. */
static void print_abilities(const struct engine *e)
{
	printf("%-15s reads%s%s; ", "", e->flags & ENGINE_WRITE ? ", writes, syncs" : "",
	       e->flags & ENGINE_TRIM ? ", trims" : "");
	if (e->max_depth > 1)
		printf("--depth up to %u", e->max_depth);
	else
		fputs("one request in flight", stdout);
	if (e->flags & ENGINE_DIRECT)
		fputs("; --direct", stdout);
	fputs(e->flags & ENGINE_TOUCH ? "; --touch; --advise (madvise)" : "; --advise (posix_fadvise)", stdout);
	for (unsigned i = 0; i < USE_COUNT; i++)
		if (e->uses & 1u << i)
			printf("; %s", params_use_option(i));
	putchar('\n');
}

bool program_engine_help(const struct program *p)
{
	const struct engine *e;

	if (!p->engine_help)
		return false;
	for (size_t i = 0; (e = engine_at(i)) != NULL; i++) {
		struct fault why = {0};
		bool here = e->probe(&why) >= 0;

		printf("%-10s %-4s %s\n", e->name, here ? "yes" : "no", e->help);
		print_abilities(e);
		if (!here)
			printf("%-15s cannot run here: %s\n", "", why.text);
	}
	return true;
}

/* Does a step use the trace as it stands then? */
static bool is_use(const struct step *s)
{
	const struct action *a = s->action;

	return a->plays || a->saves || a->looks || a->warms || a->replaces || (a->writes && s->file);
}

/* A trace that is made and then forgotten was probably meant for something. To read it may be all that is wanted. */
static void tell_unused(const struct program *p)
{
	for (size_t i = p->step_count; i-- > 0 && !is_use(&p->step[i]);) {
		if (p->step[i].action->sleeps)
			continue;
		if (!p->step[i].params.quiet)
			fprintf(stderr, "%s: --%s: no action behind it uses the trace\n", p->tool,
				p->step[i].row->name);
		return;
	}
}

int program_check(struct program *p)
{
	const struct cli_row *idle = p->import_param ? p->import_param : p->idle;

	p->report = stdout;
	p->stdout_taken = NULL;
	p->claim_count = 0;
	if (idle) {
		fprintf(stderr, "%s: --%s: no %s stands behind it; parameters hold for what comes after them\n",
			p->tool, idle->name, p->import_param ? "--import" : "action");
		return -EINVAL;
	}
	if (p->op_param) {
		fprintf(stderr,
			"%s: --%s: no --create stands behind it; --set-op changes the requests that are there\n",
			p->tool, p->op_param->name);
		return -EINVAL;
	}
	for (size_t i = 0; i < p->step_count; i++) {
		const struct step *s = &p->step[i];
		struct fault fault = {0};
		int err = s->action->check ? s->action->check(p, i, &fault) : 0;

		if (err < 0) {
			program_complain(p, s, &fault);
			return err;
		}
	}
	tell_unused(p);
	return 0;
}

bool program_takes_stdout(const struct program *p)
{
	return p->report != stdout;
}

void program_leave_stdout(struct program *p)
{
	p->report = stderr;
}

int program_finish(const char *tool, int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status ? status : 128 + SIGPIPE;
	fprintf(stderr, "%s: standard output: %s\n", tool, strerror(errno));
	return status ? status : 1;
}
