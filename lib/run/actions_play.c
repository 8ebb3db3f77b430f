/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions that play. */
#include <errno.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/plan.h"
#include "run/play.h"
#include "run/report.h"
#include "run/rows.h"
#include "run/session.h"

static int parse_target(struct step *s, const char *text, struct fault *fault)
{
	if (text && text[0] == '\0')
		return fault_set(fault, -EINVAL, "the name is empty");
	s->file = strdup(text ? text : PROGRAM_TARGET);
	return s->file ? 0 : fault_set(fault, -ENOMEM, "no memory");
}

static int parse_mapped_target(struct step *s, const char *text, struct fault *fault)
{
	s->params.play.engine = "mmap";
	return parse_target(s, text, fault);
}

static void play_params_of(struct play_params *out, const struct step *s)
{
	const struct params *p = &s->params;

	*out = p->play;
	out->target = s->file;
	out->max_requests = p->gen.max_requests;
	out->max_bytes = p->gen.max_bytes;
	out->seed = p->seed;
}

static int complain_sink(const char *option, const char *file, int err, struct fault *fault)
{
	struct fault why = *fault;

	return fault_set(fault, err, "--%s: %s: %s", option, file, why.text);
}

/* The files beside the report. */
static int check_sinks(struct program *p, const struct params *params, struct fault *fault)
{
	int err = params->log ? program_check_file(p, params->log, "a log", fault) : 0;

	return err < 0 ? complain_sink("log", params->log, err, fault) : 0;
}

static int open_sinks(struct program *p, const struct params *params, struct log **log, struct fault *fault)
{
	int err = params->log ? sinks_log(&p->sinks, params->log, log, fault) : 0;

	return err < 0 ? complain_sink("log", params->log, err, fault) : 0;
}

/* As the play itself will, but on no requests. */
static int check_play(struct program *p, size_t i, struct fault *fault)
{
	_cleanup_(play_closep) struct play *play = NULL;
	const struct trace none = {0};
	struct play_plan plan;
	struct play_params params;
	int err;

	err = params_check_play(&p->step[i].params, fault);
	if (err == 0)
		err = check_sinks(p, &p->step[i].params, fault);
	if (err < 0)
		return err;
	play_params_of(&params, &p->step[i]);
	return program_makes_before(p, i) ? plan_engine(&plan, &params, fault) : play_open(&play, &params, &none, fault);
}

/* One run. 0, 1 for failures that the exit status is to tell, or -errno. */
static int play_once(struct program *p, const struct step *s, struct play *play, const struct report *report,
		     struct fault *fault)
{
	bool progress = p->session->progress;
	struct play_result result;
	int err;

	p->session->progress = progress && !s->params.quiet;
	err = session_play(p->session, play, &result, fault);
	p->session->progress = progress;
	if (err < 0)
		program_complain(p, s, fault);
	report_play(p->report, report, &result);
	report_troubles(stderr, report, &result);
	fault->text[0] = '\0';
	if (p->report == stdout && fflush(stdout) != 0)
		return fault_set(fault, -errno, "standard output: %s", strerror(errno));
	if (err < 0 || result.stopped_by_error)
		return err < 0 ? err : -EIO;
	return report_is_clean(&result) ? 0 : 1;
}

static int run_play(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(play_closep) struct play *play = NULL;
	struct report report = {
	    .tool = p->tool, .command = p->command, .file = s->file, .seed = s->params.seed, .quiet = s->params.quiet};
	struct play_params params;
	int err, status = 0;

	play_params_of(&params, s);
	err = open_sinks(p, &s->params, &params.log, fault);
	if (err == 0)
		err = play_open(&play, &params, &p->trace, fault);
	if (err < 0)
		return err;
	play_get_info(play, &report.info);
	report_past_end(stderr, &report, &p->trace, params.max_requests);
	for (uint64_t i = 0; i < s->params.repeat && !stop_signal(); i++) {
		err = play_once(p, s, play, &report, fault);
		if (err < 0)
			return err;
		status |= err;
	}
	return status;
}

const struct action action_play = {.parse = parse_target, .check = check_play, .run = run_play, .plays = true};
const struct action action_mplay = {.parse = parse_mapped_target, .check = check_play, .run = run_play, .plays = true};
