/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report_json.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/macro.h"
#include "io/site.h"
#include "run/report_cache.h"
#include "run/report_json_load.h"
#include "run/verdict.h"

static void head(struct json *j, const struct report *r, const struct report_run *run)
{
	struct utsname u;
	char kernel[256] = "";

	if (uname(&u) == 0)
		snprintf(kernel, sizeof(kernel), "%.64s %.64s %.64s", u.sysname, u.release, u.machine);
	json_put_uint(j, "schema", 1);
	json_put_text(j, "tool", r->tool);
	json_put_text(j, "version", VERSION);
	json_put_text(j, "command", r->command);
	json_put_text(j, "kernel", kernel);
	json_put_int(j, "start_unix_ns", run->start_unix_ns);
	json_put_uint(j, "play", run->play);
	json_put_uint(j, "run", run->run);
	json_put_uint(j, "runs", run->runs);
	json_put_uint(j, "seed", r->seed);
	json_put_bool(j, "seed_used", r->seed_used);
}

/* Text, or null where it is empty. */
static void put_known(struct json *j, const char *key, const char *text)
{
	json_put_text(j, key, text[0] ? text : NULL);
}

static void target(struct json *j, const struct report *r, const struct play_result *result)
{
	static const char *const kind[] = {
	    [TARGET_FILE] = "file", [TARGET_BLOCK] = "block device", [TARGET_CHAR] = "character device",
	    [TARGET_MEMFD] = "memfd", [TARGET_ANON] = "anonymous memory"};
	const struct target *t = r->info.target;
	struct site site;

	site_of_target(t, &site);
	json_open_object(j, "target");
	json_put_text(j, "path", r->file);
	json_put_text(j, "kind", kind[t->kind]);
	if (t->kind == TARGET_CHAR)
		json_put_null(j, "size");
	else
		json_put_uint(j, "size", t->size);
	put_known(j, "file_system", site.file_system);
	put_known(j, "device", site.device);
	if (site.read_ahead_kb < 0)
		json_put_null(j, "read_ahead_kb");
	else
		json_put_int(j, "read_ahead_kb", site.read_ahead_kb);
	put_known(j, "scheduler", site.scheduler);
	json_put_bool(j, "cache_dropped", r->params->cache != CACHE_KEEP && r->params->cache != CACHE_WARM);
	if (result->cache_left == UINT64_MAX)
		json_put_null(j, "cache_left_pages");
	else
		json_put_uint(j, "cache_left_pages", result->cache_left);
	json_close_object(j);
}

static void put_told(struct json *j, const char *key, uint64_t v)
{
	if (v == UINT64_MAX)
		json_put_null(j, key);
	else
		json_put_uint(j, key, v);
}

static void cache_state(struct json *j, const struct report *r, const struct play_result *result)
{
	static const char *const state[] = {[CACHE_DROP_FIRST] = "drop first",
					    [CACHE_DROP] = "drop",
					    [CACHE_KEEP] = "keep",
					    [CACHE_WARM] = "warm",
					    [CACHE_COLD] = "cold"};
	const struct play_params *p = r->params;

	json_open_object(j, "cache_state");
	json_put_text(j, "state", state[p->cache]);
	json_open_array(j, "cold");
	for (unsigned i = 0; i < p->cold_count && p->cache == CACHE_COLD; i++) {
		json_open_object(j, NULL);
		json_put_uint(j, "offset", p->cold[i].offset);
		put_told(j, "length", p->cold[i].length);
		json_close_object(j);
	}
	json_close_array(j);
	json_put_uint(j, "times", result->cache.times);
	json_put_int(j, "ns", result->cache.ns);
	json_put_uint(j, "warm_pages", result->cache.warm);
	put_told(j, "missing_pages", result->cache.missing);
	put_told(j, "left_pages", result->cache_left);
	json_close_object(j);
}

