/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/report_cache.h"
#include "run/report_time.h"
#include "run/targets.h"

/* Some pages are always brought back at once, e.g. by a reader beside us: fewer than these are not worth a word. */
#define CACHE_LEFT_TOLD 16

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

static void first_line(FILE *f, const struct report *r, const struct play_result *result)
{
	double elapsed = seconds(result->elapsed_ns);
	double mb = (double)result->bytes / (double)(1 << 20);

	fprintf(f, "%fMB/s %fs %" PRIu64 "x %" PRIu64 "b %s\n", elapsed > 0 ? mb / elapsed : 0.0, elapsed,
		result->seeks, result->seeks ? result->bytes / result->seeks : 0, r->command);
}

static const char *error_name(int error, char *buf, size_t cap)
{
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(buf, cap, "%d", error);
	return buf;
}

static void errors(FILE *f, const struct play_result *result)
{
	fprintf(f, "errors %" PRIu64 "\n", result->errors);
	for (unsigned i = 0; i < result->error_kinds; i++) {
		const struct play_error *e = &result->error[i];
		char buf[16];

		fprintf(f, "error %s %" PRIu64 " offset %" PRIu64 " length %" PRIu64 " request %" PRIu64 "\n",
			error_name(e->error, buf, sizeof(buf)), e->count, e->first_offset, e->first_length,
			e->first_request);
	}
}

static void unclean(FILE *f, const struct play_result *result)
{
	if (result->past_end_requests)
		fprintf(f, "past_end_requests %" PRIu64 "\npast_end_bytes %" PRIu64 "\n", result->past_end_requests,
			result->past_end_bytes);
	if (result->short_reads)
		fprintf(f, "short_requests %" PRIu64 "\nshort_bytes %" PRIu64 "\n", result->short_reads,
			result->short_bytes);
	if (result->hits != HITS_NONE)
		report_hits(f, result);
	else if (result->misses)
		fprintf(f, "misses %" PRIu64 "\nmiss_bytes %" PRIu64 "\n", result->misses, result->miss_bytes);
	if (result->bad_requests)
		fprintf(f, "bad_requests %" PRIu64 "\nbad_words %" PRIu64 "\n", result->bad_requests,
			result->bad_words);
	if (result->errors)
		errors(f, result);
}

/* Nothing is said of a play that came to its end. */
static void ended(FILE *f, const struct report *r, const struct play_result *result)
{
	if (r->failure)
		fprintf(f, "ended_by failure\n");
	else if (result->stopped_by)
		fprintf(f, "ended_by signal %d\n", result->stopped_by);
	else if (result->stopped_by_error)
		fprintf(f, "ended_by error\n");
	else if (result->hit_limit)
		fprintf(f, "ended_by limit\n");
}

static void extras(FILE *f, const struct play_result *result)
{
	if (result->ramp_requests)
		fprintf(f, "ramp_requests %" PRIu64 "\n", result->ramp_requests);
	if (result->behind_calls)
		fprintf(f, "behind_calls %" PRIu64 "\nbehind_bytes %" PRIu64 "\nbehind_seconds %f\n",
			result->behind_calls, result->behind_bytes, seconds(result->behind_ns));
	if (result->added_syncs)
		fprintf(f, "added_syncs %" PRIu64 "\n", result->added_syncs);
	if (result->most_in_flight > 1)
		fprintf(f, "most_in_flight %u\n", result->most_in_flight);
	if (result->loops > 1)
		fprintf(f, "loops %" PRIu64 "\n", result->loops);
}

static void jobs(FILE *f, const struct play_result *result)
{
	for (unsigned i = 0; result->jobs > 1 && i < result->jobs; i++) {
		const struct play_result *job = &result->job[i];
		char prefix[32];

		fprintf(f, "job %u requests %" PRIu64 " bytes %" PRIu64 " errors %" PRIu64 " elapsed_seconds %f", i,
			job->requests, job->bytes, job->errors, seconds(job->elapsed_ns));
		if (job->job_cpu >= 0)
			fprintf(f, " cpu %d", job->job_cpu);
		fputc('\n', f);
		snprintf(prefix, sizeof(prefix), "job %u ", i);
		report_latency(f, prefix, job);
	}
}

static void known(FILE *f, const char *name, uint64_t v)
{
	if (v != UINT64_MAX)
		fprintf(f, "%s %" PRIu64 "\n", name, v);
}

