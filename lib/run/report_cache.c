/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report_cache.h"

#include <inttypes.h>

#include "run/effect.h"
#include "run/hits.h"
#include "run/report_json.h"
#include "run/report_time.h"

static void put_told(struct json *j, const char *key, bool told, uint64_t v)
{
	if (told)
		json_put_uint(j, key, v);
	else
		json_put_null(j, key);
}

void report_residency_json(struct json *j, const struct residency *r)
{
	json_put_uint(j, "pages", r->pages);
	json_put_uint(j, "cached", r->cached);
	put_told(j, "dirty", r->exact, r->dirty);
	put_told(j, "writeback", r->exact, r->writeback);
	put_told(j, "evicted", r->exact, r->evicted);
	put_told(j, "recently_evicted", r->exact, r->recently_evicted);
	json_put_text(j, "method", residency_method(r));
}

void report_effect(FILE *f, const struct play_result *result)
{
	const struct play_effect *e = &result->effect;
	double amplification;

	if (e->told)
		fprintf(f, "pages_before %" PRIu64 "\npages_after %" PRIu64 "\n", e->before.cached, e->after.cached);
	if (e->process_told)
		fprintf(f, "read_bytes %" PRIu64 "\n", e->process_reads);
	if (e->device_told)
		fprintf(f, "device_read_bytes %" PRIu64 "\n", e->device_reads);
	if (effect_amplification(result, &amplification))
		fprintf(f, "read_amplification %.3f\n", amplification);
}

static void put_residency(struct json *j, const char *key, const struct residency *r)
{
	json_open_object(j, key);
	report_residency_json(j, r);
	json_close_object(j);
}

void report_effect_json(struct json *j, const struct play_result *result)
{
	const struct play_effect *e = &result->effect;
	double amplification;

	json_open_object(j, "cache");
	if (e->told) {
		put_residency(j, "before", &e->before);
		put_residency(j, "after", &e->after);
	} else {
		json_put_null(j, "before");
		json_put_null(j, "after");
	}
	put_told(j, "read_bytes", e->process_told, e->process_reads);
	put_told(j, "device_read_bytes", e->device_told, e->device_reads);
	if (effect_amplification(result, &amplification))
		json_put_int(j, "read_amplification_ppm", (int64_t)(amplification * 1e6 + 0.5));
	else
		json_put_null(j, "read_amplification_ppm");
	json_close_object(j);
}

void report_hits(FILE *f, const struct play_result *result)
{
	if (result->hits == HITS_NONE)
		return;
	fprintf(f, "hits %" PRIu64 "\nmisses %" PRIu64 "\n", hits_count(result), result->misses);
	if (result->hits == HITS_PROBE)
		fprintf(f, "miss_bytes %" PRIu64 "\n", result->miss_bytes);
	fprintf(f, "hit_percent %.2f\n", hits_percent(result));
}

void report_hits_latency(FILE *f, const struct play_result *result)
{
	if (result->hits == HITS_NONE)
		return;
	fprintf(f, "hits_by %s: %s\n", hits_method(result->hits), hits_trust(result->hits));
	if (result->hit && result->hit->count)
		report_hist(f, "latency_hit_ns", result->hit);
	if (result->miss && result->miss->count)
		report_hist(f, "latency_miss_ns", result->miss);
}

static void put_hist(struct json *j, const char *key, const struct hist *h)
{
	if (h)
		report_hist_json(j, key, h, true);
	else
		json_put_null(j, key);
}

void report_hits_json(struct json *j, const struct play_result *result)
{
	if (result->hits == HITS_NONE) {
		json_put_null(j, "hits");
	} else {
		json_open_object(j, "hits");
		json_put_text(j, "method", hits_method(result->hits));
		json_put_text(j, "trust", hits_trust(result->hits));
		json_put_uint(j, "hits", hits_count(result));
		json_put_uint(j, "misses", result->misses);
		put_told(j, "miss_bytes", result->hits == HITS_PROBE, result->miss_bytes);
		json_close_object(j);
	}
	put_hist(j, "latency_hit", result->hit);
	put_hist(j, "latency_miss", result->miss);
}
