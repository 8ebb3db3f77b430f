/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of plays. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/rows.h"

static int take_engine(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	const struct engine *engine = engine_of_name(text);

	if (strcmp(text, "help") == 0) {
		((struct program *)ctx)->engine_help = true;
		return 0;
	}
	if (!engine)
		return params_refuse(fault, text, strlen(text), "no such engine; --engine help lists them");
	row_params(ctx, row)->play.engine = engine->name;
	return 0;
}

static int take_on_error(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	bool stop = strcmp(text, "stop") == 0;

	if (!stop && strcmp(text, "continue") != 0)
		return params_refuse(fault, text, strlen(text), "not one of stop continue");
	row_params(ctx, row)->play.continue_on_error = !stop;
	return 0;
}

int params_check_play(const struct params *params _unused_, struct fault *fault _unused_)
{
	return 0;
}

const struct cli_row rows_load[] = {
    ROW_NUMBER("think-time", "MSEC", "pause of MSEC after each request", play.think_ns, .kind = TIME,
	       .scale = NS_PER_MSEC),
    ROW_NUMBER("depth", "N", "requests in flight (engines libaio and io_uring)", play.depth, .kind = COUNT, .min = 1,
	       .max = UINT32_MAX),
    {.name = NULL},
};

const struct cli_row rows_engine[] = {
    ROW("engine", "NAME|help", take_engine, "how requests are issued; help: list the engines"),
    ROW_FLAG("direct", play.direct, "read past the page cache (O_DIRECT)"),
    ROW_FLAG("keep-cache", play.keep_cache, "do not drop the cached pages of FILE before a play"),
    ROW_CHOICE("advise", "ADVICE", "mmap: normal random sequential willneed hugepage", play.advice, "normal", "random",
	       "sequential", "willneed", "hugepage"),
    {.name = NULL},
};

const struct cli_row rows_report[] = {
    ROW("on-error", "stop|continue", take_on_error, "what a failed request does to the play (default stop)"),
    ROW_FLAG("quiet", quiet, "report by one line, no progress"),
    {.name = NULL},
};