/* Unless it was dropped and no more, as it always was. */
static void cache(FILE *f, const struct report *r, const struct play_result *result)
{
	static const char *const state[] = {"", "drop", "keep", "warm", "cold"};
	const struct play_params *p = r->params;
	char text[80];

	if (!p || p->cache == CACHE_DROP_FIRST)
		return;
	fprintf(f, "cache %s", state[p->cache]);
	for (unsigned i = 0; i < p->cold_count && p->cache == CACHE_COLD; i++) {
		const struct io_hint range = {.offset = p->cold[i].offset, .length = p->cold[i].length};

		fputs(hint_text(text, sizeof(text), i ? "," : "", &range), f);
	}
	fputc('\n', f);
	if (p->cache == CACHE_KEEP)
		return;
	fprintf(f, "cache_set_times %" PRIu64 "\ncache_set_seconds %f\n", result->cache.times,
		seconds(result->cache.ns));
	if (p->cache != CACHE_DROP) {
		fprintf(f, "cache_warm_pages %" PRIu64 "\n", result->cache.warm);
		known(f, "cache_missing_pages", result->cache.missing);
	}
	if (p->cache != CACHE_WARM)
		known(f, "cache_left_pages", result->cache_left);
}

/* That to descriptors; an engine that maps tells its own. */
static void advice(FILE *f, const struct report *r)
{
	const struct play_params *p = r->params;
	char text[80];

	for (unsigned i = 0; p && i < p->hint_count && !(r->info.engine->flags & ENGINE_TOUCH); i++)
		fprintf(f, "advice %s\n",
			hint_text(text, sizeof(text), advise_file_name(p->hints[i].advice), &p->hints[i]));
}

static void ahead(FILE *f, const struct report *r)
{
	const struct ahead *a = r->ahead;
	bool maps = r->info.engine->flags & ENGINE_TOUCH;

	if (!a || a->bytes == AHEAD_AS_IT_IS)
		return;
	if (a->by_hint) {
		fprintf(f, "readahead %" PRIu64 " by %s\n", a->bytes,
			maps ? advise_memory_name(a->hint.advice) : advise_file_name(a->hint.advice));
		return;
	}
	for (unsigned i = 0; i < a->count; i++)
		fprintf(f, "readahead %" PRIu64 " was %" PRIu64 " %s\n", a->device[i].is, a->device[i].was,
			a->device[i].file);
}

static void cgroup(FILE *f, const struct report *r, const struct play_result *result)
{
	const struct cgroup *g = r->params ? r->params->cgroup : NULL;

	if (!g)
		return;
	fprintf(f, "cgroup %s\n", g->folder);
	known(f, "cgroup_limit", g->limit);
	known(f, "cgroup_used", result->cgroup.now);
	known(f, "cgroup_peak", result->cgroup.peak);
	known(f, "cgroup_at_limit", result->cgroup.at_limit);
}

void report_setup(FILE *f, const struct report *r, const struct play_result *result)
{
	fprintf(f, "engine %s\n", r->info.engine->name);
	if (result->engine_text[0])
		fprintf(f, "engine_setup %s\n", result->engine_text);
	fprintf(f, "seed %" PRIu64 "\n", r->seed);
	cache(f, r, result);
	advice(f, r);
	ahead(f, r);
	cgroup(f, r, result);
	if (r->info.jobs > 1)
		fprintf(f, "jobs %u\n", r->info.jobs);
	report_clock(f, result);
}

static void log_lines(FILE *f, const struct report *r)
{
	if (r->log_name)
		fprintf(f, "log_records %" PRIu64 "\nlog_waits %" PRIu64 "\nlog_waited_seconds %f\n", r->log.records,
			r->log.waits, seconds(r->log.waited_ns));
}

void report_play(FILE *f, const struct report *r, const struct play_result *result)
{
	first_line(f, r, result);
	if (r->quiet)
		return;
	if (r->one_of_many) {
		unclean(f, result);
		ended(f, r, result);
		report_verdict(f, result);
		return;
	}
	fprintf(f, "requests %" PRIu64 "\nbytes %" PRIu64 "\n", result->requests, result->bytes);
	unclean(f, result);
	ended(f, r, result);
	fprintf(f, "minor_faults %" PRIu64 "\nmajor_faults %" PRIu64 "\n", result->minor_faults, result->major_faults);
	if (r->info.engine->flags & ENGINE_TOUCH)
		fprintf(f, "faults_per_second %.1f\n", play_faults_per_second(result));
	fprintf(f, "user_seconds %f\nsystem_seconds %f\n", seconds(result->user_ns), seconds(result->system_ns));
	report_effect(f, result);
	report_setup(f, r, result);
	extras(f, result);
	report_latency(f, "", result);
	report_hits_latency(f, result);
	report_fidelity(f, result);
	log_lines(f, r);
	jobs(f, result);
}

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* " (1.5 GiB)", or nothing for what is read as easily in bytes. */
static const char *about(char *buf, size_t cap, uint64_t bytes)
{
	static const char unit[] = "KMGTPE";
	double value = (double)bytes;
	int i = -1;

	buf[0] = '\0';
	for (; value >= 1024 && unit[i + 1]; i++)
		value /= 1024;
	if (i >= 0)
		snprintf(buf, cap, " (%.1f %ciB)", value, unit[i]);
	return buf;
}

