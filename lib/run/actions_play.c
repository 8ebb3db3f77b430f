/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions that play. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "run/ahead.h"
#include "run/confine.h"
#include "run/more.h"
#include "run/plan.h"
#include "run/play.h"
#include "run/report.h"
#include "run/report_json.h"
#include "run/rows.h"
#include "run/runs.h"
#include "run/session.h"

static int parse_target(struct step *s, const char *text, struct fault *fault)
{
	int err;

	if (text && text[0] == '\0')
		return fault_set(fault, -EINVAL, "the name is empty");
	err = params_target(&s->params, text ? text : PROGRAM_TARGET, &s->file, fault);
	/* Nothing of the user's can be lost there. */
	if (err == 0 && params_only_memory(&s->params.play, s->file))
		s->params.play.write = true;
	return err;
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

	if (err < 0)
		return complain_sink("log", params->log, err, fault);
	err = params->json ? program_check_file(p, params->json, "a report as JSON", fault) : 0;
	if (err < 0)
		return complain_sink(sinks_json_option(&p->sinks), params->json, err, fault);
	return 0;
}

static int check_confine(const struct confine *c, struct fault *fault)
{
	struct fault why;
	int err = c ? confine_check(c, &why) : 0;

	return err < 0 ? fault_set(fault, err, "--in-cgroup: %s", why.text) : 0;
}

static int complain_ahead(int err, struct fault *fault)
{
	struct fault why = *fault;

	return fault_set(fault, err, "--readahead: %s", why.text);
}

static int check_ahead(struct program *p, size_t i, const struct play_params *params, struct fault *fault)
{
	struct ahead a;
	int err = ahead_find(&a, params, p->step[i].params.readahead, fault);

	if (err < 0)
		return complain_ahead(err, fault);
	return ahead_end(&a, p, fault);
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
		err = check_confine(p->step[i].params.confine, fault);
	if (err == 0)
		err = check_sinks(p, &p->step[i].params, fault);
	if (err < 0)
		return err;
	play_params_of(&params, &p->step[i]);
	if (program_makes_before(p, i))
		return plan_engine(&plan, &params, fault);
	err = play_open(&play, &params, &none, fault);
	return err < 0 ? err : check_ahead(p, i, &params, fault);
}

/* A play and all its runs. */
struct performance {
	struct program *p;
	const struct step *s;
	struct play_params params;
	struct play *play;
	struct json *json;         /* of the program; NULL: none */
	struct report report;
	struct report_run run;
	struct runs runs;
	struct vmstat begin, end;  /* under json; fd -1 where there is no vmstat */
	struct ahead ahead;
	struct io_hint *hints;     /* those of the line, and what the readahead needs */
};

static void end_ahead(struct performance *f)
{
	struct fault fault;
	int err = ahead_end(&f->ahead, f->p, &fault);

	if (err < 0) {
		complain_ahead(err, &fault);
		program_complain(f->p, f->s, &fault);
	}
}

/* The readahead is changed before the targets are opened. */
static int begin_ahead(struct performance *f, struct fault *fault)
{
	unsigned n = f->params.hint_count;
	int err = ahead_find(&f->ahead, &f->params, f->s->params.readahead, fault);

	if (err == 0)
		err = ahead_begin(&f->ahead, f->p, fault);
	if (err < 0)
		return complain_ahead(err, fault);
	if (!f->ahead.by_hint)
		return 0;
	f->hints = calloc(n + 1, sizeof(*f->hints));
	if (!f->hints)
		return fault_set(fault, -ENOMEM, "no memory");
	f->hints[0] = f->ahead.hint;
	for (unsigned i = 0; i < n; i++)
		f->hints[i + 1] = f->params.hints[i];
	f->params.hints = f->hints;
	f->params.hint_count = n + 1;
	return 0;
}

static void performance_fini(struct performance *f)
{
	f->p->session->begin = f->p->session->end = NULL;
	vmstat_close(&f->begin);
	vmstat_close(&f->end);
	runs_fini(&f->runs);
	play_close(f->play);
	end_ahead(f);
	free(f->hints);
}

