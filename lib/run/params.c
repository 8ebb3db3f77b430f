/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
#include "run/foreign.h"
#include "run/step.h"
#include "trace/dist.h"

void params_init(struct params *p)
{
	*p = (struct params){
	    .shift = PAGE_SHIFT,
	    .max_ns = INT64_MAX,
	    .seed = rng_draw_seed(),
	    .engine = "pread",
	    .depth = 1,
	};
	gen_params_init(&p->gen);
}

static int refuse_token(struct fault *fault, const char *s, size_t n, const char *why)
{
	char quoted[80];

	return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), s, n), why);
}

int params_bytes(const struct params *p, const char *s, size_t n, uint64_t *bytes, struct fault *fault)
{
	const char *why;

	return units_bytes(s, n, p->shift, bytes, &why) < 0 ? refuse_token(fault, s, n, why) : 0;
}

int params_count(const char *s, size_t n, uint64_t *count, struct fault *fault)
{
	const char *why;

	return units_count(s, n, count, &why) < 0 ? refuse_token(fault, s, n, why) : 0;
}

int params_bytes_signed(const struct params *p, const char *s, size_t n, int64_t *bytes, struct fault *fault)
{
	const char *why;

	return units_bytes_signed(s, n, p->shift, bytes, &why) < 0 ? refuse_token(fault, s, n, why) : 0;
}

int params_billionths(const char *s, uint64_t *billionths, struct fault *fault)
{
	const char *why;
	size_t n = strlen(s);

	return units_billionths(s, n, billionths, &why) < 0 ? refuse_token(fault, s, n, why) : 0;
}

int params_time(const char *s, int64_t scale, int64_t *ns, struct fault *fault)
{
	const char *why;
	size_t n = strlen(s);

	return units_time(s, n, scale, ns, &why) < 0 ? refuse_token(fault, s, n, why) : 0;
}

const char *params_split(const char *text, size_t *first)
{
	const char *comma = strchr(text, ',');

	*first = comma ? (size_t)(comma - text) : strlen(text);
	return comma ? comma + 1 : NULL;
}

static struct params *params_of(void *ctx)
{
	return &((struct program *)ctx)->params;
}

/* The data of a row that is one number. */
struct number {
	size_t where; /* of an uint64_t, or an int64_t for times, in struct params */
	enum { BYTES, COUNT, TIME } kind;
	int64_t scale;	   /* of times */
	uint64_t min, max; /* max 0: none */
};

#define NUMBER(field, ...) (&(const struct number){.where = offsetof(struct params, field), __VA_ARGS__})

static int take_number(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	const struct number *number = row->data;
	size_t n = strlen(text);
	uint64_t value;
	int64_t ns;
	int err;

	if (number->kind == TIME) {
		err = params_time(text, number->scale, &ns, fault);
		value = (uint64_t)ns;
	} else {
		err = number->kind == BYTES ? params_bytes(p, text, n, &value, fault)
					    : params_count(text, n, &value, fault);
	}
	if (err < 0)
		return err;
	if (value < number->min)
		return refuse_token(fault, text, n, "must be more than 0");
	if (number->max && value > number->max)
		return refuse_token(fault, text, n, "is too large");
	memcpy((char *)p + number->where, &value, sizeof(value));
	return 0;
}

/* The data of a row without an argument. */
#define FLAG(field) (&(const size_t){offsetof(struct params, field)})

static int take_flag(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault _unused_)
{
	*((bool *)params_of(ctx) + *(const size_t *)row->data) = true;
	return 0;
}

static int take_unit(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	int shift = text[0] && !text[1] ? units_shift(text[0]) : -1;

	if (shift < 0)
		return refuse_token(fault, text, strlen(text), "not one of p b k m g t");
	params_of(ctx)->shift = (unsigned)shift;
	return 0;
}

