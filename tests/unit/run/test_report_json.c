/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/report_json.h"
#include "sample.h"

static char folder[] = "/tmp/test_report_json.XXXXXX";
static char path[64], text[65536];

/*
 * The schema: each member by its place, with the types it may have, as iotrace(1) lists them. A '*' in a place stands
 * for any name, "[]" for each element. b: boolean, i: integer, r: real, s: string, n: null, o: object, a: array.
 */
static const struct member {
	const char *place, *types;
} schema[] = {
    {"schema", "i"},
    {"tool", "s"},
    {"version", "s"},
    {"command", "s"},
    {"kernel", "s"},
    {"start_unix_ns", "i"},
    {"play", "i"},
    {"run", "i"},
    {"runs", "i"},
    {"seed", "i"},
    {"seed_used", "b"},
    {"target", "o"},
    {"target.path", "s"},
    {"target.kind", "s"},
    {"target.size", "in"},
    {"target.file_system", "sn"},
    {"target.device", "sn"},
    {"target.read_ahead_kb", "in"},
    {"target.scheduler", "sn"},
    {"target.cache_dropped", "b"},
    {"target.cache_left_pages", "in"},
    {"cache_state", "o"},
    {"cache_state.state", "s"},
    {"cache_state.cold", "a"},
    {"cache_state.cold[]", "o"},
    {"cache_state.cold[].offset", "i"},
    {"cache_state.cold[].length", "in"},
    {"cache_state.times", "i"},
    {"cache_state.ns", "i"},
    {"cache_state.warm_pages", "i"},
    {"cache_state.missing_pages", "in"},
    {"cache_state.left_pages", "in"},
    {"targets", "an"},
    {"targets[]", "o"},
    {"targets[].path", "s"},
    {"targets[].size", "in"},
    {"readahead", "on"},
    {"readahead.bytes", "i"},
    {"readahead.advice", "sn"},
    {"readahead.devices", "a"},
    {"readahead.devices[]", "o"},
    {"readahead.devices[].file", "s"},
    {"readahead.devices[].was", "i"},
    {"readahead.devices[].is", "i"},
    {"cgroup", "on"},
    {"cgroup.folder", "s"},
    {"cgroup.made", "b"},
    {"cgroup.limit", "in"},
    {"cgroup.used", "in"},
    {"cgroup.peak", "in"},
    {"cgroup.at_limit", "in"},
    {"trace", "o"},
    {"trace.requests", "i"},
    {"trace.bytes", "i"},
    {"trace.end", "i"},
    {"trace.past_end", "b"},
    {"engine", "o"},
    {"engine.name", "s"},
    {"engine.setup", "sn"},
    {"engine.depth", "i"},
    {"engine.direct", "b"},
    {"engine.use", "a"},
    {"engine.use[]", "s"},
    {"engine.on_miss", "sn"},
    {"engine.advice", "a"},
    {"engine.advice[]", "o"},
    {"engine.advice[].name", "s"},
    {"engine.advice[].offset", "i"},
    {"engine.advice[].length", "in"},
    {"engine.behind", "on"},
    {"engine.behind.name", "s"},
    {"engine.behind.every", "i"},
    {"engine.behind.calls", "i"},
    {"engine.behind.bytes", "i"},
    {"engine.behind.ns", "i"},
    {"engine.touch", "sn"},
    {"limits", "o"},
    {"limits.requests", "in"},
    {"limits.bytes", "in"},
    {"limits.ns", "in"},
    {"limits.loops", "in"},
    {"limits.on_error", "s"},
    {"load", "o"},
    {"load.jobs", "i"},
    {"load.split", "s"},
    {"load.processes", "b"},
    {"load.after_loop", "a"},
    {"load.after_loop[]", "s"},
    {"load.cpus", "a"},
    {"load.cpus[]", "i"},
    {"load.timing", "s"},
    {"load.rate", "in"},
    {"load.arrival", "sn"},
    {"load.speed", "rin"},
    {"load.spin", "b"},
    {"load.think_ns", "i"},
    {"load.ramp_ns", "i"},
    {"load.write", "b"},
    {"load.data", "sn"},
    {"load.dsync", "b"},
    {"load.fsync_every", "i"},
    {"load.verify", "b"},
    {"cache", "o"},
    {"cache.before", "on"},
    {"cache.after", "on"},
    {"cache.read_bytes", "in"},
    {"cache.device_read_bytes", "in"},
    {"cache.read_amplification_ppm", "in"},
    {"ended_by", "s"},
    {"signal", "in"},
    {"failure", "sn"},
    {"errnos", "a"},
    {"errnos[]", "o"},
    {"errnos[].errno", "i"},
    {"errnos[].name", "sn"},
    {"errnos[].count", "i"},
    {"errnos[].first_offset", "i"},
    {"errnos[].first_length", "i"},
    {"errnos[].first_request", "i"},
    {"first_bad", "on"},
    {"first_bad.offset", "i"},
    {"first_bad.value", "i"},
    {"first_bad.request", "i"},
    {"latency", "on"},
    {"latency.clock", "s"},
    {"latency.clock_why", "sn"},
    {"latency.clock_drift_ppb", "i"},
    {"latency.timed", "i"},
    {"latency.ops", "o"},
    {"latency.ops.*", "o"},
    {"hits", "on"},
    {"hits.method", "s"},
    {"hits.trust", "s"},
    {"hits.hits", "i"},
    {"hits.misses", "i"},
    {"hits.miss_bytes", "in"},
    {"latency_hit", "on"},
    {"latency_miss", "on"},
    {"fidelity", "on"},
    {"fidelity.valid", "b"},
    {"fidelity.verdict", "s"},
    {"fidelity.due_ns", "i"},
    {"fidelity.issue_ns", "i"},
    {"fidelity.stretch_ppm", "i"},
    {"fidelity.median_gap_ns", "i"},
    {"fidelity.late", "i"},
    {"fidelity.inversions", "i"},
    {"fidelity.untimed", "i"},
    {"fidelity.skipped", "i"},
    {"fidelity.lag", "o"},
    {"log", "on"},
    {"log.file", "s"},
    {"log.records", "i"},
    {"log.waits", "i"},
    {"log.waited_ns", "i"},
    {"vmstat", "on"},
    {"vmstat.*", "a"},
    {"vmstat.*[]", "i"},
    {"jobs", "a"},
    {"jobs[]", "o"},
    {"jobs[].cpu", "in"},
    {"jobs[].latency", "on"},
    {"jobs[].latency.ops", "o"},
    {"jobs[].latency.ops.*", "o"},
    {"repeat", "on"},
    {"repeat.*", "o"},
    {"repeat.*.mean", "i"},
    {"repeat.*.stddev", "i"},
    {"repeat.*.ppm", "i"},
    {"repeat.*.median", "i"},
    {"repeat.*.min", "i"},
    {"repeat.*.max", "i"},
};

