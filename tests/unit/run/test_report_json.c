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
#include "schema.h"

static char folder[] = "/tmp/test_report_json.XXXXXX";
static char path[64], text[65536];

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