static int take_offset(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	size_t n;
	const char *second = params_split(text, &n);
	uint64_t begin, end;
	int err = params_bytes(p, text, n, &begin, fault);

	if (err < 0)
		return err;
	if (second) {
		err = params_bytes(p, second, strlen(second), &end, fault);
	} else {
		end = begin;
		begin = 0;
	}
	if (err < 0)
		return err;
	if (begin >= end)
		return refuse_token(fault, text, strlen(text), "the range is empty: BEGIN must be less than END");
	p->gen.begin = begin;
	p->gen.end = end;
	return 0;
}

static int take_size(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	size_t n;
	const char *second = params_split(text, &n);
	uint64_t min, max;
	int err = params_bytes(p, text, n, &min, fault);

	if (err < 0)
		return err;
	max = min;
	if (second)
		err = params_bytes(p, second, strlen(second), &max, fault);
	if (err < 0)
		return err;
	if (min == 0 || min > max)
		return refuse_token(fault, text, strlen(text), min ? "MIN is more than MAX" : "must be more than 0");
	p->gen.size_min = min;
	p->gen.size_max = max;
	return 0;
}

/* Of --skip and --stride the later one holds, so that either can be taken back. */
static int take_skip(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	size_t n;
	const char *second = params_split(text, &n);
	int64_t min, max;
	int err = params_bytes_signed(p, text, n, &min, fault);

	if (err < 0)
		return err;
	max = min;
	if (second)
		err = params_bytes_signed(p, second, strlen(second), &max, fault);
	if (err < 0)
		return err;
	if (min > max)
		return refuse_token(fault, text, strlen(text), "MIN is more than MAX");
	p->gen.skip_min = min;
	p->gen.skip_max = max;
	p->gen.stride = 0;
	return 0;
}

static int take_stride(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	int err = take_number(ctx, row, text, fault);

	if (err == 0)
		p->gen.skip_min = p->gen.skip_max = 0;
	return err;
}

static int take_align(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	size_t n = strlen(text);
	uint64_t align;
	int err = params_bytes(p, text, n, &align, fault);

	if (err < 0)
		return err;
	if (align == 0 || (align & (align - 1)) != 0)
		return refuse_token(fault, text, n, "not a power of two");
	p->gen.align = align;
	return 0;
}

static int take_pattern(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	int pattern = pattern_of_name(text);

	if (pattern < 0)
		return refuse_token(fault, text, strlen(text), "not one of sequential backward random ooo stride");
	params_of(ctx)->gen.pattern = (enum pattern)pattern;
	return 0;
}

static int take_pdf(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	return dist_parse(text, &params_of(ctx)->gen.dist, fault);
}

static int take_seed(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	struct params *p = params_of(ctx);
	int err = params_count(text, strlen(text), &p->seed, fault);

	if (err == 0)
		p->seed_number++;
	return err;
}

static int take_engine(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	const struct engine *engine = engine_of_name(text);

	if (strcmp(text, "help") == 0) {
		((struct program *)ctx)->engine_help = true;
		return 0;
	}
	if (!engine)
		return refuse_token(fault, text, strlen(text), "no such engine; --engine help lists them");
	params_of(ctx)->engine = engine->name;
	return 0;
}

static int take_on_error(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	bool stop = strcmp(text, "stop") == 0;

	if (!stop && strcmp(text, "continue") != 0)
		return refuse_token(fault, text, strlen(text), "not one of stop continue");
	params_of(ctx)->continue_on_error = !stop;
	return 0;
}

static int take_advise(void *ctx, const struct cli_row *row _unused_, const char *text, struct fault *fault)
{
	static const char *const name[] = {
	    [ADVISE_NORMAL] = "normal",
	    [ADVISE_RANDOM] = "random",
	    [ADVISE_SEQUENTIAL] = "sequential",
	    [ADVISE_WILLNEED] = "willneed",
	};

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		if (strcmp(text, name[i]) != 0)
			continue;
		params_of(ctx)->advice = (enum io_advice)i;
		return 0;
	}
	return refuse_token(fault, text, strlen(text), "not one of normal random sequential willneed");
}

