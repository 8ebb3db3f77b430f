/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "run/rows.h"
#include "trace/cut.h"
#include "trace/filter.h"
#include "trace/remap.h"
#include "trace/sort.h"

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

static int refuse(const char *text, const char *why, struct fault *fault)
{
	char quoted[80];

	return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), text, strlen(text)), why);
}

static int parse_count(struct step *s, const char *text, struct fault *fault)
{
	return params_count(text, strlen(text), &s->number, fault);
}

static int run_head(struct program *p, const struct step *s, struct fault *fault _unused_)
{
	cut_head(&p->trace, s->number);
	return 0;
}

static int run_tail(struct program *p, const struct step *s, struct fault *fault _unused_)
{
	return cut_tail(&p->trace, s->number);
}

static int parse_share(struct step *s, const char *text, struct fault *fault)
{
	int err = params_billionths(text, &s->number, fault);

	if (err == 0 && (s->number == 0 || s->number > 1000000000))
		err = refuse(text, "must be more than 0 and at most 1", fault);
	return err;
}

static int run_sample(struct program *p, const struct step *s, struct fault *fault _unused_)
{
	return cut_sample(&p->trace, s->number, &p->rng);
}

static int run_merge(struct program *p, const struct step *s _unused_, struct fault *fault _unused_)
{
	return cut_merge(&p->trace);
}

static int parse_wrap(struct step *s, const char *text, struct fault *fault)
{
	int err = params_bytes(&s->params, text, strlen(text), &s->number, fault);

	return err == 0 && s->number == 0 ? refuse(text, "must be more than 0", fault) : err;
}

static int run_wrap(struct program *p, const struct step *s, struct fault *fault)
{
	return no_memory(cut_wrap(&p->trace, s->number), fault);
}

/* The expression is kept as text, and read again when it is needed. */
static int parse_filter(struct step *s, const char *text, struct fault *fault)
{
	_cleanup_(filter_fini) struct filter f = {0};
	int err = filter_parse(&f, text, s->params.shift, fault);

	if (err == 0) {
		s->file = strdup(text);
		err = s->file ? 0 : -ENOMEM;
	}
	return no_memory(err, fault);
}

static int run_filter(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(filter_fini) struct filter f = {0};
	int err = filter_parse(&f, s->file, s->params.shift, fault);

	return no_memory(err < 0 ? err : filter_apply(&f, &p->trace), fault);
}

static int parse_factor(struct step *s, const char *text, struct fault *fault)
{
	int err = params_billionths(text, &s->number, fault);

	return err == 0 && s->number == 0 ? refuse(text, "must be more than 0", fault) : err;
}

static int run_scale(struct program *p, const struct step *s, struct fault *fault)
{
	return remap_scale(&p->trace, s->number, s->params.gen.align, fault);
}

static int parse_shift(struct step *s, const char *text, struct fault *fault)
{
	return params_bytes_signed(&s->params, text, strlen(text), &s->delta, fault);
}

static int run_shift(struct program *p, const struct step *s, struct fault *fault)
{
	return remap_shift(&p->trace, s->delta, fault);
}

static int run_time_scale(struct program *p, const struct step *s, struct fault *fault)
{
	return remap_time(&p->trace, s->number, fault);
}

static int parse_op(struct step *s, const char *text, struct fault *fault)
{
	int op = text[0] && !text[1] ? op_of_letter(text[0]) : -1;

	if (op != OP_READ && op != OP_WRITE && op != OP_TRIM)
		return refuse(text, "not one of R W T", fault);
	s->number = (uint64_t)op;
	return 0;
}

static int run_set_op(struct program *p, const struct step *s, struct fault *fault _unused_)
{
	return remap_op(&p->trace, (enum op)s->number);
}

static int run_reverse(struct program *p, const struct step *s _unused_, struct fault *fault _unused_)
{
	return remap_reverse(&p->trace);
}

static int parse_sort(struct step *s, const char *text, struct fault *fault)
{
	s->number = strcmp(text, "time") == 0;
	return s->number || strcmp(text, "offset") == 0 ? 0 : refuse(text, "not one of offset time", fault);
}

static int run_sort(struct program *p, const struct step *s, struct fault *fault)
{
	struct trace *t = &p->trace;

	if (s->number && t->count && !t->time)
		return fault_set(fault, -EINVAL, "the trace has no times");
	return no_memory(s->number ? sort_by_time(t) : sort_by_offset(t), fault);
}

const struct cli_row rows_cut[] = {
    ACTION("filter", '\0', CLI_REQUIRED, "EXPR", "keep what matches: op=RW,offset=0-1g,length=4k-,time=0-10,file=2",
	   .parse = parse_filter, .run = run_filter, .single = true),
    ACTION("head", '\0', CLI_REQUIRED, "N", "keep the first N requests", .parse = parse_count, .run = run_head,
	   .first = true),
    ACTION("tail", '\0', CLI_REQUIRED, "N", "keep the last N requests", .parse = parse_count, .run = run_tail),
    ACTION("sample", '\0', CLI_REQUIRED, "P", "keep each request with probability P (0.1: one in ten)",
	   .parse = parse_share, .run = run_sample, .single = true, .draws = true),
    ACTION("merge", '\0', CLI_NONE, NULL, "join requests that continue the one before", .run = run_merge),
    ACTION("wrap", '\0', CLI_REQUIRED, "BYTES", "offsets modulo BYTES, requests over the edge in pieces",
	   .parse = parse_wrap, .run = run_wrap, .single = true),
    ACTION("scale", '\0', CLI_REQUIRED, "F", "multiply offsets by F (then down to a multiple of --align)",
	   .parse = parse_factor, .run = run_scale, .single = true),
    {.name = "shift",
     .arg = CLI_REQUIRED,
     .negative = true,
     .arg_help = "BYTES",
     .help = "add BYTES to offsets, may be negative",
     .take = program_take_action,
     .data = &(const struct action){.parse = parse_shift, .run = run_shift, .single = true}},
    ACTION("time-scale", '\0', CLI_REQUIRED, "F", "multiply times by F", .parse = parse_factor, .run = run_time_scale,
	   .single = true),
    ACTION("set-op", '\0', CLI_REQUIRED, "R|W|T", "make all requests reads, writes or trims (syncs stay)",
	   .parse = parse_op, .run = run_set_op, .single = true),
    ACTION("sort", '\0', CLI_REQUIRED, "offset|time", "sort; what is equal keeps its order", .parse = parse_sort,
	   .run = run_sort),
    ACTION("reverse", '\0', CLI_NONE, NULL, "the last request first, times mirrored", .run = run_reverse),
    {.name = NULL},
};
