/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/plan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/hits.h"
#include "run/pin.h"

#define SLOT_MAX (UINT64_C(1) << 20)
#define SLOT_MAX_LONG (UINT64_C(1) << 21)
#define ALL_SLOTS_MAX (UINT64_C(256) << 20)
/* Of a trace that is not known to its end, which is to cost little memory however long it is. */
#define ALL_SLOTS_MAX_MORE (UINT64_C(16) << 20)

static uint64_t round_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* What of the load shape and the timing does not go together. */
static int check_timing(const struct play_params *params, struct fault *fault)
{
	bool rate = params->timing == TIMING_RATE || params->timing == TIMING_BYTE_RATE;

	if (params->timing == TIMING_NONE && params->spin)
		return fault_set(fault, -EINVAL,
				 "only a wait for the time of a request can be a busy one: there is no rate "
				 "and no trace's time to keep");
	if (params->timing != TIMING_NONE && params->think_ns > 0)
		return fault_set(fault, -EINVAL, "a pause after each request and times to keep do not go together");
	if (rate && params->rate == 0)
		return fault_set(fault, -EINVAL, "a rate of 0 issues nothing");
	if (params->timing == TIMING_TRACE && !(params->speed > 0 && params->speed < 1e12))
		return fault_set(fault, -EINVAL, "a speed must be above 0, and below 10^12");
	return 0;
}

static int check_writing(const struct engine *e, const struct play_params *params, struct fault *fault)
{
	if (!params->write && params->dsync)
		return fault_set(fault, -EINVAL, "synchronous writes need leave to write");
	if (!params->write && params->fsync_every > 0)
		return fault_set(fault, -EINVAL, "syncs after writes need leave to write");
	if (!params->verify)
		return 0;
	if (params->write && params->data != DATA_OFFSET)
		return fault_set(fault, -EINVAL,
				 "what is verified is data of offsets, so that is what has to be written too");
	if (e->flags & ENGINE_TOUCH && params->touch != TOUCH_COPY)
		return fault_set(fault, -EINVAL, "engine %s can --verify only what it copies (--touch copy)", e->name);
	if (!(e->flags & (ENGINE_BUFFER | ENGINE_TOUCH)))
		return fault_set(fault, -EINVAL, "engine %s reads nothing that could be verified", e->name);
	return 0;
}

/* What is wanted of memory in place of a file, and of what is mapped. */
static int check_memory(const struct engine *e, const struct play_params *params, const char *target,
			struct fault *fault)
{
	if (!target_is_memory(target))
		return 0;
	if (params->direct)
		return fault_set(fault, -EINVAL, "memory (%s) has no direct I/O", target);
	if (target_is_anon(target) && !(e->flags & ENGINE_TOUCH))
		return fault_set(fault, -EINVAL,
				 "anonymous memory has no descriptor, which engine %s needs: mmap plays on it, and all engines on "
				 "memfd:SIZE", e->name);
	return 0;
}

static int check_mapped(const struct engine *e, const struct play_params *params, struct fault *fault)
{
	int r = check_memory(e, params, params->target, fault);

	for (unsigned i = 0; i < params->map_count && r == 0; i++)
		r = check_memory(e, params, params->map[i].target, fault);
	for (unsigned i = 0; i < params->after_count && r == 0; i++)
		if (params->after[i] != AFTER_BARRIER && params->after[i] != AFTER_FORK && !e->advise)
			r = fault_set(fault, -EINVAL,
				      "engine %s has mapped nothing whose pages could be released after a loop",
				      e->name);
	return r;
}

static int check_jobs(const struct play_params *params, struct fault *fault)
{
	if (params->jobs > PLAY_JOBS_MAX)
		return fault_set(fault, -EINVAL, "%u jobs are too many; %u are not", params->jobs, PLAY_JOBS_MAX);
	for (unsigned i = 0; i < params->cpu_count; i++)
		if (pin_check(params->cpus[i]) < 0)
			return fault_set(fault, -EINVAL, "no job can run on CPU %u here", params->cpus[i]);
	return 0;
}