static int open_sinks(struct performance *f, struct fault *fault)
{
	const struct params *params = &f->s->params;
	int err = params->log ? sinks_log(&f->p->sinks, params->log, &f->params.log, fault) : 0;

	if (err < 0)
		return complain_sink("log", params->log, err, fault);
	err = params->json ? sinks_json(&f->p->sinks, params->json, &f->json, fault) : 0;
	return err < 0 ? complain_sink(sinks_json_option(&f->p->sinks), params->json, err, fault) : 0;
}

/* Where there is no vmstat, or one that cannot be read, the document says so and lacks nothing else. */
static void watch_vmstat(struct performance *f)
{
	struct fault ignored;

	if (vmstat_open(&f->begin, NULL, &ignored) < 0 || vmstat_open(&f->end, NULL, &ignored) < 0)
		return;
	f->run.begin = f->p->session->begin = &f->begin;
	f->run.end = f->p->session->end = &f->end;
}

/* Of several targets the log says which they are. */
static void remark_targets(const struct performance *f)
{
	char line[2 * 4096 + 64];

	if (!f->params.log || !f->params.map_count)
		return;
	for (unsigned i = 0; i < f->params.map_count; i++) {
		snprintf(line, sizeof(line), "play %u: file %s on %s", (unsigned)f->run.play, f->params.map[i].file,
			 f->params.map[i].target);
		log_remark(f->params.log, line);
	}
	snprintf(line, sizeof(line), "play %u: all others on %s", (unsigned)f->run.play, f->s->file);
	log_remark(f->params.log, line);
}

/* Did anything depend on the seed: what the trace is by now, what a stream will draw, gaps, or data? */
static bool uses_seed(const struct program *p, const struct step *s, const struct play_params *params)
{
	struct rng fresh;

	rng_init(&fresh, s->params.seed);
	if (memcmp(&fresh, &p->rng, sizeof(fresh)) != 0)
		return true;
	for (const struct step *each = p->step; each < s; each++)
		if (each->action->draws && each->params.seed_number == s->params.seed_number)
			return true;
	return params->arrival == ARRIVAL_POISSON || (params->write && params->data == DATA_RANDOM);
}

static int performance_init(struct performance *f, struct program *p, const struct step *s, struct fault *fault)
{
	int err;

	*f = (struct performance){.p = p, .s = s, .begin.fd = -1, .end.fd = -1, .ahead.bytes = AHEAD_AS_IT_IS};
	play_params_of(&f->params, s);
	f->params.more = p->more;
	f->params.cgroup = s->params.confine ? &s->params.confine->group : NULL;
	err = open_sinks(f, fault);
	if (err == 0)
		err = begin_ahead(f, fault);
	if (err == 0)
		err = play_open(&f->play, &f->params, &p->trace, fault);
	if (err < 0)
		return err;
	f->report = (struct report){.tool = p->tool,
				    .command = p->command,
				    .file = s->file,
				    .seed = s->params.seed,
				    .seed_used = uses_seed(p, s, &f->params),
				    .quiet = s->params.quiet,
				    .one_of_many = s->params.repeat > 1,
				    .params = &f->params,
				    .ahead = &f->ahead,
				    .log_name = s->params.log};
	play_get_info(f->play, &f->report.info);
	f->run = (struct report_run){.runs = s->params.repeat};
	for (const struct step *each = p->step; each <= s; each++)
		f->run.play += each->action->plays;
	remark_targets(f);
	if (f->json)
		watch_vmstat(f);
	return 0;
}

/* The play of one run, with its log. */
static int play_logged(struct performance *f, struct play_result *result, struct fault *fault)
{
	struct session *session = f->p->session;
	bool progress = session->progress;
	int err = f->params.log ? log_begin(f->params.log, MAX(f->params.jobs, 1u), fault) : 0;

	*result = (struct play_result){.cache_left = UINT64_MAX};
	if (err < 0)
		return err;
	session->progress = progress && !f->s->params.quiet;
	err = session_play(session, f->play, result, fault);
	session->progress = progress;
	if (f->params.log)
		log_end(f->params.log, &f->report.log);
	return err;
}

