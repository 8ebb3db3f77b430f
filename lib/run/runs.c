/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/runs.h"

#include <errno.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/report_time.h"

/* How a figure is called in the two forms, and by what it is divided for people. */
static const struct {
	const char *text, *json;
	double scale;
	int decimals;
} figure[RUNS_FIGURES] = {
    [RUNS_ELAPSED] = {"elapsed_seconds", "elapsed_ns", 1e9, 6},
    [RUNS_REQUESTS] = {"requests_per_second", "requests_per_second", 1, 1},
    [RUNS_BYTES] = {"mb_per_second", "bytes_per_second", 1 << 20, 6},
    [RUNS_USER] = {"user_seconds", "user_ns", 1e9, 6},
    [RUNS_SYSTEM] = {"system_seconds", "system_ns", 1e9, 6},
    [RUNS_MINOR] = {"minor_faults", "minor_faults", 1, 1},
    [RUNS_MAJOR] = {"major_faults", "major_faults", 1, 1},
    [RUNS_FAULTS] = {"faults_per_second", "faults_per_second", 1, 1},
};

void runs_fini(struct runs *r)
{
	for (int i = 0; i < RUNS_FIGURES; i++)
		free(r->value[i]);
	for (int i = 0; i < OP_COUNT; i++)
		hist_free(r->latency[i]);
	hist_free(r->hit);
	hist_free(r->miss);
	*r = (struct runs){0};
}

static double per_second(uint64_t n, int64_t ns)
{
	return ns > 0 ? (double)n / ((double)ns / (double)NS_PER_SEC) : 0;
}

static int merge(struct hist **to, const struct hist *from)
{
	if (!from)
		return 0;
	if (!*to)
		*to = hist_new();
	if (!*to)
		return -ENOMEM;
	hist_merge(*to, from);
	return 0;
}

static int merge_all(struct runs *r, const struct play_result *result)
{
	int err = merge(&r->hit, result->hit);

	if (err == 0)
		err = merge(&r->miss, result->miss);
	for (int i = 0; i < OP_COUNT && err == 0; i++)
		err = merge(&r->latency[i], result->op[i].latency);
	return err;
}

int runs_add(struct runs *r, const struct play_result *result)
{
	const double now[RUNS_FIGURES] = {
	    [RUNS_ELAPSED] = (double)result->elapsed_ns,
	    [RUNS_REQUESTS] = per_second(result->requests, result->elapsed_ns),
	    [RUNS_BYTES] = per_second(result->bytes, result->elapsed_ns),
	    [RUNS_USER] = (double)result->user_ns,
	    [RUNS_SYSTEM] = (double)result->system_ns,
	    [RUNS_MINOR] = (double)result->minor_faults,
	    [RUNS_MAJOR] = (double)result->major_faults,
	    [RUNS_FAULTS] = play_faults_per_second(result),
	};

	for (int i = 0; i < RUNS_FIGURES; i++) {
		double *more = reallocarray(r->value[i], r->count + 1, sizeof(*more));

		if (!more)
			return -ENOMEM;
		r->value[i] = more;
		more[r->count] = now[i];
	}
	if (merge_all(r, result) < 0)
		return -ENOMEM;
	for (int i = 0; i < RUNS_FIGURES; i++)
		stats_add(&r->stats[i], now[i]);
	r->count++;
	return 0;
}

void runs_report(struct runs *r, FILE *f)
{
	fprintf(f, "runs %zu\n", r->count);
	for (int i = 0; i < RUNS_FIGURES && r->count; i++) {
		const struct stats *s = &r->stats[i];
		double scale = figure[i].scale, median = stats_median(r->value[i], r->count);
		int n = figure[i].decimals;

		/* sorted by stats_median() */
		fprintf(f, "repeat %s mean %.*f stddev %.*f percent %.2f median %.*f min %.*f max %.*f\n",
			figure[i].text, n, s->mean / scale, n, stats_stddev(s) / scale, stats_percent(s), n,
			median / scale, n, r->value[i][0] / scale, n, r->value[i][r->count - 1] / scale);
	}
	for (enum op op = 0; op < OP_COUNT; op++) {
		char what[64];

		if (!r->latency[op] || r->latency[op]->count == 0)
			continue;
		snprintf(what, sizeof(what), "repeat latency_ns %s", op_name(op));
		report_hist(f, what, r->latency[op]);
	}
	if (r->hit && r->hit->count)
		report_hist(f, "repeat latency_hit_ns", r->hit);
	if (r->miss && r->miss->count)
		report_hist(f, "repeat latency_miss_ns", r->miss);
}

/* The figures are far below 2^63. */
static int64_t whole(double v)
{
	return (int64_t)(v + 0.5);
}

void runs_json(struct runs *r, struct json *j)
{
	json_open_object(j, "repeat");
	for (int i = 0; i < RUNS_FIGURES; i++) {
		const struct stats *s = &r->stats[i];

		json_open_object(j, figure[i].json);
		json_put_int(j, "mean", whole(s->mean));
		json_put_int(j, "stddev", whole(stats_stddev(s)));
		json_put_int(j, "ppm", whole(stats_percent(s) * 1e4));
		json_put_int(j, "median", whole(stats_median(r->value[i], r->count)));
		json_put_int(j, "min", r->count ? whole(r->value[i][0]) : 0);
		json_put_int(j, "max", r->count ? whole(r->value[i][r->count - 1]) : 0);
		json_close_object(j);
	}
	json_close_object(j);
}
