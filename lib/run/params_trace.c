/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of traces: numbers, limits, patterns. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
#include "run/foreign.h"
#include "run/rows.h"
#include "trace/dist.h"

static int take_unit(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	int shift = text[0] && !text[1] ? units_shift(text[0]) : -1;

	if (shift < 0)
		return params_refuse(fault, text, strlen(text), "not one of p b k m g t");
	row_params(ctx, row)->shift = (unsigned)shift;
	return 0;
}

static int take_offset(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
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
		return params_refuse(fault, text, strlen(text), "the range is empty: BEGIN must be less than END");
	p->gen.begin = begin;
	p->gen.end = end;
	return 0;
}

static int take_size(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
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
		return params_refuse(fault, text, strlen(text), min ? "MIN is more than MAX" : "must be more than 0");
	p->gen.size_min = min;
	p->gen.size_max = max;
	return 0;
}

/* Of --skip and --stride the later one holds, so that either can be taken back. */
static int take_skip(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
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
		return params_refuse(fault, text, strlen(text), "MIN is more than MAX");
	p->gen.skip_min = min;
	p->gen.skip_max = max;
	p->gen.stride = 0;
	return 0;
}

static int take_stride(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	int err = params_take_number(ctx, row, text, fault);

	if (err == 0)
		p->gen.skip_min = p->gen.skip_max = 0;
	return err;
}

static int take_align(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	size_t n = strlen(text);
	uint64_t align;
	int err = params_bytes(p, text, n, &align, fault);

	if (err < 0)
		return err;
	if (align == 0 || (align & (align - 1)) != 0)
		return params_refuse(fault, text, n, "not a power of two");
	p->gen.align = align;
	return 0;
}

static int take_pattern(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	int pattern = pattern_of_name(text);

	if (pattern < 0)
		return params_refuse(fault, text, strlen(text), "not one of sequential backward random ooo stride");
	row_params(ctx, row)->gen.pattern = (enum pattern)pattern;
	return 0;
}

static int take_pdf(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	return dist_parse(text, &row_params(ctx, row)->gen.dist, fault);
}

/* Of --op and --write-percent the later one holds. */
static int take_op(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct gen_params *g = &row_params(ctx, row)->gen;
	int op = text[0] && !text[1] ? op_of_letter(text[0]) : -1;

	if (op < 0)
		return params_refuse(fault, text, strlen(text), "not one of R W T S D");
	((struct program *)ctx)->op_param = row;
	g->op = (enum op)op;
	g->write_part = 0;
	return 0;
}

static int take_write_percent(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct gen_params *g = &row_params(ctx, row)->gen;
	size_t n = strlen(text);
	const char *why;
	double percent;

	if (units_fraction(text, n, &percent, &why) < 0)
		return params_refuse(fault, text, n, why);
	if (percent > 100)
		return params_refuse(fault, text, n, "is more than 100");
	((struct program *)ctx)->op_param = row;
	g->op = OP_READ;
	g->write_part = percent / 100;
	return 0;
}

static int take_seed(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	int err = params_count(text, strlen(text), &p->seed, fault);

	if (err == 0)
		p->seed_number++;
	return err;
}

const struct cli_row rows_pattern[] = {
    ROW("unit", "p|b|k|m|g|t", take_unit, "unit of numbers without a letter (p: pages of 4096 bytes)"),
    ROW_NUMBER("max-requests", "N|none", "at most N requests", gen.max_requests, .kind = COUNT, .min = 1,
	       .none = GEN_UNLIMITED),
    ROW_NUMBER("max-bytes", "BYTES|none", "at most BYTES", gen.max_bytes, .kind = BYTES, .min = 1,
	       .none = GEN_UNLIMITED),
    ROW_NUMBER("max-seconds", "SEC|none", "play for at most SEC", play.max_ns, .kind = TIME, .scale = NS_PER_SEC,
	       .min = 1, .none = INT64_MAX),
    ROW("offset", "[BEGIN,]END", take_offset, "range of the offsets, END not included (default 0,10m)"),
    ROW("size", "MIN[,MAX]", take_size, "sizes of the requests (default 1p)"),
    ROW("skip", "MIN[,MAX]", take_skip, "bytes left out between two requests, may be negative", .negative = true),
    ROW("stride", "BYTES", take_stride, "distance between the starts of two requests",
	.data = NUMBER(gen.stride, .kind = BYTES, .min = 1)),
    ROW("align", "BYTES", take_align, "offsets and sizes are multiples of BYTES, a power of two"),
    ROW("pattern", "PATTERN", take_pattern, "sequential backward random ooo stride"),
    ROW("pdf", "DISTRIBUTION", take_pdf, "uniform clustered zipf:THETA pareto:H normal:DEV"),
    ROW("op", "R|W|T|S|D", take_op, "create reads (default), writes, trims, syncs or datasyncs"),
    ROW("write-percent", "P", take_write_percent, "create reads of which P percent are writes, drawn"),
    ROW("seed", "N", take_seed, "start the random numbers anew from N (default: drawn, and reported)"),
    ROW_CHOICE("split-by", "file|job", "save a trace for each file, or job: FILE.0, FILE.1 ... (none: one)", split_by,
	       "none", "file", "job"),
    ROW_FLAG("by-time", by_time, "interleave by the times of the requests"),
    {.name = NULL},
};

const struct cli_row rows_import[] = {
    ROW("path", "GLOB", foreign_take, "import only files or devices whose name matches",
	.data = &foreign_param[FOREIGN_PATH]),
    ROW("inode", "N", foreign_take, "import only this inode (ftrace)", .data = &foreign_param[FOREIGN_INODE]),
    ROW("event", "EVENT", foreign_take, "blkparse, blktrace: Q, D or C; ftrace: of add,get,map,fault",
	.data = &foreign_param[FOREIGN_EVENT]),
    ROW("csv-columns", "NAME[:UNIT],...", foreign_take, "columns of a csv import: time op offset length file -",
	.data = &foreign_param[FOREIGN_COLUMNS]),
    ROW("import-ops", "LETTERS|all", foreign_take, "what to import of r w t s d (default rw)",
	.data = &foreign_param[FOREIGN_OPS]),
    {.name = "lenient",
     .arg = CLI_NONE,
     .take = foreign_take,
     .help = "leave out and count lines that are not understood",
     .data = &foreign_param[FOREIGN_LENIENT]},
    {.name = NULL},
};