static void readahead(struct json *j, const struct report *r)
{
	const struct ahead *a = r->ahead;

	if (!a || a->bytes == AHEAD_AS_IT_IS) {
		json_put_null(j, "readahead");
		return;
	}
	json_open_object(j, "readahead");
	json_put_uint(j, "bytes", a->bytes);
	json_put_text(j, "advice", a->by_hint ? advise_name(a->hint.advice) : NULL);
	json_open_array(j, "devices");
	for (unsigned i = 0; i < a->count; i++) {
		json_open_object(j, NULL);
		json_put_text(j, "file", a->device[i].file);
		json_put_uint(j, "was", a->device[i].was);
		json_put_uint(j, "is", a->device[i].is);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
}

static void cgroup(struct json *j, const struct report *r, const struct play_result *result)
{
	const struct cgroup *g = r->params->cgroup;

	if (!g) {
		json_put_null(j, "cgroup");
		return;
	}
	json_open_object(j, "cgroup");
	json_put_text(j, "folder", g->folder);
	json_put_bool(j, "made", g->made);
	put_told(j, "limit", g->limit);
	put_told(j, "used", result->cgroup.now);
	put_told(j, "peak", result->cgroup.peak);
	put_told(j, "at_limit", result->cgroup.at_limit);
	json_close_object(j);
}

/* The figures that a job has like the whole. */
static void totals(struct json *j, const struct play_result *r)
{
	json_put_uint(j, "requests", r->requests);
	json_put_uint(j, "bytes", r->bytes);
	json_put_uint(j, "short_requests", r->short_reads);
	json_put_uint(j, "short_bytes", r->short_bytes);
	json_put_uint(j, "past_end_requests", r->past_end_requests);
	json_put_uint(j, "past_end_bytes", r->past_end_bytes);
	json_put_uint(j, "misses", r->misses);
	json_put_uint(j, "miss_bytes", r->miss_bytes);
	json_put_uint(j, "bad_requests", r->bad_requests);
	json_put_uint(j, "bad_words", r->bad_words);
	json_put_uint(j, "errors", r->errors);
	json_put_uint(j, "seeks", r->seeks);
	json_put_int(j, "elapsed_ns", r->elapsed_ns);
	json_put_int(j, "user_ns", r->user_ns);
	json_put_int(j, "system_ns", r->system_ns);
	json_put_uint(j, "minor_faults", r->minor_faults);
	json_put_uint(j, "major_faults", r->major_faults);
	json_put_uint(j, "faults_per_second", (uint64_t)(play_faults_per_second(r) + 0.5));
	json_put_uint(j, "ramp_requests", r->ramp_requests);
	json_put_uint(j, "added_syncs", r->added_syncs);
	json_put_uint(j, "loops", r->loops);
	json_put_uint(j, "most_in_flight", r->most_in_flight);
}

static const char *end_of(const struct play_result *r, const struct report *report)
{
	if (report->failure)
		return "failure";
	if (r->stopped_by)
		return "signal";
	if (r->stopped_by_error)
		return "error";
	return r->hit_limit ? "limit" : "end";
}

static void ended(struct json *j, const struct play_result *r, const struct report *report)
{
	json_put_text(j, "ended_by", end_of(r, report));
	if (r->stopped_by)
		json_put_int(j, "signal", r->stopped_by);
	else
		json_put_null(j, "signal");
	json_put_text(j, "failure", report->failure);
}

static void errnos(struct json *j, const struct play_result *r)
{
	json_open_array(j, "errnos");
	for (unsigned i = 0; i < r->error_kinds; i++) {
		const struct play_error *e = &r->error[i];

		json_open_object(j, NULL);
		json_put_int(j, "errno", e->error);
		json_put_text(j, "name", strerrorname_np(e->error));
		json_put_uint(j, "count", e->count);
		json_put_uint(j, "first_offset", e->first_offset);
		json_put_uint(j, "first_length", e->first_length);
		json_put_uint(j, "first_request", e->first_request);
		json_close_object(j);
	}
	json_close_array(j);
	if (r->bad_requests) {
		json_open_object(j, "first_bad");
		json_put_uint(j, "offset", r->first_bad_offset);
		json_put_uint(j, "value", r->first_bad_value);
		json_put_uint(j, "request", r->first_bad_request);
		json_close_object(j);
	} else {
		json_put_null(j, "first_bad");
	}
}

static void ops(struct json *j, const struct play_result *r)
{
	json_open_object(j, "ops");
	for (enum op op = 0; op < OP_COUNT; op++) {
		if (r->op[op].requests == 0)
			continue;
		json_open_object(j, op_name(op));
		json_put_uint(j, "requests", r->op[op].requests);
		json_put_uint(j, "bytes", r->op[op].bytes);
		json_close_object(j);
	}
	json_close_object(j);
}

void report_hist_json(struct json *j, const char *key, const struct hist *h, bool buckets)
{
	struct hist_bar bar;
	size_t at = 0;

	json_open_object(j, key);
	json_put_uint(j, "count", h->count);
	json_put_uint(j, "min", h->count ? h->min : 0);
	json_put_int(j, "mean", (int64_t)(hist_mean(h) + 0.5));
	json_put_int(j, "stddev", (int64_t)(hist_stddev(h) + 0.5));
	json_put_uint(j, "p50", hist_percentile(h, 500000));
	json_put_uint(j, "p90", hist_percentile(h, 900000));
	json_put_uint(j, "p99", hist_percentile(h, 990000));
	json_put_uint(j, "p99_9", hist_percentile(h, 999000));
	json_put_uint(j, "p99_99", hist_percentile(h, 999900));
	json_put_uint(j, "max", h->max);
	json_put_uint(j, "sum", h->sum);
	if (buckets) {
		json_open_array(j, "buckets");
		while (hist_next(h, &at, &bar)) {
			json_open_array(j, NULL);
			json_put_uint(j, NULL, bar.low);
			json_put_uint(j, NULL, bar.high);
			json_put_uint(j, NULL, bar.count);
			json_close_array(j);
		}
		json_close_array(j);
	}
	json_close_object(j);
}

static bool has_latency(const struct play_result *r)
{
	for (enum op op = 0; op < OP_COUNT; op++)
		if (r->op[op].latency)
			return true;
	return false;
}

/* By op, those that were timed. A job's result does not name the clock. */
static void latency(struct json *j, const struct play_result *r, bool whole)
{
	if (!r->clock && !has_latency(r)) {
		json_put_null(j, "latency");
		return;
	}
	json_open_object(j, "latency");
	if (whole) {
		json_put_text(j, "clock", r->clock);
		json_put_text(j, "clock_why", r->clock_why && r->clock_why[0] ? r->clock_why : NULL);
		json_put_int(j, "clock_drift_ppb", r->clock_drift_ppb);
		json_put_uint(j, "timed", r->timed);
	}
	json_open_object(j, "ops");
	for (enum op op = 0; op < OP_COUNT; op++)
		if (r->op[op].latency && r->op[op].latency->count)
			report_hist_json(j, op_name(op), r->op[op].latency, whole);
	json_close_object(j);
	json_close_object(j);
}

static void fidelity(struct json *j, const struct play_result *r)
{
	const struct play_fidelity *f = &r->fidelity;
	char text[VERDICT_TEXT];
	bool valid;

	if (!f->lag) {
		json_put_null(j, "fidelity");
		return;
	}
	valid = verdict_of(f, text);
	json_open_object(j, "fidelity");
	json_put_bool(j, "valid", valid);
	json_put_text(j, "verdict", text);
	json_put_int(j, "due_ns", f->due_ns);
	json_put_int(j, "issue_ns", f->issue_ns);
	json_put_int(j, "stretch_ppm", (int64_t)((verdict_stretch(f) - 1) * 1e6));
	json_put_int(j, "median_gap_ns", f->median_gap_ns);
	json_put_uint(j, "late", f->late);
	json_put_uint(j, "inversions", f->inversions);
	json_put_uint(j, "untimed", f->untimed);
	json_put_uint(j, "skipped", f->skipped);
	report_hist_json(j, "lag", f->lag, true);
	json_close_object(j);
}

static void log_file(struct json *j, const struct report *r)
{
	if (!r->log_name) {
		json_put_null(j, "log");
		return;
	}
	json_open_object(j, "log");
	json_put_text(j, "file", r->log_name);
	json_put_uint(j, "records", r->log.records);
	json_put_uint(j, "waits", r->log.waits);
	json_put_int(j, "waited_ns", r->log.waited_ns);
	json_close_object(j);
}

/* Each counter as [begin, end]; one that came or went meanwhile is left out. */
static void vmstat(struct json *j, const struct report_run *run)
{
	struct vmstat_line line;
	size_t at = 0;

	if (!run->begin || !run->end) {
		json_put_null(j, "vmstat");
		return;
	}
	json_open_object(j, "vmstat");
	for (; vmstat_next(run->begin->buf, run->begin->used, at, &line); at = line.next) {
		struct vmstat_want want = {.name = line.name, .name_length = line.name_length, .hint = line.start};

		if (vmstat_lookup(run->end->buf, run->end->used, &want, 1) > 0)
			continue;
		json_put_key(j, line.name, line.name_length);
		json_open_array(j, NULL);
		json_put_uint(j, NULL, line.value);
		json_put_uint(j, NULL, want.value);
		json_close_array(j);
	}
	json_close_object(j);
}

static void jobs(struct json *j, const struct play_result *r)
{
	json_open_array(j, "jobs");
	for (unsigned i = 0; i < r->jobs; i++) {
		const struct play_result *job = &r->job[i];

		json_open_object(j, NULL);
		if (job->job_cpu < 0)
			json_put_null(j, "cpu");
		else
			json_put_int(j, "cpu", job->job_cpu);
		totals(j, job);
		ops(j, job);
		latency(j, job, false);
		json_close_object(j);
	}
	json_close_array(j);
}

void report_json(struct json *j, const struct report *r, const struct play_result *result, const struct report_run *run)
{
	json_open_object(j, NULL);
	head(j, r, run);
	target(j, r, result);
	cache_state(j, r, result);
	readahead(j, r);
	cgroup(j, r, result);
	report_json_load(j, r, result);
	totals(j, result);
	report_effect_json(j, result);
	ended(j, result, r);
	errnos(j, result);
	ops(j, result);
	latency(j, result, true);
	report_hits_json(j, result);
	fidelity(j, result);
	log_file(j, r);
	vmstat(j, run);
	jobs(j, result);
	if (run->summary)
		runs_json(run->summary, j);
	else
		json_put_null(j, "repeat");
	json_close_object(j);
	json_end_line(j);
}
