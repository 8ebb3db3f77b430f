/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report_cache.h"

#include <inttypes.h>

#include "run/effect.h"

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