/* What stands at the top, and again in each job. */
static const struct member shared[] = {
    {"requests", "i"},
    {"bytes", "i"},
    {"short_requests", "i"},
    {"short_bytes", "i"},
    {"past_end_requests", "i"},
    {"past_end_bytes", "i"},
    {"misses", "i"},
    {"miss_bytes", "i"},
    {"bad_requests", "i"},
    {"bad_words", "i"},
    {"errors", "i"},
    {"seeks", "i"},
    {"elapsed_ns", "i"},
    {"user_ns", "i"},
    {"system_ns", "i"},
    {"minor_faults", "i"},
    {"faults_per_second", "i"},
    {"major_faults", "i"},
    {"ramp_requests", "i"},
    {"added_syncs", "i"},
    {"loops", "i"},
    {"most_in_flight", "i"},
    {"ops", "o"},
    {"ops.*", "o"},
    {"ops.*.requests", "i"},
    {"ops.*.bytes", "i"},
};

static const struct member residency[] = {
    {"pages", "i"},     {"cached", "i"},   {"dirty", "in"},  {"writeback", "in"},
    {"evicted", "in"},  {"recently_evicted", "in"}, {"method", "s"},
};

/* Of a histogram. */
static const struct member figures[] = {
    {"count", "i"}, {"min", "i"},   {"mean", "i"},   {"stddev", "i"}, {"p50", "i"}, {"p90", "i"},
    {"p99", "i"},   {"p99_9", "i"}, {"p99_99", "i"}, {"max", "i"},    {"sum", "i"},
};

static const struct member buckets[] = {{"buckets", "a"}, {"buckets[]", "a"}, {"buckets[][]", "i"}};

struct table {
	char place[400][64];
	const char *types[400];
	bool seen[400];
	size_t n;
};

static void fill(struct table *t, const char *prefix, const struct member *m, size_t n)
{
	for (size_t i = 0; i < n; i++, t->n++) {
		assert_true(t->n < ARRAY_SIZE(t->types));
		snprintf(t->place[t->n], sizeof(t->place[0]), "%s%s", prefix, m[i].place);
		t->types[t->n] = m[i].types;
	}
}

