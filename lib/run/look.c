/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/look.h"

#include <errno.h>
#include <string.h>

#include "run/survey_report.h"

/*
 * Ranges that are followed exactly before pages are sampled: about 40 MiB, so that traces of any size can be looked at
 * beside what else the machine does.
 */
#define EXACT_RANGES (UINT64_C(3) << 18)

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

int look_open(struct look *l, struct program *p, const struct step *s, struct fault *fault)
{
	l->p = p;
	l->s = s;
	return no_memory(survey_init(&l->survey, EXACT_RANGES), fault);
}

int look_put(struct look *l, const struct trace *part, struct fault *fault)
{
	return no_memory(survey_add(&l->survey, part, fault), fault);
}

static int write_json(struct look *l, struct fault *fault)
{
	struct json *j;
	int err = sinks_json(&l->p->sinks, l->s->params.json, &j, fault);

	if (err < 0)
		return err;
	json_open_object(j, NULL);
	json_put_uint(j, "schema", 1);
	json_put_text(j, "tool", l->p->tool);
	json_put_text(j, "version", VERSION);
	json_put_text(j, "command", l->p->command);
	err = survey_json(j, "stats", &l->survey);
	json_close_object(j);
	json_end_line(j);
	return err;
}

int look_end(struct look *l, struct fault *fault)
{
	int err = survey_print(l->p->report, &l->survey);

	if (err == 0 && l->s->params.json)
		err = write_json(l, fault);
	if (err < 0)
		return no_memory(err, fault);
	if (l->p->report == stdout && fflush(stdout) != 0)
		return fault_set(fault, -errno, "standard output: %s", strerror(errno));
	return 0;
}

void look_close(struct look *l)
{
	survey_fini(&l->survey);
}
