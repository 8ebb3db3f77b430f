/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <jansson.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/document.h"

static void check_value(const struct document *d, const struct document_node *node, const json_t *truth)
{
	const struct document_node *child;
	size_t at = 0, n = 0;

	switch (json_typeof(truth)) {
	case JSON_OBJECT:
		assert_int_equal(node->type, DOCUMENT_OBJECT);
		for (; (child = document_child(d, node, &at)) != NULL; n++) {
			_cleanup_free_ char *name = document_text(child->name, child->name_length);

			check_value(d, child, json_object_get(truth, name));
		}
		assert_int_equal(n, json_object_size(truth));
		break;
	case JSON_ARRAY:
		assert_int_equal(node->type, DOCUMENT_ARRAY);
		for (; (child = document_child(d, node, &at)) != NULL; n++)
			check_value(d, child, json_array_get(truth, n));
		assert_int_equal(n, json_array_size(truth));
		break;
	case JSON_STRING: {
		_cleanup_free_ char *text = document_text(node->text, node->length);

		assert_int_equal(node->type, DOCUMENT_STRING);
		assert_string_equal(text, json_string_value(truth));
		break;
	}
	case JSON_INTEGER:
	case JSON_REAL:
		assert_int_equal(node->type, DOCUMENT_NUMBER);
		assert_true(node->number == json_number_value(truth));
		break;
	default:
		assert_int_equal(node->type, json_is_true(truth)    ? DOCUMENT_TRUE
					     : json_is_false(truth) ? DOCUMENT_FALSE
								    : DOCUMENT_NULL);
	}
}

/* Read it, and by the library that the tests of the writer use too. */
static void check_text(const char *text)
{
	json_t *truth = json_loads(text, JSON_DECODE_ANY, NULL);
	_cleanup_(document_fini) struct document d = {0}, behind = {0};
	struct fault fault = {0};
	size_t at = 0;
	uint64_t line = 1;
	int r = document_next(&d, text, strlen(text), &at, &line, &fault);

	/* what stands behind a value is the next one here */
	if (r > 0 && document_next(&behind, text, strlen(text), &at, &line, &fault) != 0)
		r = -EINVAL;
	if ((r > 0) != (truth != NULL))
		fail_msg("%s: %s", text, r > 0 ? "taken" : fault.text);
	if (truth)
		check_value(&d, d.node, truth);
	json_decref(truth);
}

static void texts_mean_what_they_mean_to_another_reader(void **state _unused_)
{
	static const char *const text[] = {
		"{}", "[]", " [ ] ", "null", "true", "false", "0", "-0", "12.5e3", "1E+2", "1e-7", "9223372036854775807",
		"\"\"", "\"a\\n\\t\\\"\\\\\\/\\b\\f\\r\"", "\"\\u00e9\\u20ac\\ud83d\\ude00\"", "\"\xc3\xa9\"",
		"{\"a\":1,\"b\":{\"c\":[1,[2,[]],{}],\"d\":null},\"e\":\"x\"}", "[[[[1]]],2]", "{\"\\u0061\\n\":3}",
		"[1,2,3]\n", "\r\n\t{\"a\" : [ 1 , 2 ] }",
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		check_text(text[i]);
}

static void what_is_no_json_is_refused(void **state _unused_)
{
	static const char *const text[] = {
		"{", "}", "[", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "[1 2]", "01", "+1", "1.", ".5", "1e", "0x1",
		"-", "nul", "True", "NaN", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "'a'", "\"a\nb\"", "{\"a\"}", "[,1]",
		"1e999", "{1:2}",
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		check_text(text[i]);
}

static void values_follow_each_other_and_faults_have_a_line(void **state _unused_)
{
	static const char text[] = "{\"n\":1}\n\n{\"n\":\n2}\n{\"n\":\n\n!}\n";
	_cleanup_(document_fini) struct document d = {0};
	struct fault fault = {0};
	size_t at = 0;
	uint64_t line = 1;

	for (int i = 1; i <= 2; i++) {
		assert_int_equal(document_next(&d, text, strlen(text), &at, &line, &fault), 1);
		assert_int_equal(document_member(&d, d.node, "n")->number, i);
		assert_int_equal(d.node->line, i == 1 ? 1 : 3);
		assert_null(document_member(&d, d.node, "m"));
		assert_null(document_typed(&d, d.node, "n", DOCUMENT_STRING));
	}
	assert_int_equal(document_next(&d, text, strlen(text), &at, &line, &fault), -EINVAL);
	assert_int_equal(fault.line, 7);
	assert_string_equal(fault.text, "'!}\\x0a' where a value should be");
	at = strlen(text);
	assert_int_equal(document_next(&d, text, strlen(text), &at, &line, &fault), 0);
}

static void what_nests_too_deeply_is_refused(void **state _unused_)
{
	char text[2 * DOCUMENT_DEPTH + 4];

	for (size_t depth = DOCUMENT_DEPTH; depth <= DOCUMENT_DEPTH + 2; depth++) {
		_cleanup_(document_fini) struct document d = {0};
		struct fault fault = {0};
		size_t at = 0;
		uint64_t line = 1;

		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		assert_int_equal(document_next(&d, text, 2 * depth, &at, &line, &fault),
				 depth <= DOCUMENT_DEPTH ? 1 : -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_mean_what_they_mean_to_another_reader),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(values_follow_each_other_and_faults_have_a_line),
		cmocka_unit_test(what_nests_too_deeply_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