/*
 * Everything that is told of a run; what all have in common after the last. Where the engine failed before the first
 * request was issued there are no figures, only why.
 */
static int tell(struct performance *f, const struct play_result *result, bool last, struct fault *fault)
{
	FILE *out = f->p->report;
	bool many = f->report.one_of_many;
	int err = many && !result->stopped_by && !f->report.failure ? runs_add(&f->runs, result) : 0;

	if (err < 0)
		return fault_set(fault, err, "no memory");
	if (!f->report.failure || result->requests > 0) {
		report_play(out, &f->report, result);
		report_troubles(stderr, &f->report, result);
	}
	if (many && last && f->runs.count > 0) {
		if (!f->report.quiet)
			report_setup(out, &f->report, result);
		runs_report(&f->runs, out);
		f->run.summary = &f->runs;
	}
	if (f->json)
		report_json(f->json, &f->report, result, &f->run);
	if (out == stdout && fflush(stdout) != 0)
		return fault_set(fault, -errno, "standard output: %s", strerror(errno));
	return 0;
}

/* One run. 0, 1 for failures that the exit status is to tell, or -errno. */
static int play_once(struct performance *f, struct fault *fault)
{
	struct play_result result;
	char failure[sizeof(((struct fault *)0)->text) + 64];
	struct fault why;
	int err, told;
	bool last;

	f->run.run++;
	f->run.start_unix_ns = clock_unix();
	err = play_logged(f, &result, fault);
	why = *fault;
	fault->text[0] = '\0';
	f->report.failure = err < 0 ? why.text : NULL;
	if (err < 0)
		program_complain(f->p, f->s, &why);
	else if (f->params.more && !result.stopped_by && !result.hit_limit && !result.stopped_by_error)
		f->report.failure = more_failure(f->params.more, failure, sizeof(failure));
	last = f->run.run == f->run.runs || err < 0 || result.stopped_by_error || stop_signal();
	told = tell(f, &result, last, fault);
	if (told < 0)
		return told;
	if (err < 0 || result.stopped_by_error)
		return err < 0 ? err : -EIO;
	return report_is_clean(&result) ? 0 : 1;
}

/*
 * Which file of the trace goes where. The requests of several on one target become a pattern that none of them saw, so
 * that is said too.
 */
static void tell_files(const struct program *p, const struct step *s)
{
	const struct play_params *play = &s->params.play;
	const struct trace *t = &p->trace;
	size_t i = 0;

	if (s->params.quiet)
		return;
	for (unsigned m = 0; m < play->map_count; m++)
		fprintf(stderr, "%s: file %s of the trace is played on %s\n", p->tool, play->map[m].file,
			play->map[m].target);
	if (!play->all_on_one || play->map_count > 0)
		return;
	while (t->file && i < t->count && t->file[i] == t->file[0])
		i++;
	if (t->file && i < t->count)
		fprintf(stderr, "%s: %s takes the requests of several files (%" PRIu32 ", %" PRIu32 "...)\n", p->tool,
			s->file, t->file[0], t->file[i]);
}

static int run_play(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(performance_fini) struct performance f;
	int err = performance_init(&f, p, s, fault), status = 0;

	if (err < 0)
		return err;
	tell_files(p, s);
	report_past_end(stderr, &f.report, &p->trace, f.params.max_requests);
	while (f.run.run < f.run.runs && !stop_signal()) {
		err = play_once(&f, fault);
		if (err < 0)
			return err;
		status |= err;
	}
	return status;
}

const struct action action_play = {.parse = parse_target, .check = check_play, .run = run_play, .plays = true};
const struct action action_mplay = {.parse = parse_mapped_target, .check = check_play, .run = run_play, .plays = true};
