/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "base/macro.h"
#include "figures.h"

static void the_json_of_vmmon_says_what_is_a_counter(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "{\"vmmon\":\"0.1\",\"kernel\":\"6.18\",\"fields\":[{\"name\":\"nr_odd\",\"class\":\"counter\"},"
		  "{\"name\":\"a\\u0022b\",\"class\":\"ratio\"}]}\n"
		  "{\"mono_ns\":0,\"phase\":\"p\",\"values\":{\"nr_odd\":1,\"a\\\"b\":2,\"pgfree\":1}}\n"
		  "{\"mono_ns\":2000000000,\"phase\":\"p\",\"values\":{\"nr_odd\":5,\"a\\\"b\":4,\"pgfree\":null}}\n"
		  "{\"summary\":{\"rows\":2}}\n");
	near(figure(&r, "p", "nr_odd", FIGURE_RATE)->run[0], 2);
	near(figure(&r, "p", "a\"b", FIGURE_LEVEL)->run[0], 3);
	assert_null(recording_find(&r, "p", "pgfree", FIGURE_RATE));
	assert_string_equal(r.fact[1].name, "kernel");
	assert_string_equal(r.fact[1].text, "6.18");
}

static void the_summary_has_what_was_counted_between_the_marks(void **state _unused_)
{
	static const char head[] = "{\"vmmon\":1,\"fields\":[{\"name\":\"odd\",\"class\":\"gauge\"}]}\n";
	static const char summary[] =
		"{\"summary\":{\"phases\":[{\"run\":1,\"phase\":\"p\",\"begin_ns\":0,\"end_ns\":3500000000,\"ticks\":2,"
		"\"values\":{\"pgfault\":{\"difference\":40},\"odd\":{\"difference\":4}}},"
		"{\"run\":1,\"phase\":\"q\",\"begin_ns\":3500000000,\"end_ns\":4000000000,\"ticks\":0,"
		"\"values\":{\"pgfault\":{\"difference\":3},\"pgfree\":{\"difference\":null}}},"
		"{\"run\":1,\"phase\":\"p\",\"begin_ns\":4000000000,\"end_ns\":5000000000,\"ticks\":0,"
		"\"values\":{\"pgfault\":{\"difference\":2}}}],\"rows\":2}}\n";
	static const char row[] = "{\"mono_ns\":%d000000000,\"run\":1,\"phase\":\"p\",\"values\":{\"pgfault\":%d,\"odd\":1}}\n";
	_cleanup_(recording_fini) struct recording r = {0};
	char text[2048];
	int n = snprintf(text, sizeof(text), "%s", head);

	for (int i = 1; i <= 2; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, row, i, 10 * i);
	snprintf(text + n, sizeof(text) - (size_t)n, "%s", summary);
	for (size_t run = 0; run < 2; run++) {
		parse(&r, text);
		near(figure(&r, "p", "pgfault", FIGURE_TOTAL)->run[run], 42);
		near(figure(&r, "p", "elapsed", FIGURE_LENGTH)->run[run], 4.5);
		near(figure(&r, "p", "pgfault", FIGURE_RATE)->run[run], 10);
		/* a phase that no row has met */
		near(figure(&r, "q", "pgfault", FIGURE_TOTAL)->run[run], 3);
		near(figure(&r, "q", "elapsed", FIGURE_LENGTH)->run[run], 0.5);
	}
	assert_null(recording_find(&r, "p", "odd", FIGURE_TOTAL));
	assert_null(recording_find(&r, "q", "pgfree", FIGURE_TOTAL));
	assert_int_equal(r.mute, 0);
}

static void a_report_has_its_numbers_and_circumstances(void **state _unused_)
{
	static const char text[] =
		"{\"kernel\":\"6.1\",\"seed\":7,\"play\":2,\"run\":1,\"target\":{\"path\":\"f\",\"size\":null},"
		"\"engine\":{\"name\":\"pread\",\"use\":[\"nowait\"]},\"requests\":100,\"bytes\":10485760,"
		"\"elapsed_ns\":2000000000,\"user_ns\":500000000,\"misses\":3,\"ops\":{\"read\":{\"requests\":100}},"
		"\"latency\":{\"clock\":\"tsc\",\"ops\":{\"read\":{\"p50\":1500,\"max\":9000,\"buckets\":[[1,2,3]]}}},"
		"\"fidelity\":{\"lag\":{\"p50\":2000}},\"vmstat\":{\"pgfault\":[10,60],\"nr_dirty\":[5,1]},\"jobs\":[{}]}";
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, text);
	parse(&r, text);
	assert_string_equal(r.form, "report");
	assert_int_equal(r.runs, 2);
	assert_int_equal(figure(&r, "play 1", "elapsed", FIGURE_LEVEL)->runs, 2);
	near(figure(&r, "play 1", "elapsed", FIGURE_LEVEL)->run[1], 2);
	near(figure(&r, "play 1", "MB/s", FIGURE_LEVEL)->run[0], 5);
	near(figure(&r, "play 1", "requests/s", FIGURE_LEVEL)->run[0], 50);
	near(figure(&r, "play 1", "user", FIGURE_LEVEL)->run[0], 0.5);
	near(figure(&r, "play 1", "misses", FIGURE_LEVEL)->events, 6);
	near(figure(&r, "play 1", "latency.read.p50", FIGURE_LEVEL)->run[0], 1.5);
	near(figure(&r, "play 1", "fidelity.lag.p50", FIGURE_LEVEL)->run[0], 2);
	near(figure(&r, "play 1", "pgfault", FIGURE_LEVEL)->run[0], 50);
	assert_null(recording_find(&r, "play 1", "nr_dirty", FIGURE_LEVEL));
	assert_string_equal(fact(&r, "engine.name"), "pread");
}

