/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/survey_report.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"

uint64_t survey_cache_needed(const struct survey *s)
{
	return s->reuse.largest + 1;
}

static void put(FILE *f, const char *name, uint64_t value)
{
	fprintf(f, "%s %" PRIu64 "\n", name, value);
}

/* A share in percent with two decimals, of so many characters before the point; in integers, whatever the locale. */
static void put_percent(FILE *f, int width, uint64_t part, uint64_t whole)
{
	uint64_t hundredths = whole ? (uint64_t)(((unsigned __int128)part * 10000 + whole / 2) / whole) : 0;

	fprintf(f, "%*" PRIu64 ".%02" PRIu64 "\n", width, hundredths / 100, hundredths % 100);
}

static void put_share(FILE *f, const char *name, uint64_t part, uint64_t whole)
{
	fprintf(f, "%s ", name);
	put_percent(f, 1, part, whole);
}

/* A number, right-aligned, with its unit's letter. */
static void put_bytes(FILE *f, bool minus, uint64_t bytes)
{
	char text[UNITS_TEXT + 1];
	size_t n;

	text[0] = '-';
	n = units_print(text + 1, bytes, 10);
	fprintf(f, " %9.*s", (int)(n + minus), text + !minus);
}

static void put_ops(FILE *f, const struct survey *s)
{
	for (int op = 0; op < OP_COUNT; op++) {
		if (!s->op[op].requests)
			continue;
		fprintf(f, "%s_requests %" PRIu64 "\n", op_name((enum op)op), s->op[op].requests);
		if (s->op[op].bytes)
			fprintf(f, "%s_bytes %" PRIu64 "\n", op_name((enum op)op), s->op[op].bytes);
	}
}

/* Units of a second in ns: 0 when there is no time to divide by. */
static uint64_t per_second(uint64_t n, uint64_t ns)
{
	unsigned __int128 rate = ns ? (unsigned __int128)n * NS_PER_SEC / ns : 0;

	return rate > UINT64_MAX ? UINT64_MAX : (uint64_t)rate;
}

static void put_times(FILE *f, const struct survey *s)
{
	uint64_t span = (uint64_t)(s->time_max - s->time_min);

	if (!s->timed)
		return;
	fprintf(f, "seconds %" PRIu64 ".%09" PRIu64 "\n", span / NS_PER_SEC, span % NS_PER_SEC);
	if (span) {
		put(f, "requests_per_second", per_second(s->timed, span));
		put(f, "bytes_per_second", per_second(s->bytes, span));
	}
	if (s->timed < s->requests)
		put(f, "without_time", s->requests - s->timed);
	if (s->time_back)
		put(f, "backward_times", s->time_back);
}

static void put_pages(FILE *f, const struct survey *s)
{
	const struct reuse *r = &s->reuse;
	uint64_t footprint = reuse_footprint(r), again = reuse_again(r);

	put(f, "page_touches", r->touches);
	if (!r->touches)
		return;
	put(f, "footprint_pages", footprint);
	put(f, "footprint_bytes", footprint * PAGE_BYTES);
	put(f, "pages_touched_again", again);
	put_share(f, "touched_again_percent", again, footprint);
	put(f, "cache_needed_bytes", survey_cache_needed(s) * PAGE_BYTES);
	if (r->rate)
		fprintf(f, "pages_sampled 1/%" PRIu64 "\n", UINT64_C(1) << r->rate);
}

/* From 2^(i-1) to 2^i - 1, or 0. */
static void put_bucket(FILE *f, const char *name, unsigned i, bool minus, uint64_t count, uint64_t whole)
{
	uint64_t from = i ? UINT64_C(1) << (i - 1) : 0, end = i ? UINT64_C(2) << (i - 1) : 1;

	if (!count)
		return;
	fprintf(f, "%-6s", name);
	put_bytes(f, minus, minus ? end : from);
	put_bytes(f, minus, minus ? from : end);
	fprintf(f, " %12" PRIu64 " ", count);
	put_percent(f, 3, count, whole);
}

static void put_lengths(FILE *f, const struct survey *s)
{
	if (s->placed)
		fputs("# size of a request: from, below, requests, percent\n", f);
	for (unsigned i = 0; i < SURVEY_BUCKETS; i++)
		put_bucket(f, "size", i, false, s->length[i], s->placed);
}