int plan_engine(struct play_plan *plan, const struct play_params *params, struct fault *fault)
{
	const struct engine *e = engine_of_name(params->engine);
	char quoted[64];
	int r;

	if (!e)
		return fault_set(fault, -EINVAL, "no engine is called %s",
				 fault_quote(quoted, sizeof(quoted), params->engine, strlen(params->engine)));
	plan->engine = e;
	plan->params = (struct engine_params){
		.fd = -1,
		.depth = params->depth,
		.use = params->use,
		.hints = params->hints,
		.hint_count = params->hint_count,
		.touch = params->touch,
		.direct = params->direct,
		.write = params->write,
		.dsync = params->dsync,
	};
	r = hits_plan(e, params, &plan->hits, &plan->params.use, fault);
	if (r == 0)
		r = engine_check(e, &plan->params, fault);
	if (r == 0)
		r = check_mapped(e, params, fault);
	if (r == 0)
		r = check_jobs(params, fault);
	if (r == 0)
		r = check_timing(params, fault);
	if (r == 0)
		r = check_writing(e, params, fault);
	return r < 0 ? r : e->probe(fault);
}

/* Nothing is written, discarded or synced by a replay that was not asked for it in words. */
static int only_reads(const struct trace *t, const struct trace_extent *extent, uint64_t first, struct fault *fault)
{
	const struct req *r = t->req;
	char list[160] = "";
	size_t used = 0;
	unsigned kinds = 0;

	for (enum op op = OP_READ; op < OP_COUNT; op++) {
		if (op == OP_READ || extent->ops[op] == 0)
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%ju %s%s", kinds++ ? ", " : "",
					 (uintmax_t)extent->ops[op], op_name(op), extent->ops[op] == 1 ? "" : "s");
	}
	if (kinds == 0)
		return 0;
	while (req_op(*r) == OP_READ)
		r++;
	return fault_set_request(fault, -EINVAL, first + (uint64_t)(r - t->req) + 1,
				 "a play only reads without --write, and the trace has %s", list);
}

/* file: the one that may be without a target of its own. */
static int only_one_file(const struct play_plan *plan, const struct trace *t, uint64_t first, uint32_t file,
			 struct fault *fault)
{
	const struct targets *all = plan->targets;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t other = t->file ? t->file[i] : 0;

		if (other != file && !targets_has_own(all, other))
			return fault_set_request(fault, -EINVAL, first + i + 1,
						 "the trace is of several files (this one is of file %u, the first of file %u); "
						 "--file-map %u=FILE plays that on FILE, --file-map one all on one",
						 other, file, other);
		if (!t->file)
			break;
	}
	return 0;
}

/*
 * The tail of a file that is no multiple of align is read by a request for the whole block; a write of the whole would
 * make the file longer.
 */
static int refuse_unaligned(struct req r, uint64_t number, uint64_t size, uint64_t align, struct fault *fault)
{
	uint64_t offset = req_offset(r), length = req_length(r);

	if (req_op(r) == OP_WRITE && size - offset < length && (size & (align - 1)) != 0 && (offset & (align - 1)) == 0)
		return fault_set_request(fault, -EINVAL, number,
					 "offset %ju, length %ju: the target ends within it, at %ju, and direct writes end at "
					 "multiples of %ju bytes",
					 (uintmax_t)offset, (uintmax_t)length, (uintmax_t)size, (uintmax_t)align);
	return fault_set_request(fault, -EINVAL, number,
				 "offset %ju, length %ju: direct I/O on this target wants multiples of %ju bytes "
				 "(--align %jub --round-up before the play makes them so)",
				 (uintmax_t)offset, (uintmax_t)length, (uintmax_t)align, (uintmax_t)align);
}

static int all_aligned(const struct play_plan *plan, const struct trace *t, uint64_t first, struct fault *fault)
{
	uint64_t align = plan->rules.align;

	for (size_t i = 0; i < t->count; i++) {
		enum op op = req_op(t->req[i]);
		uint64_t offset = req_offset(t->req[i]), length = req_length(t->req[i]);
		uint64_t size = targets_size(plan->targets, t, i), inside = flight_inside(size, offset, length);
		bool tail = offset + inside == size && op != OP_WRITE;

		if (inside == 0 || (op != OP_READ && op != OP_WRITE))
			continue;
		if ((offset & (align - 1)) == 0 && ((inside & (align - 1)) == 0 || tail))
			continue;
		return refuse_unaligned(t->req[i], first + i + 1, size, align, fault);
	}
	return 0;
}