static void plays_are_counted_in_each_file(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "{\"play\":3,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1}{\"play\":3,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1}"
		  "{\"play\":5,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1}");
	parse(&r, "{\"play\":1,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1}");
	assert_int_equal(figure(&r, "play 1", "elapsed", FIGURE_LEVEL)->runs, 3);
	assert_int_equal(figure(&r, "play 2", "elapsed", FIGURE_LEVEL)->runs, 1);
}

static void integers_are_exact_and_those_beyond_63_bits_are_near(void **state _unused_)
{
	static const char text[] =
		"{\"seed\":9223372036854775807,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1,"
		"\"vmstat\":{\"pgfault\":[9223372036854775800,9223372036854775807]}}";
	static const char beyond[] =
		"{\"seed\":18446744073709551615,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1,\"target\":{\"size\":4096},"
		"\"misses\":18446744073709551615}";
	_cleanup_(recording_fini) struct recording r = {0}, wide = {0};

	parse(&r, text);
	assert_string_equal(fact(&r, "seed"), "9223372036854775807");
	near(figure(&r, "play 1", "pgfault", FIGURE_LEVEL)->run[0], 7);
	parse(&wide, beyond);
	assert_string_equal(fact(&wide, "seed"), "1.84467440737096e+19");
	assert_string_equal(fact(&wide, "target.size"), "4096");
	near(figure(&wide, "play 1", "misses", FIGURE_LEVEL)->run[0], 18446744073709551615.0);
}

static void facts_stand_as_in_the_document(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "{\"elapsed_ns\":1,\"requests\":1,\"bytes\":1,\"engine\":{\"name\":\"a\\n\\u00e9\\u20ac\",\"rate\":0.1,"
		  "\"use\":[ \"nowait\", 2 ],\"direct\":true,\"limit\":null}}");
	assert_string_equal(fact(&r, "engine.name"), "a\\n\xc3\xa9\xe2\x82\xac");
	assert_string_equal(fact(&r, "engine.rate"), "0.1");
	assert_string_equal(fact(&r, "engine.use"), "[\"nowait\",2]");
	assert_string_equal(fact(&r, "engine.direct"), "true");
	assert_string_equal(fact(&r, "engine.limit"), "null");
}

static void documents_that_nest_without_end_are_refused(void **state _unused_)
{
	static const char head[] = "{\"vmmon\":1}";
	_cleanup_(recording_fini) struct recording r = {0};
	struct fault fault = {0};
	char text[100000];

	memset(text, '[', sizeof(text));
	memcpy(text, head, strlen(head));
	assert_int_equal(recording_parse(&r, text, sizeof(text), &fault), -EINVAL);
	assert_string_equal(fault.text, "JSON: maximum parsing depth reached near '['");
}

static void what_two_files_say_differently_is_several(void **state _unused_)
{
	_cleanup_(recording_fini) struct recording r = {0};

	parse(&r, "{\"seed\":1,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1}");
	parse(&r, "{\"seed\":2,\"elapsed_ns\":1,\"requests\":1,\"bytes\":1}");
	assert_string_equal(r.fact[0].text, "(several)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_json_of_vmmon_says_what_is_a_counter),
		cmocka_unit_test(the_summary_has_what_was_counted_between_the_marks),
		cmocka_unit_test(a_report_has_its_numbers_and_circumstances),
		cmocka_unit_test(plays_are_counted_in_each_file),
		cmocka_unit_test(integers_are_exact_and_those_beyond_63_bits_are_near),
		cmocka_unit_test(facts_stand_as_in_the_document),
		cmocka_unit_test(documents_that_nest_without_end_are_refused),
		cmocka_unit_test(what_two_files_say_differently_is_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
