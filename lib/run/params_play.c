/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of plays. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
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

/* Of the timings the later one holds. */
static int take_rate(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct play_params *p = &row_params(ctx, row)->play;
	size_t n = strlen(text);
	bool bytes = n && units_shift(text[n - 1]) >= 0;
	const char *why;
	uint64_t rate;
	int err = bytes ? units_bytes(text, n, 0, &rate, &why) : units_count(text, n, &rate, &why);

	if (err < 0)
		return params_refuse(fault, text, n, why);
	if (rate == 0)
		return params_refuse(fault, text, n, "must be more than 0");
	/* More than one a nanosecond cannot be told apart from as fast as possible. */
	if (!bytes && rate > (uint64_t)NS_PER_SEC)
		return params_refuse(fault, text, n, "is more than one request a nanosecond");
	p->timing = bytes ? TIMING_BYTE_RATE : TIMING_RATE;
	p->rate = rate;
	return 0;
}

static int take_timed(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault _unused_)
{
	row_params(ctx, row)->play.timing = TIMING_TRACE;
	return 0;
}

static int take_speed(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	size_t n = strlen(text);
	const char *why;
	double speed;

	if (units_fraction(text, n, &speed, &why) < 0)
		return params_refuse(fault, text, n, why);
	/* so that a time of 63 bits stays one, or nearly nothing of it stays */
	if (speed < 1e-6 || speed > 1e6)
		return params_refuse(fault, text, n,
				     speed > 0 ? "not between 0.000001 and 1000000" : "must be more than 0");
	row_params(ctx, row)->play.speed = speed;
	return 0;
}

/* Longer lists than any machine has CPUs are slips. */
#define CPUS_MAX 65536

/* "A" or "A-B" of n bytes. */
static int parse_cpus(const char *s, size_t n, uint64_t *first, uint64_t *last, struct fault *fault)
{
	const char *dash = memchr(s, '-', n);
	size_t left = dash ? (size_t)(dash - s) : n;
	int err = params_count(s, left, first, fault);

	*last = *first;
	if (err == 0 && dash)
		err = params_count(dash + 1, n - left - 1, last, fault);
	if (err == 0 && *last < *first)
		err = params_refuse(fault, s, n, "upside down");
	if (err == 0 && *last >= CPUS_MAX)
		err = params_refuse(fault, s, n, "no machine has so many CPUs");
	return err;
}

static int take_pin(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct play_params *p = &row_params(ctx, row)->play;
	_cleanup_free_ unsigned *cpu = NULL;
	unsigned count = 0;
	size_t n;

	do {
		const char *next = params_split(text, &n);
		uint64_t first, last;
		unsigned *more;
		int err = parse_cpus(text, n, &first, &last, fault);

		if (err < 0)
			return err;
		if (last - first >= CPUS_MAX - count)
			return fault_set(fault, -EINVAL, "the list is too long");
		more = reallocarray(cpu, count + (size_t)(last - first) + 1, sizeof(*cpu));
		if (!more)
			return fault_set(fault, -ENOMEM, "no memory");
		cpu = more;
		while (first <= last)
			cpu[count++] = (unsigned)first++;
		text = next;
	} while (text);
	p->cpus = program_adopt(ctx, TAKE_PTR(cpu));
	p->cpu_count = count;
	return p->cpus ? 0 : fault_set(fault, -ENOMEM, "no memory");
}

int params_take_use(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault _unused_)
{
	row_params(ctx, row)->play.use |= *(const unsigned *)row->data;
	return 0;
}

static int take_nowait(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct play_params *p = &row_params(ctx, row)->play;

	if (text && strcmp(text, "reread") != 0 && strcmp(text, "count") != 0)
		return params_refuse(fault, text, strlen(text), "not one of count reread");
	p->use |= USE_NOWAIT;
	p->miss = text && text[0] == 'r' ? MISS_REREAD : MISS_COUNT;
	return 0;
}

static int take_fixed_buffers(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct play_params *p = &row_params(ctx, row)->play;

	if (strcmp(text, "yes") == 0)
		p->use &= ~USE_PLAIN_BUFFERS;
	else if (strcmp(text, "no") == 0)
		p->use |= USE_PLAIN_BUFFERS;
	else
		return params_refuse(fault, text, strlen(text), "not one of yes no");
	return 0;
}