static int some_times(const struct trace *t, struct fault *fault)
{
	if (t->count == 0)
		return 0;
	for (size_t i = 0; t->time && i < t->count; i++)
		if (t->time[i] != TIME_NONE)
			return 0;
	return fault_set(fault, -EINVAL, "the trace has no times that --timed could keep");
}

static void plan_buffers(struct play_plan *plan, const struct play_params *params, uint32_t dio_memory)
{
	uint64_t slots = (uint64_t)params->depth * MAX(params->jobs, 1);
	uint64_t longest = params->more ? SLOT_MAX : plan->extent.max_length;
	uint64_t unit = MAX(plan->rules.align, PAGE_BYTES), most = round_up(MIN(longest, IO_MAX), unit);
	/* A longer request fills its buffer over and over; ENGINE_IOVS times 2 MiB is more than one call moves. */
	uint64_t cap = most > SLOT_MAX * ENGINE_IOVS ? SLOT_MAX_LONG : SLOT_MAX;
	uint64_t share = (params->more ? ALL_SLOTS_MAX_MORE : ALL_SLOTS_MAX) / slots & ~(unit - 1);

	plan->rules.piece_max = IO_MAX & ~(unit - 1);
	if (engine_needs_buffers(plan->engine, &plan->params)) {
		plan->params.buf_size = MAX(MIN(most, MIN(cap, share)), unit);
		plan->buf_align = MAX(unit, dio_memory);
		plan->rules.piece_max = MIN(plan->rules.piece_max, plan->params.buf_size * ENGINE_IOVS);
	}
	/* What differs from place to place is made, or compared, a buffer at a time. */
	if (params->verify || (params->write && params->data != DATA_ZERO))
		plan->rules.piece_max = MIN(plan->rules.piece_max, MAX(plan->params.buf_size, unit));
	plan->params.max_length = params->more ? plan->rules.piece_max : MAX(MIN(most, plan->rules.piece_max), unit);
}

/* What is plain: no request where each wants a look, and none beside writes whose data would have to be made anew. */
static void plan_plain(struct play_plan *plan, const struct play_params *params)
{
	struct flight_rules *rules = &plan->rules;
	uint64_t end = rules->size & ~(rules->align - 1);
	bool zeros =
	    params->write && plan->engine->write_many && params->data == DATA_ZERO && params->touch == TOUCH_PAGE;

	if (params->verify || plan->hits == HITS_FAULTS || rules->targets)
		return;
	rules->plain_end = !params->write || zeros ? end : 0;
	rules->zero_end = zeros ? end : 0;
}

int plan_trace(struct play_plan *plan, const struct play_params *params, const struct trace *t,
	       const struct targets *targets, struct fault *fault)
{
	const uint32_t dio_offset = targets_dio_offset(targets);
	int r = params->timing == TIMING_TRACE ? some_times(t, fault) : 0;

	if (r < 0)
		return r;
	trace_extent(t, &plan->extent);
	plan->targets = targets;
	plan->rules = (struct flight_rules){
		.targets = targets->count > 1 ? targets : NULL,
		.size = targets->file[0].size,
		.align = params->direct && dio_offset ? dio_offset : 1,
	};
	plan->rules.nowait = plan->params.use & USE_NOWAIT;
	plan->rules.reread = params->hits || params->miss == MISS_REREAD;
	plan->rules.verify = params->verify;
	plan_plain(plan, params);
	plan->params.size = plan->rules.size;
	plan->params.fd = targets->file[0].fd;
	plan_buffers(plan, params, params->direct ? targets_dio_memory(targets) : 0);
	return plan_part(plan, params, t, 0, targets_default_file(targets, t, 0), fault);
}

int plan_part(const struct play_plan *plan, const struct play_params *params, const struct trace *t, uint64_t first,
	      uint32_t file, struct fault *fault)
{
	struct trace_extent extent;
	int r;

	trace_extent(t, &extent);
	r = params->write ? 0 : only_reads(t, &extent, first, fault);
	if (r == 0 && extent.ops[OP_TRIM] && !(plan->engine->flags & ENGINE_TRIM))
		r = fault_set(fault, -EINVAL, "the trace has trims, which engine %s cannot do", plan->engine->name);
	if (r == 0)
		r = params->all_on_one ? 0 : only_one_file(plan, t, first, file, fault);
	if (r < 0 || !params->direct)
		return r;
	return all_aligned(plan, t, first, fault);
}