static void fill_all(struct table *t)
{
	memset(t, 0, sizeof(*t));
	fill(t, "", schema, ARRAY_SIZE(schema));
	fill(t, "", shared, ARRAY_SIZE(shared));
	fill(t, "jobs[].", shared, ARRAY_SIZE(shared));
	fill(t, "cache.before.", residency, ARRAY_SIZE(residency));
	fill(t, "cache.after.", residency, ARRAY_SIZE(residency));
	fill(t, "latency.ops.*.", figures, ARRAY_SIZE(figures));
	fill(t, "latency.ops.*.", buckets, ARRAY_SIZE(buckets));
	fill(t, "latency_hit.", figures, ARRAY_SIZE(figures));
	fill(t, "latency_hit.", buckets, ARRAY_SIZE(buckets));
	fill(t, "latency_miss.", figures, ARRAY_SIZE(figures));
	fill(t, "latency_miss.", buckets, ARRAY_SIZE(buckets));
	fill(t, "fidelity.lag.", figures, ARRAY_SIZE(figures));
	fill(t, "fidelity.lag.", buckets, ARRAY_SIZE(buckets));
	fill(t, "jobs[].latency.ops.*.", figures, ARRAY_SIZE(figures));
}

static char type_of(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return 'o';
	case JSON_ARRAY:
		return 'a';
	case JSON_STRING:
		return 's';
	case JSON_INTEGER:
		return 'i';
	case JSON_REAL:
		return 'r';
	case JSON_NULL:
		return 'n';
	default:
		return 'b';
	}
}

/* The row of a member: by its own name, or by any name. */
static size_t row_of(const struct table *t, const char *prefix, const char *name)
{
	char own[128], any[128];

	snprintf(own, sizeof(own), "%s%s%s", prefix, prefix[0] && name[0] != '[' ? "." : "", name);
	snprintf(any, sizeof(any), "%s.*", prefix);
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->place[i], own) == 0 || strcmp(t->place[i], any) == 0)
			return i;
	fail_msg("%s is in no schema", own);
	return 0;
}

static void check(struct table *t, size_t row, json_t *v)
{
	const char *key;
	json_t *each;
	size_t i;

	t->seen[row] = true;
	if (!strchr(t->types[row], type_of(v)))
		fail_msg("%s is of type %c, not one of %s", t->place[row], type_of(v), t->types[row]);
	json_object_foreach(v, key, each) check(t, row_of(t, t->place[row], key), each);
	json_array_foreach(v, i, each) check(t, row_of(t, t->place[row], "[]"), each);
}

static void check_document(struct table *t, json_t *root)
{
	const char *key;
	json_t *each;

	assert_true(json_is_object(root));
	memset(t->seen, 0, sizeof(t->seen));
	json_object_foreach(root, key, each) check(t, row_of(t, "", key), each);
	/* Whatever the play, the members at the top are there. */
	for (size_t i = 0; i < t->n; i++)
		if (!strpbrk(t->place[i], ".[") && !t->seen[i])
			fail_msg("%s is missing", t->place[i]);
}

static json_t *document(const struct report *r, const struct play_result *result, const struct report_run *run)
{
	struct fault fault;
	struct outfile o;
	struct json j;
	json_error_t error;
	json_t *root;
	size_t n;
	FILE *f;

	if (outfile_open(&o, path, &fault) < 0)
		fail_msg("%s", fault.text);
	json_init(&j, &o);
	report_json(&j, r, result, run);
	if (outfile_commit(&o, &fault) < 0)
		fail_msg("%s", fault.text);
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	/* one line, and nothing behind it */
	assert_true(n > 0 && strchr(text, '\n') == text + n - 1);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		fail_msg("column %d: %s", error.column, error.text);
	return root;
}

static int64_t integer(json_t *v, const char *name)
{
	json_t *member = json_object_get(v, name);

	if (!json_is_integer(member))
		fail_msg("no integer %s", name);
	return json_integer_value(member);
}