/* "one", or "FILE=TARGET": one more of these. A step before this one keeps the list it has. */
static int take_file_map(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct play_params *p = &row_params(ctx, row)->play;
	const char *equals = strrchr(text, '=');
	struct play_map *map;
	char *file, *target;
	int err;

	if (strcmp(text, "one") == 0) {
		p->all_on_one = true;
		return 0;
	}
	if (!equals || equals == text || !equals[1])
		return params_refuse(fault, text, strlen(text), "neither one nor FILE=TARGET");
	err = params_target(row_params(ctx, row), equals + 1, &target, fault);
	if (err < 0)
		return err;
	target = program_adopt(ctx, target);
	map = calloc(p->map_count + 1, sizeof(*map));
	if (!map)
		return fault_set(fault, -ENOMEM, "no memory");
	if (p->map_count)
		memcpy(map, p->map, p->map_count * sizeof(*map));
	file = strndup(text, (size_t)(equals - text));
	map[p->map_count] = (struct play_map){.file = program_adopt(ctx, file), .target = target};
	p->map = program_adopt(ctx, map);
	if (!p->map || !target || !p->map[p->map_count].file)
		return fault_set(fault, -ENOMEM, "no memory");
	p->map_count++;
	return 0;
}

/* The data of a row that is the name of a file. */
static int take_file(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	const char *kept = text[0] ? program_keep(ctx, text) : NULL;

	if (!kept)
		return text[0] ? fault_set(fault, -ENOMEM, "no memory")
			       : fault_set(fault, -EINVAL, "the name is empty");
	memcpy((char *)row_params(ctx, row) + *(const size_t *)row->data, &kept, sizeof(kept));
	return 0;
}

const char *params_use_option(unsigned bit)
{
	static const char *const option[USE_COUNT] = {
	    "--nowait", "--dontcache", "--hipri", "--sqpoll", "--iopoll", "--fixed-buffers no", "--populate",
	    "--executable",
	};

	return option[bit];
}

/* What is asked of an engine that it has not; engine_check() knows no options, and not who has it. */
static int check_uses(const struct play_params *p, struct fault *fault)
{
	const struct engine *e = engine_of_name(p->engine), *other;
	unsigned lacks = p->use & ~e->uses, bit;
	char others[80] = "";
	size_t used = 0;

	if (!lacks)
		return 0;
	bit = (unsigned)__builtin_ctz(lacks);
	for (size_t i = 0; (other = engine_at(i)) != NULL; i++)
		if (other->uses & 1u << bit)
			used += (size_t)snprintf(others + used, sizeof(others) - used, " %s", other->name);
	return fault_set(fault, -EINVAL, "%s is not for engine %s but for:%s", params_use_option(bit), e->name, others);
}

int params_check_play(const struct params *params, struct fault *fault)
{
	const struct play_params *p = &params->play;
	const char *lacks = p->dsync ? "--sync" : p->fsync_every ? "--fsync-every" : NULL;
	int err;

	if (p->timing != TIMING_NONE && p->think_ns)
		return fault_set(fault, -EINVAL,
				 "--think-time, %s: a request is due either after the one before, or at its time",
				 p->timing == TIMING_TRACE ? "--timed" : "--rate");
	if (p->arrival != ARRIVAL_EVEN && (p->timing == TIMING_NONE || p->timing == TIMING_TRACE))
		return fault_set(fault, -EINVAL, "--arrival poisson needs --rate");
	if (p->speed != 1 && p->timing != TIMING_TRACE)
		return fault_set(fault, -EINVAL, "--speed needs --timed");
	if (p->spin && p->timing == TIMING_NONE)
		return fault_set(fault, -EINVAL, "--spin needs --timed or --rate: nothing is waited for");
	if (p->loops == 0 && p->max_ns == INT64_MAX && params->gen.max_requests == GEN_UNLIMITED &&
	    params->gen.max_bytes == GEN_UNLIMITED)
		return fault_set(fault, -EINVAL,
				 "--loops 0 never ends without --max-seconds, --max-requests or --max-bytes");
	if (!p->write && lacks)
		return fault_set(fault, -EINVAL, "%s needs --write", lacks);
	if (p->write && p->verify && p->data != DATA_OFFSET)
		return fault_set(fault, -EINVAL,
				 "--verify reads back what --data offset has written, and no other data");
	if (params->log && !p->latency)
		return fault_set(fault, -EINVAL, "--log, --no-latency: a log is made of times");
	if (p->use & (USE_HIPRI | USE_IOPOLL) && !p->direct)
		return fault_set(fault, -EINVAL, "--%s needs --direct: a page cache cannot be polled",
				 p->use & USE_HIPRI ? "hipri" : "iopoll");
	if (p->direct && p->cache >= CACHE_WARM)
		return fault_set(fault, -EINVAL,
				 "--cache %s, --direct: what goes past the page cache needs none that is warm",
				 p->cache == CACHE_WARM ? "warm" : "cold");
	err = params_check_advise(p, fault);
	return err < 0 ? err : check_uses(p, fault);
}

