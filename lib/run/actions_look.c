/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "run/rows.h"
#include "run/step.h"
#include "run/survey_report.h"

/*
 * Ranges that are followed exactly before pages are sampled: about 60 MiB, so that traces of any size can be looked at
 * beside what else the machine does.
 */
#define EXACT_RANGES (UINT64_C(1) << 20)

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

static int check_stats(struct program *p, size_t i, struct fault *fault)
{
	const char *json = p->step[i].params.json;

	return json ? program_check_file(p, json, "a report as JSON", fault) : 0;
}

static int stats_json(struct program *p, const struct step *s, const struct survey *survey, struct fault *fault)
{
	struct json *j;
	int err = sinks_json(&p->sinks, s->params.json, &j, fault);

	if (err < 0)
		return err;
	json_open_object(j, NULL);
	json_put_uint(j, "schema", 1);
	json_put_text(j, "tool", p->tool);
	json_put_text(j, "version", VERSION);
	json_put_text(j, "command", p->command);
	err = survey_json(j, "stats", survey);
	json_close_object(j);
	json_end_line(j);
	return err;
}

static int run_stats(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(survey_fini) struct survey survey = {0};
	int err = survey_init(&survey, EXACT_RANGES);

	if (err == 0)
		err = survey_add(&survey, &p->trace, fault);
	if (err == 0)
		err = survey_print(p->report, &survey);
	if (err == 0 && s->params.json)
		err = stats_json(p, s, &survey, fault);
	if (err < 0)
		return no_memory(err, fault);
	if (p->report == stdout && fflush(stdout) != 0)
		return fault_set(fault, -errno, "standard output: %s", strerror(errno));
	return 0;
}

const struct cli_row rows_look[] = {
    ACTION("stats", '\0', CLI_NONE, NULL, "tell what the trace is like: sizes, seeks, pages, misses of caches",
	   .check = check_stats, .run = run_stats),
    {.name = NULL},
};
