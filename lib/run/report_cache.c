/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/report_cache.h"

static void put_exact(struct json *j, const char *key, bool exact, uint64_t pages)
{
	if (exact)
		json_put_uint(j, key, pages);
	else
		json_put_null(j, key);
}

void report_residency_json(struct json *j, const struct residency *r)
{
	json_put_uint(j, "pages", r->pages);
	json_put_uint(j, "cached", r->cached);
	put_exact(j, "dirty", r->exact, r->dirty);
	put_exact(j, "writeback", r->exact, r->writeback);
	put_exact(j, "evicted", r->exact, r->evicted);
	put_exact(j, "recently_evicted", r->exact, r->recently_evicted);
	json_put_text(j, "method", residency_method(r));
}