#define ROW(name_, arg_, take_, help_, ...)                                                                     \
	{                                                                                                       \
		.name = name_, .arg = CLI_REQUIRED, .arg_help = arg_, .take = take_, .help = help_, __VA_ARGS__ \
	}
#define ROW_FLAG(name_, field_, help_)                                                                 \
	{                                                                                              \
		.name = name_, .arg = CLI_NONE, .take = take_flag, .help = help_, .data = FLAG(field_) \
	}

const struct cli_row program_parameters[] = {
    ROW("unit", "p|b|k|m|g|t", take_unit, "unit of numbers without a letter (p: pages of 4096 bytes)"),
    ROW("max-requests", "N", take_number, "at most N requests",
	.data = NUMBER(gen.max_requests, .kind = COUNT, .min = 1)),
    ROW("max-bytes", "BYTES", take_number, "at most BYTES", .data = NUMBER(gen.max_bytes, .kind = BYTES, .min = 1)),
    ROW("max-seconds", "SEC", take_number, "play for at most SEC",
	.data = NUMBER(max_ns, .kind = TIME, .scale = NS_PER_SEC, .min = 1)),
    ROW("offset", "[BEGIN,]END", take_offset, "range of the offsets, END not included (default 0,10m)"),
    ROW("size", "MIN[,MAX]", take_size, "sizes of the requests (default 1p)"),
    ROW("skip", "MIN[,MAX]", take_skip, "bytes left out between two requests, may be negative", .negative = true),
    ROW("stride", "BYTES", take_stride, "distance between the starts of two requests",
	.data = NUMBER(gen.stride, .kind = BYTES, .min = 1)),
    ROW("align", "BYTES", take_align, "offsets and sizes are multiples of BYTES, a power of two"),
    ROW("pattern", "PATTERN", take_pattern, "sequential backward random ooo stride"),
    ROW("pdf", "DISTRIBUTION", take_pdf, "uniform clustered zipf:THETA pareto:H normal:DEV"),
    ROW("seed", "N", take_seed, "start the random numbers anew from N (default: drawn, and reported)"),
    ROW("think-time", "MSEC", take_number, "pause of MSEC after each request",
	.data = NUMBER(think_ns, .kind = TIME, .scale = NS_PER_MSEC)),
    ROW("engine", "NAME|help", take_engine, "how requests are issued; help: list the engines"),
    ROW("depth", "N", take_number, "requests in flight (engines libaio and io_uring)",
	.data = NUMBER(depth, .kind = COUNT, .min = 1, .max = UINT32_MAX)),
    ROW_FLAG("direct", direct, "read past the page cache (O_DIRECT)"),
    ROW("advise", "ADVICE", take_advise, "normal random sequential willneed"),
    ROW_FLAG("keep-cache", keep_cache, "do not drop the cached pages of FILE before a play"),
    ROW("on-error", "stop|continue", take_on_error, "what a failed request does to the play (default stop)"),
    ROW("path", "GLOB", foreign_take, "import only files or devices whose name matches", .data = &foreign_param[FOREIGN_PATH]),
    ROW("inode", "N", foreign_take, "import only this inode (ftrace)", .data = &foreign_param[FOREIGN_INODE]),
    ROW("event", "EVENT", foreign_take, "blkparse, blktrace: Q, D or C; ftrace: of add,get,map,fault",
	.data = &foreign_param[FOREIGN_EVENT]),
    ROW("csv-columns", "NAME[:UNIT],...", foreign_take, "columns of a csv import: time op offset length file -",
	.data = &foreign_param[FOREIGN_COLUMNS]),
    ROW("import-ops", "LETTERS|all", foreign_take, "what to import of r w t s d (default rw)",
	.data = &foreign_param[FOREIGN_OPS]),
    {.name = "lenient", .arg = CLI_NONE, .take = foreign_take, .help = "leave out and count lines that are not understood",
     .data = &foreign_param[FOREIGN_LENIENT]},
    ROW_FLAG("by-time", by_time, "--interleave by the times of the requests"),
    ROW_FLAG("quiet", quiet, "report by one line, no progress"),
    {.name = NULL},
};