void report_past_end(FILE *f, const struct report *r, const struct trace *t, uint64_t max_requests)
{
	const struct targets *several = r->info.targets;
	uint64_t size = r->info.target->size, end = 0, past = 0;
	size_t count = (size_t)MIN(max_requests, (uint64_t)t->count);
	char reach[24], have[24];

	if (!r->info.past_end)
		return;
	for (size_t i = 0; i < count; i++) {
		if (req_passes(t->req[i], end))
			end = req_end(t->req[i]);
		past += req_passes(t->req[i], several ? targets_size(several, t, i) : size);
	}
	if (!past)
		return;
	if (several) {
		fprintf(f,
			"%s: %" PRIu64 " of %zu requests reach past the end of their target and are played up to it\n",
			r->tool, past, count);
		return;
	}
	fprintf(f,
		"%s: the trace%s reaches to byte %" PRIu64 "%s, %s ends at %" PRIu64 "%s: %" PRIu64
		" of %zu request%s %s past the "
		"end and %s played up to it\n",
		r->tool, r->params && r->params->more ? ", as far as it is read," : "", end,
		about(reach, sizeof(reach), end), r->file, size, about(have, sizeof(have), size), past, count,
		s_of(count), past == 1 ? "reaches" : "reach", past == 1 ? "is" : "are");
}

/* A play of nothing reads like a fast one. */
static bool is_empty(const struct report *r, const struct play_result *result)
{
	return result->requests + result->ramp_requests + result->errors + r->info.requests == 0 &&
	       !result->hit_limit && !result->stopped_by;
}

void report_troubles(FILE *f, const struct report *r, const struct play_result *result)
{
	if (is_empty(r, result))
		fprintf(f, "%s: the trace is empty, so nothing was played on %s\n", r->tool, r->file);
	for (unsigned i = 0; i < result->error_kinds; i++) {
		const struct play_error *e = &result->error[i];

		fprintf(f, "%s: %s: %s: %" PRIu64 " of %" PRIu64 " request%s, the first at byte %" PRIu64 "\n", r->tool,
			r->file, strerror(e->error), e->count, result->requests, s_of(result->requests),
			e->first_offset);
	}
	if (result->stopped_by_error)
		fprintf(f, "%s: the play ended at the first failed request; --on-error continue goes on\n", r->tool);
	if (result->short_reads)
		fprintf(f, "%s: %s: %" PRIu64 " short read%s, %" PRIu64 " byte%s missing\n", r->tool, r->file,
			result->short_reads, s_of(result->short_reads), result->short_bytes,
			result->short_bytes == 1 ? " is" : "s are");
	if (result->bad_requests)
		fprintf(f,
			"%s: %s: %" PRIu64 " read%s found other data than %s, first at byte %" PRIu64
			" (request %" PRIu64 "), where there is %" PRIu64 "\n",
			r->tool, r->file, result->bad_requests, s_of(result->bad_requests),
			result->bad_requests == 1 ? "its offset" : "their offsets", result->first_bad_offset,
			result->first_bad_request, result->first_bad_value);
	if (!r->quiet && r->log.waits)
		fprintf(f,
			"%s: %s: the log could not be written as fast as it came: %" PRIu64
			" wait%s, %f s, which are in no latency but held the play up\n",
			r->tool, r->log_name, r->log.waits, s_of(r->log.waits), seconds(r->log.waited_ns));
	if (!r->quiet && result->cache.missing != UINT64_MAX && result->cache.missing > CACHE_LEFT_TOLD)
		fprintf(f,
			"%s: %s: %" PRIu64 " of %" PRIu64
			" pages that were read in first were not in the page cache when the "
			"play began\n",
			r->tool, r->file, result->cache.missing, result->cache.warm);
	if (!r->quiet && result->cache_left != UINT64_MAX && result->cache_left > CACHE_LEFT_TOLD)
		fprintf(f, "%s: %s: %" PRIu64 " pages stayed in the page cache before the play\n", r->tool, r->file,
			result->cache_left);
}

bool report_is_clean(const struct play_result *result)
{
	return !result->errors && !result->short_reads && !result->past_end_requests && !result->bad_requests;
}
