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
#include "run/json.h"

static char folder[] = "/tmp/test_json.XXXXXX";
static char path[64], text[4096];

static void begin(struct json *j, struct outfile *o)
{
	struct fault fault;

	if (outfile_open(o, path, &fault) < 0)
		fail_msg("%s", fault.text);
	json_init(j, o);
}

static const char *written(struct outfile *o)
{
	struct fault fault;
	FILE *f;

	if (outfile_commit(o, &fault) < 0)
		fail_msg("%s", fault.text);
	f = fopen(path, "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void values_are_parted_by_commas(void **state _unused_)
{
	struct outfile o;
	struct json j;

	begin(&j, &o);
	json_open_object(&j, NULL);
	json_put_uint(&j, "a", 1);
	json_open_array(&j, "b");
	json_open_array(&j, NULL);
	json_close_array(&j);
	json_put_bool(&j, NULL, true);
	json_open_object(&j, NULL);
	json_close_object(&j);
	json_close_array(&j);
	json_put_key(&j, "c\"x", 2);
	json_put_null(&j, NULL);
	json_put_key(&j, "d", 1);
	json_open_object(&j, NULL);
	json_put_bool(&j, "e", false);
	json_close_object(&j);
	json_put_text(&j, "f", NULL);
	json_close_object(&j);
	json_end_line(&j);
	json_put_int(&j, NULL, -1);
	json_end_line(&j);
	assert_string_equal(written(&o),
			    "{\"a\":1,\"b\":[[],true,{}],\"c\\\"\":null,\"d\":{\"e\":false},\"f\":null}\n-1\n");
}

static void integers_keep_all_digits(void **state _unused_)
{
	struct outfile o;
	struct json j;

	begin(&j, &o);
	json_open_array(&j, NULL);
	json_put_uint(&j, NULL, UINT64_MAX);
	json_put_int(&j, NULL, INT64_MIN);
	json_put_int(&j, NULL, INT64_MAX);
	json_put_uint(&j, NULL, 0);
	json_put_real(&j, NULL, 2.5);
	json_close_array(&j);
	assert_string_equal(written(&o), "[18446744073709551615,-9223372036854775808,9223372036854775807,0,2.5]");
}

/* Any bytes come back as they were, or as U+FFFD where they are no UTF-8. */
static void text_survives_a_reader(void **state _unused_)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"", ""},
	    {"plain /path", "plain /path"},
	    {"\"quoted\" \\back", "\"quoted\" \\back"},
	    {"\n\t\r\b\f\x01\x1f\x7f", "\n\t\r\b\f\x01\x1f\x7f"},
	    {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
	    {"a\x80z", "a\xef\xbf\xbdz"},					      /* a tail alone */
	    {"a\xc3", "a\xef\xbf\xbd"},						      /* cut off */
	    {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},				      /* overlong */
	    {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},		      /* a surrogate */
	    {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* past U+10FFFF */
	    {"\xff\xfe", "\xef\xbf\xbd\xef\xbf\xbd"},
	};
	struct outfile o;
	struct json j;
	json_error_t error;
	json_t *root;

	begin(&j, &o);
	json_open_array(&j, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		json_put_text(&j, NULL, cases[i].in);
	json_close_array(&j);
	root = json_loads(written(&o), 0, &error);
	if (!root)
		fail_msg("%s: %s", text, error.text);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(json_string_value(json_array_get(root, i)), cases[i].out);
	json_decref(root);
}

static int make_folder(void **state _unused_)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/json", folder);
	return 0;
}

static int remove_folder(void **state _unused_)
{
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_parted_by_commas),
	    cmocka_unit_test(integers_keep_all_digits),
	    cmocka_unit_test(text_survives_a_reader),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
