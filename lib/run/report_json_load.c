/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report_json_load.h"

#include "base/macro.h"
#include "run/targets.h"
#include "run/rows.h"

/* All of them, the first again; null where it is the only one. */
static void targets(struct json *j, const struct report *r)
{
	const struct targets *all = r->info.targets;

	if (!all) {
		json_put_null(j, "targets");
		return;
	}
	json_open_array(j, "targets");
	for (unsigned i = 0; i < all->count; i++) {
		const struct target *t = &all->target[i];

		json_open_object(j, NULL);
		json_put_text(j, "path", t->path);
		if (t->kind == TARGET_CHAR)
			json_put_null(j, "size");
		else
			json_put_uint(j, "size", t->size);
		json_close_object(j);
	}
	json_close_array(j);
}

static void trace(struct json *j, const struct report *r)
{
	const struct trace_extent *e = &r->info.extent;

	json_open_object(j, "trace");
	json_put_uint(j, "requests", r->info.requests);
	json_put_uint(j, "bytes", e->bytes_sum);
	json_put_uint(j, "end", e->end);
	json_put_bool(j, "past_end", r->info.past_end);
	json_close_object(j);
}

static void limit(struct json *j, const char *key, uint64_t v, uint64_t none)
{
	if (v == none)
		json_put_null(j, key);
	else
		json_put_uint(j, key, v);
}

/* The bits of USE_, in their order. */
static void uses(struct json *j, unsigned use)
{
	static const char *const name[USE_COUNT] = {
	    "nowait", "dontcache", "hipri", "sqpoll", "iopoll", "plain_buffers", "populate", "executable",
	};

	json_open_array(j, "use");
	for (unsigned i = 0; i < USE_COUNT; i++)
		if (use & 1u << i)
			json_put_text(j, NULL, name[i]);
	json_close_array(j);
}

static void advice(struct json *j, const struct play_params *p)
{
	json_open_array(j, "advice");
	for (unsigned i = 0; i < p->hint_count; i++) {
		const struct io_hint *h = &p->hints[i];

		json_open_object(j, NULL);
		json_put_text(j, "name", advise_name(h->advice));
		json_put_uint(j, "offset", h->offset);
		limit(j, "length", h->length, HINT_TO_END);
		json_close_object(j);
	}
	json_close_array(j);
}

static void behind(struct json *j, const struct play_params *p, const struct play_result *result)
{
	if (!p->behind_bytes) {
		json_put_null(j, "behind");
		return;
	}
	json_open_object(j, "behind");
	json_put_text(j, "name", advise_name(p->behind));
	json_put_uint(j, "every", p->behind_bytes);
	json_put_uint(j, "calls", result->behind_calls);
	json_put_uint(j, "bytes", result->behind_bytes);
	json_put_int(j, "ns", result->behind_ns);
	json_close_object(j);
}

static void engine(struct json *j, const struct report *r, const struct play_result *result)
{
	static const char *const touch[] = {[TOUCH_PAGE] = "page", [TOUCH_BYTE] = "byte", [TOUCH_COPY] = "copy"};
	const struct play_params *p = r->params;
	bool touches = r->info.engine->flags & ENGINE_TOUCH;

	json_open_object(j, "engine");
	json_put_text(j, "name", r->info.engine->name);
	json_put_text(j, "setup", result->engine_text[0] ? result->engine_text : NULL);
	json_put_uint(j, "depth", p->depth);
	json_put_bool(j, "direct", p->direct);
	uses(j, p->use);
	json_put_text(j, "on_miss", !(p->use & USE_NOWAIT) ? NULL : p->miss == MISS_REREAD ? "reread" : "count");
	advice(j, p);
	behind(j, p, result);
	json_put_text(j, "touch", touches ? touch[p->touch] : NULL);
	json_close_object(j);
}

static void limits(struct json *j, const struct report *r)
{
	const struct play_params *p = r->params;

	json_open_object(j, "limits");
	limit(j, "requests", p->max_requests, PLAY_UNLIMITED);
	limit(j, "bytes", p->max_bytes, PLAY_UNLIMITED);
	limit(j, "ns", (uint64_t)p->max_ns, INT64_MAX);
	limit(j, "loops", p->loops, 0);
	json_put_text(j, "on_error", p->continue_on_error ? "continue" : "stop");
	json_close_object(j);
}

static void timing(struct json *j, const struct play_params *p)
{
	static const char *const name[] = {
	    [TIMING_NONE] = "none", [TIMING_RATE] = "requests", [TIMING_BYTE_RATE] = "bytes", [TIMING_TRACE] = "trace"};
	bool rate = p->timing == TIMING_RATE || p->timing == TIMING_BYTE_RATE;

	json_put_text(j, "timing", name[p->timing]);
	limit(j, "rate", rate ? p->rate : 0, 0);
	json_put_text(j, "arrival", !rate ? NULL : p->arrival == ARRIVAL_POISSON ? "poisson" : "even");
	if (p->timing == TIMING_TRACE)
		json_put_real(j, "speed", p->speed);
	else
		json_put_null(j, "speed");
	json_put_bool(j, "spin", p->spin);
	json_put_int(j, "think_ns", p->think_ns);
	json_put_int(j, "ramp_ns", p->ramp_ns);
}

static void load(struct json *j, const struct report *r)
{
	static const char *const split[] = {
	    [SPLIT_ROUND_ROBIN] = "round-robin", [SPLIT_CHUNK] = "chunk", [SPLIT_COPY] = "copy"};
	static const char *const data[] = {[DATA_ZERO] = "zero", [DATA_RANDOM] = "random", [DATA_OFFSET] = "offset"};
	const struct play_params *p = r->params;

	json_open_object(j, "load");
	json_put_uint(j, "jobs", MAX(p->jobs, 1u));
	json_put_text(j, "split", split[p->split]);
	json_put_bool(j, "processes", p->processes);
	json_open_array(j, "after_loop");
	for (unsigned i = 0; i < p->after_count; i++)
		json_put_text(j, NULL, params_after_name(p->after[i]));
	json_close_array(j);
	json_open_array(j, "cpus");
	for (unsigned i = 0; i < p->cpu_count; i++)
		json_put_uint(j, NULL, p->cpus[i]);
	json_close_array(j);
	timing(j, p);
	json_put_bool(j, "write", p->write);
	json_put_text(j, "data", p->write ? data[p->data] : NULL);
	json_put_bool(j, "dsync", p->dsync);
	json_put_uint(j, "fsync_every", p->fsync_every);
	json_put_bool(j, "verify", p->verify);
	json_close_object(j);
}

void report_json_load(struct json *j, const struct report *r, const struct play_result *result)
{
	targets(j, r);
	trace(j, r);
	engine(j, r, result);
	limits(j, r);
	load(j, r);
}
