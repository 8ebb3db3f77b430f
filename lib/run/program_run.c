/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of the command line, run in their order. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/ahead.h"
#include "run/confine.h"
#include "run/foreign.h"
#include "run/memory.h"
#include "run/origin.h"
#include "run/session.h"
#include "run/step.h"
#include "run/stream.h"

void program_complain(const struct program *p, const struct step *s, const struct fault *fault)
{
	const char *file = s->file;
	struct origin origin;

	if (file && strcmp(file, "-") == 0 && !s->action->plays)
		file = s->action->reads ? "standard input" : "standard output";
	if (fault->line) {
		fprintf(stderr, "%s: %s:%" PRIu64 ": %s\n", p->tool, file, fault->line, fault->text);
		return;
	}
	fprintf(stderr, "%s: ", p->tool);
	if (fault->request && origin_find(&origin, p, s, fault->request))
		fprintf(stderr, "%s:%" PRIu64 ": ", origin.file, origin.line);
	fprintf(stderr, "--%s: %s%s", s->row->name, file ? file : "", file ? ": " : "");
	if (fault->request)
		fprintf(stderr, "request %" PRIu64 ": ", fault->request);
	fprintf(stderr, "%s\n", fault->text);
}

/* The exit status of an action that failed with err; prints what it did not print itself. */
static int failed(const struct program *p, const struct step *s, int err, const struct fault *fault)
{
	if (stop_signal())
		return 128 + stop_signal();
	if (err == -EPIPE)
		return 128 + SIGPIPE;
	if (fault->text[0])
		program_complain(p, s, fault);
	/* -EOVERFLOW: offsets or times that what was asked of the trace moves out of range */
	return err == -EINVAL || err == -EOVERFLOW ? 2 : 1;
}

/* The step behind number i for which the whole trace has to be in memory; NULL: none. */
static const struct step *needs_whole(const struct program *p, size_t i)
{
	const struct step *streamed = NULL;

	for (i++; i < p->step_count; i++) {
		const struct action *a = p->step[i].action;

		if (a->appends || a->single || a->first || a->sleeps)
			continue;
		if (streamed || !(a->plays || a->saves || a->looks))
			return &p->step[i];
		streamed = &p->step[i];
	}
	return streamed;
}

/* Step number i had no memory for the trace: say so, and for what it has to be there. */
static void tell_memory(const struct program *p, size_t i, struct fault *fault)
{
	const struct step *whole = needs_whole(p, i);
	size_t used;

	if (strcmp(fault->text, "no memory") == 0 || strcmp(fault->text, "out of memory") == 0)
		memory_refuse(&p->trace, fault);
	if (strncmp(fault->text, "the trace ", 10) != 0 || !p->step[i].action->appends || !whole)
		return;
	used = strlen(fault->text);
	snprintf(fault->text + used, sizeof(fault->text) - used, "; --%s needs the whole of it", whole->row->name);
}

/* Changed in place, a mapped trace becomes memory page by page, and nobody would ask whether there is enough of it. */
static bool has_room_to_change(const struct program *p, const struct action *a)
{
	bool changes = !(a->appends || a->plays || a->sleeps || a->saves || a->looks || a->warms || a->replaces ||
			 a == &foreign_export);

	return !changes || !p->trace.map || trace_has_room(&p->trace, p->trace.map_size);
}

/* Step *i, and those behind it that run with it; *i then stands behind them. As action.run, about step *i. */
static int run_step(struct program *p, size_t *i, struct fault *fault)
{
	const struct step *s = &p->step[*i];
	int r, status = 0;

	if (stream_end(p, *i)) {
		r = stream_run(p, *i, i, &status, fault);
		return r < 0 ? r : status;
	}
	if (s->params.seed_number != p->seed_number) {
		rng_init(&p->rng, s->params.seed);
		p->seed_number = s->params.seed_number;
	}
	if (!has_room_to_change(p, s->action))
		return memory_refuse(&p->trace, fault);
	r = s->action->run(p, s, fault);
	if (r == -ENOMEM)
		tell_memory(p, *i, fault);
	*i += r >= 0;
	return r;
}

int program_confine(struct program *p)
{
	for (size_t i = 0; i < p->step_count; i++) {
		const struct step *s = &p->step[i];
		struct fault fault;

		if (!s->action->plays)
			continue;
		if ((s->params.confine && confine_open(p, s->params.confine, &fault) < 0) ||
		    (s->params.readahead != AHEAD_AS_IT_IS && program_undo(p, &fault) < 0)) {
			program_complain(p, s, &fault);
			return 1;
		}
	}
	return 0;
}

const char *program_cgroup(const struct program *p)
{
	for (size_t i = 0; i < p->step_count; i++)
		if (p->step[i].action->plays && p->step[i].params.confine)
			return p->step[i].params.confine->group.folder;
	return NULL;
}

static int run_steps(struct program *p)
{
	int status = 0;

	for (size_t i = 0; i < p->step_count;) {
		struct fault fault = {0};
		int result = run_step(p, &i, &fault);

		if (result < 0)
			return failed(p, &p->step[i], result, &fault);
		if (stop_signal())
			return 128 + stop_signal();
		if (result > 0)
			status = 1;
	}
	return status;
}

int program_run(struct program *p, struct session *session)
{
	struct fault fault = {0};
	int status, err;

	p->session = session;
	rng_init(&p->rng, p->step_count ? p->step[0].params.seed : p->params.seed);
	p->seed_number = p->step_count ? p->step[0].params.seed_number : 0;
	status = program_confine(p);
	if (status == 0)
		status = run_steps(p);
	/* also when the program failed: what was logged until then tells why */
	err = sinks_close(&p->sinks, &fault);
	if (err == 0 || status > 1)
		return status;
	if (err == -EPIPE)
		return 128 + SIGPIPE;
	fprintf(stderr, "%s: %s\n", p->tool, fault.text);
	return 1;
}