static void a_full_document_keeps_the_schema(void **state)
{
	struct table *t = *state;
	static char before[] = "nr_free_pages 100\npgfault 5\ngone 1\n", after[] = "nr_free_pages 90\npgfault 9\n";
	struct vmstat begin = {.buf = before, .used = sizeof(before) - 1},
		      end = {.buf = after, .used = sizeof(after) - 1};
	struct report_run run = {.play = 2, .run = 3, .runs = 3, .start_unix_ns = 4, .begin = &begin, .end = &end};
	_cleanup_(runs_fini) struct runs runs = {0};
	_cleanup_(sample_fini) struct sample_play s;
	json_t *root, *v;

	sample_init(&s);
	runs_add(&runs, &s.result);
	run.summary = &runs;
	root = document(&s.report, &s.result, &run);
	check_document(t, root);
	for (size_t i = 0; i < t->n; i++)
		if (!t->seen[i])
			fail_msg("%s is never there", t->place[i]);

	assert_int_equal(integer(root, "play"), 2);
	assert_int_equal(integer(root, "run"), 3);
	assert_int_equal(integer(root, "requests"), 110);
	assert_int_equal(integer(root, "past_end_bytes"), 4096);
	assert_int_equal(integer(root, "elapsed_ns"), 1000000000);
	v = json_object_get(json_object_get(json_object_get(root, "latency"), "ops"), "read");
	assert_int_equal(integer(v, "count"), 100);
	assert_int_equal(integer(v, "mean"), 1020);
	assert_int_equal(integer(v, "p99"), 1000);
	assert_int_equal(integer(v, "max"), 3000);
	v = json_object_get(v, "buckets");
	assert_int_equal(json_array_size(v), 2);
	assert_int_equal(json_integer_value(json_array_get(json_array_get(v, 0), 0)), 1000);
	assert_int_equal(json_integer_value(json_array_get(json_array_get(v, 0), 2)), 99);
	v = json_array_get(json_object_get(root, "errnos"), 1);
	assert_string_equal(json_string_value(json_object_get(v, "name")), "ENODATA");
	v = json_object_get(json_object_get(root, "vmstat"), "pgfault");
	assert_int_equal(json_integer_value(json_array_get(v, 0)), 5);
	assert_int_equal(json_integer_value(json_array_get(v, 1)), 9);
	assert_null(json_object_get(json_object_get(root, "vmstat"), "gone"));
	assert_int_equal(json_array_size(json_object_get(root, "jobs")), 2);
	json_decref(root);
}

static void a_poor_document_keeps_the_schema(void **state)
{
	struct table *t = *state;
	struct target target = {.fd = -1, .kind = TARGET_CHAR, .size = INT64_MAX};
	struct play_params params = {.max_requests = PLAY_UNLIMITED,
				     .max_bytes = PLAY_UNLIMITED,
				     .max_ns = INT64_MAX,
				     .depth = 1,
				     .cache = CACHE_KEEP};
	struct report r = {.tool = "vmmon",
			   .command = "",
			   .file = "a\"b\\c\n\xff",
			   .seed = UINT64_C(1) << 52,
			   .info = {.target = &target, .engine = engine_of_name("null")},
			   .params = &params};
	struct play_result result = {.cache_left = UINT64_MAX};
	struct report_run run = {.play = 1, .run = 1, .runs = 1};
	json_t *root = document(&r, &result, &run), *v;

	check_document(t, root);
	v = json_object_get(root, "target");
	assert_true(json_is_null(json_object_get(v, "size")));
	assert_string_equal(json_string_value(json_object_get(v, "path")), "a\"b\\c\n\xef\xbf\xbd");
	v = json_object_get(root, "limits");
	assert_true(json_is_null(json_object_get(v, "requests")));
	assert_true(json_is_null(json_object_get(v, "ns")));
	assert_true(json_is_null(json_object_get(root, "latency")));
	assert_true(json_is_null(json_object_get(root, "repeat")));
	assert_string_equal(json_string_value(json_object_get(root, "ended_by")), "end");
	json_decref(root);
}

static void how_it_ended_is_one_word(void **state _unused_)
{
	_cleanup_(sample_fini) struct sample_play s;
	struct report_run run = {.play = 1, .run = 1, .runs = 1};
	json_t *root;

	sample_init(&s);
	s.result.stopped_by = 2;
	root = document(&s.report, &s.result, &run);
	assert_string_equal(json_string_value(json_object_get(root, "ended_by")), "signal");
	assert_int_equal(integer(root, "signal"), 2);
	json_decref(root);
	s.result.stopped_by = 0;
	s.result.hit_limit = true;
	root = document(&s.report, &s.result, &run);
	assert_string_equal(json_string_value(json_object_get(root, "ended_by")), "limit");
	json_decref(root);
	s.result.stopped_by_error = true;
	root = document(&s.report, &s.result, &run);
	assert_string_equal(json_string_value(json_object_get(root, "ended_by")), "error");
	json_decref(root);
	s.report.failure = "engine x cannot y";
	root = document(&s.report, &s.result, &run);
	assert_string_equal(json_string_value(json_object_get(root, "ended_by")), "failure");
	assert_string_equal(json_string_value(json_object_get(root, "failure")), "engine x cannot y");
	json_decref(root);
}

static int begin(void **state)
{
	struct table *t = malloc(sizeof(*t));

	if (!t || !mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/json", folder);
	fill_all(t);
	*state = t;
	return 0;
}

static int end(void **state)
{
	free(*state);
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_full_document_keeps_the_schema),
	    cmocka_unit_test(a_poor_document_keeps_the_schema),
	    cmocka_unit_test(how_it_ended_is_one_word),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