const struct cli_row rows_load[] = {
    ROW_NUMBER("think-time", "MSEC", "pause of MSEC after each request", play.think_ns, .kind = TIME,
	       .scale = NS_PER_MSEC),
    ROW_NUMBER("depth", "N", "requests in flight of a job (engines libaio and io_uring)", play.depth, .kind = COUNT,
	       .min = 1, .max = UINT32_MAX),
    ROW_NUMBER("jobs", "N", "threads that play, each with its share of the trace", play.jobs, .kind = COUNT, .min = 1,
	       .max = PLAY_JOBS_MAX),
    ROW_CHOICE("split", "HOW", "the jobs' shares: round-robin (default), chunk, copy", play.split, "round-robin",
	       "chunk", "copy"),
    ROW("pin", "CPUS", take_pin, "job i runs on the i-th CPU of the list (0,2-3), over and over"),
    ROW_FLAG("processes", play.processes, "processes in place of threads"),
    {.name = "barrier", .take = params_take_barrier, .help = "the same as --after-loop barrier"},
    ROW_NUMBER("loops", "N", "play the trace N times (0: until a limit)", play.loops, .kind = COUNT),
    ROW("after-loop", "LIST", params_take_after_loop, "then do: barrier, dontneed, cold, pageout, fork"),
    ROW("file-map", "FILE=TARGET|one", take_file_map, "play this file of the trace on its own target; or all on one"),
    ROW("rate", "N|BYTES", take_rate, "N requests, or with a unit letter BYTES, a second"),
    ROW_CHOICE("arrival", "HOW", "gaps under --rate: even (default) or poisson", play.arrival, "even", "poisson"),
    {.name = "timed", .take = take_timed, .help = "issue requests at their times in the trace"},
    ROW("speed", "F", take_speed, "let the times of --timed pass F times as fast"),
    ROW_FLAG("spin", play.spin, "wait the last microseconds busily (--rate, --timed)"),
    ROW_NUMBER("ramp", "SEC", "leave the first SEC of a play out of all figures", play.ramp_ns, .kind = TIME,
	       .scale = NS_PER_SEC),
    ROW_NUMBER("repeat", "N", "play N times; report each, mean and deviation", repeat, .kind = COUNT, .min = 1,
	       .max = 1000000),
    {.name = NULL},
};

const struct cli_row rows_engine[] = {
    ROW("engine", "NAME|help", take_engine, "how requests are issued; help: list the engines"),
    ROW_FLAG("direct", play.direct, "go past the page cache (O_DIRECT)"),
    {.name = "nowait",
     .arg = CLI_OPTIONAL,
     .arg_help = "[count|reread]",
     .take = take_nowait,
     .help = "count what is not cached as a miss (RWF_NOWAIT)"},
    ROW_USE("hipri", USE_HIPRI, "preadv2: poll the device (with --direct)"),
    ROW_USE("sqpoll", USE_SQPOLL, "io_uring: a kernel thread takes the requests"),
    ROW_USE("iopoll", USE_IOPOLL, "io_uring: poll the device (with --direct)"),
    ROW("fixed-buffers", "yes|no", take_fixed_buffers, "io_uring: register the buffers (default yes)"),
    ROW_CHOICE("touch", "WHAT", "mmap: page (its first byte, default), byte or copy", play.touch, "page", "byte",
	       "copy"),
    ROW_USE("populate", USE_POPULATE, "mmap: fill the page tables first (MAP_POPULATE)"),
    ROW_USE("executable", USE_EXECUTABLE, "mmap: map it as programs are (PROT_EXEC)"),
    {.name = NULL},
};

const struct cli_row rows_write[] = {
    ROW_FLAG("write", play.write, "let plays write, trim and sync; without it they only read"),
    ROW_CHOICE("data", "WHAT", "what is written: zero (default), random, offset", play.data, "zero", "random",
	       "offset"),
    ROW_FLAG("verify", play.verify, "compare what is read with --data offset"),
    ROW_FLAG("sync", play.dsync, "each write is on the device when it is done (O_DSYNC)"),
    ROW_NUMBER("fsync-every", "N", "an fsync after every N writes of a job", play.fsync_every, .kind = COUNT),
    {.name = NULL},
};

const struct cli_row rows_report[] = {
    ROW("on-error", "stop|continue", take_on_error, "what a failed request does to the play (default stop)"),
    ROW_FLAG_TO("no-latency", play.latency, true, "take no times of requests"),
    ROW("log", "FILE", take_file, "a line for each request; *.csv, *.bin: in that form",
	.data = &(const size_t){offsetof(struct params, log)}),
    ROW("json", "FILE", take_file, "the report as JSON (-: standard output)",
	.data = &(const size_t){offsetof(struct params, json)}),
    ROW_FLAG("quiet", quiet, "report by one line, no progress"),
    {.name = NULL},
};