static void put_seeks(FILE *f, const struct survey *s)
{
	if (s->placed - s->sequential > s->files)
		fputs("# distance of a request from the end of the one before: from, below, requests, percent\n", f);
	for (unsigned i = SURVEY_BUCKETS; i-- > 0;)
		put_bucket(f, "seek", i, true, s->seek_down[i], s->placed);
	for (unsigned i = 0; i < SURVEY_BUCKETS; i++)
		put_bucket(f, "seek", i, false, s->seek_up[i], s->placed);
}

/* The points of the curve from 2^i to the next power of two. */
static uint64_t touches_between(const struct reuse_point *point, unsigned i)
{
	uint64_t sum = 0;

	for (size_t b = reuse_bucket(UINT64_C(1) << i); b < REUSE_BUCKETS && reuse_edge(b) >> i < 2; b++)
		sum += point[b].touches;
	return sum;
}

static void put_reuse_line(FILE *f, uint64_t from, uint64_t below, uint64_t touches, uint64_t whole)
{
	if (!touches)
		return;
	fprintf(f, "reuse  %9" PRIu64 " %9" PRIu64 " %12" PRIu64 " ", from, below, touches);
	put_percent(f, 3, touches, whole);
}

static void put_reuse(FILE *f, const struct survey *s, const struct reuse_point *point)
{
	uint64_t whole = s->reuse.touches, first = reuse_footprint(&s->reuse);

	fputs("# other pages touched since a page's last touch: from, below, touches, percent\n", f);
	fprintf(f, "reuse      first         - %12" PRIu64 " ", first);
	put_percent(f, 3, first, whole);
	put_reuse_line(f, 0, 1, point[0].touches, whole);
	for (unsigned i = 0; i < 62; i++)
		put_reuse_line(f, UINT64_C(1) << i, UINT64_C(2) << i, touches_between(point, i), whole);
}

static uint64_t millionths(double share)
{
	return (uint64_t)(share * 1e6 + 0.5);
}

/* From the last size in which nothing hits to the first in which all hits that can, where the ratio changes. */
static void put_cache(FILE *f, const struct survey *s, const struct reuse_point *point)
{
	uint64_t shown = UINT64_MAX, needed = survey_cache_needed(s), error = 0;

	fputs("# misses of an LRU cache: its bytes, percent\n", f);
	for (unsigned i = 0; i < 50; i++) {
		uint64_t pages = UINT64_C(1) << i, misses = millionths(point[reuse_bucket(pages)].misses);
		uint64_t next = millionths(point[reuse_bucket(2 * pages)].misses);

		error = MAX(error, millionths(point[reuse_bucket(pages)].error));
		if (misses / 100 == shown / 100 && next / 100 == misses / 100 && pages < needed)
			continue;
		fputs("cache ", f);
		put_bytes(f, false, pages * PAGE_BYTES);
		fputs("                        ", f);
		put_percent(f, 3, misses, 1000000);
		shown = misses;
		if (pages >= needed)
			break;
	}
	if (s->reuse.rate)
		put_share(f, "cache_percent_error", error, 1000000);
}

int survey_print(FILE *f, const struct survey *s)
{
	_cleanup_free_ struct reuse_point *point = calloc(REUSE_BUCKETS, sizeof(*point));

	if (!point)
		return -ENOMEM;
	put(f, "requests", s->requests);
	put(f, "bytes", s->bytes);
	put_ops(f, s);
	put(f, "files", s->files);
	put(f, "begin", s->begin);
	put(f, "end", s->end);
	put_times(f, s);
	put(f, "sequential_requests", s->sequential);
	put_share(f, "sequential_percent", s->sequential, s->placed);
	put_pages(f, s);
	put_lengths(f, s);
	put_seeks(f, s);
	reuse_curve(&s->reuse, point);
	if (s->reuse.touches) {
		put_reuse(f, s, point);
		put_cache(f, s, point);
	}
	return 0;
}

/* An array [number, ...] without names. */
static void json_row(struct json *j, const int64_t *v, size_t n)
{
	json_open_array(j, NULL);
	for (size_t i = 0; i < n; i++)
		json_put_int(j, NULL, v[i]);
	json_close_array(j);
}

static void json_bucket(struct json *j, unsigned i, bool minus, uint64_t count)
{
	int64_t least = i ? (int64_t)(UINT64_C(1) << (i - 1)) : 0, most = (int64_t)((UINT64_C(1) << i) - 1);

	if (count)
		json_row(j, (const int64_t[]){minus ? -most : least, minus ? -least : most, (int64_t)count}, 3);
}

static void json_histograms(struct json *j, const struct survey *s)
{
	json_open_array(j, "sizes");
	for (unsigned i = 0; i < 64; i++)
		json_bucket(j, i, false, s->length[i]);
	json_close_array(j);
	json_open_array(j, "seeks");
	for (unsigned i = 64; i-- > 0;)
		json_bucket(j, i, true, s->seek_down[i]);
	for (unsigned i = 0; i < 64; i++)
		json_bucket(j, i, false, s->seek_up[i]);
	json_close_array(j);
}

static void json_ops(struct json *j, const struct survey *s)
{
	json_open_object(j, "ops");
	for (int op = 0; op < OP_COUNT; op++) {
		json_open_object(j, op_name((enum op)op));
		json_put_uint(j, "requests", s->op[op].requests);
		json_put_uint(j, "bytes", s->op[op].bytes);
		json_close_object(j);
	}
	json_close_object(j);
}

static void json_curve(struct json *j, const struct survey *s, const struct reuse_point *point)
{
	json_open_array(j, "reuse");
	for (size_t b = 0; b < REUSE_BUCKETS; b++) {
		int64_t last = b + 1 < REUSE_BUCKETS ? (int64_t)reuse_edge(b + 1) - 1 : INT64_MAX;

		if (point[b].touches)
			json_row(j, (const int64_t[]){(int64_t)reuse_edge(b), last, (int64_t)point[b].touches}, 3);
	}
	json_close_array(j);
	json_open_array(j, "miss_ratio");
	for (size_t b = 1; b < REUSE_BUCKETS && s->reuse.touches; b++) {
		if (!point[b].touches && !point[b - 1].touches && b != 1)
			continue;
		json_open_array(j, NULL);
		json_put_uint(j, NULL, reuse_edge(b));
		json_put_real(j, NULL, point[b].misses);
		json_put_real(j, NULL, point[b].error);
		json_close_array(j);
	}
	json_close_array(j);
}

static void json_times(struct json *j, const struct survey *s)
{
	uint64_t span = (uint64_t)(s->time_max - s->time_min);

	json_put_uint(j, "timed", s->timed);
	json_put_uint(j, "time_ns", span);
	json_put_uint(j, "requests_per_second", per_second(s->timed, span));
	json_put_uint(j, "bytes_per_second", s->timed ? per_second(s->bytes, span) : 0);
	json_put_uint(j, "backward_times", s->time_back);
}

int survey_json(struct json *j, const char *key, const struct survey *s)
{
	_cleanup_free_ struct reuse_point *point = calloc(REUSE_BUCKETS, sizeof(*point));

	if (!point)
		return -ENOMEM;
	reuse_curve(&s->reuse, point);
	json_open_object(j, key);
	json_put_uint(j, "requests", s->requests);
	json_put_uint(j, "bytes", s->bytes);
	json_ops(j, s);
	json_put_uint(j, "files", s->files);
	json_put_uint(j, "begin", s->begin);
	json_put_uint(j, "end", s->end);
	json_times(j, s);
	json_put_uint(j, "sequential_requests", s->sequential);
	json_put_uint(j, "sequential_bytes", s->sequential_bytes);
	json_put_uint(j, "page_touches", s->reuse.touches);
	json_put_uint(j, "footprint_pages", reuse_footprint(&s->reuse));
	json_put_uint(j, "pages_touched_again", reuse_again(&s->reuse));
	json_put_uint(j, "cache_needed_pages", survey_cache_needed(s));
	json_put_uint(j, "sampled_one_in", UINT64_C(1) << s->reuse.rate);
	json_histograms(j, s);
	json_curve(j, s, point);
	json_close_object(j);
	return 0;
}
