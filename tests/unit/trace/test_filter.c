/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/event.h"
#include "base/macro.h"
#include "trace/filter.h"

#include "random.h"

static void apply(struct trace *t, const char *text)
{
	_cleanup_(filter_fini) struct filter f = {0};
	struct fault fault = {0};

	if (filter_parse(&f, text, PAGE_SHIFT, &fault) != 0)
		fail_msg("'%s' was refused: %s", text, fault.text);
	assert_int_equal(filter_apply(&f, t), 0);
}

static const char ops[] = "RWTSD";

/* Each expression is one condition that is also written in C here. */
static bool holds(int kind, const struct trace *t, size_t i)
{
	uint64_t offset = req_offset(t->req[i]), length = req_length(t->req[i]);

	switch (kind) {
	case 0:
		return strchr("RT", ops[req_op(t->req[i])]) != NULL;
	case 1:
		return offset >= 4096 && offset < 40960;
	case 2:
		return length >= 100;
	case 3:
		return length == 0;
	case 4:
		return time_at(t, i) != TIME_NONE && time_at(t, i) < 25;
	case 5:
		return time_at(t, i) != TIME_NONE && time_at(t, i) >= 10 && time_at(t, i) < 11;
	case 6:
		return file_at(t, i) >= 1;
	case 7:
		return file_at(t, i) == 1 && offset < 20480 && length >= 1 && length <= 900;
	case 8:
		return file_at(t, i) == 2;
	default:
		return length <= 100;
	}
}

static void a_filter_keeps_what_holds_and_its_order(void **state _unused_)
{
	static const char *const text[] = {
		"op=rT",
		"offset=1-10",
		"length=100b-",
		"length=0",
		"time=-25ns",
		"time=0.000000010-0.000000011",
		"file=1-2",
		"file=1,length=1b-900b,offset=0-5p",
		"file=*/d?ta[0-9]",
		"length=-100b",
	};
	struct rng r;

	rng_init(&r, 1);
	for (int round = 0; round < 4000; round++) {
		_cleanup_(trace_fini) struct trace old = {0}, t = {0};
		int kind = round % (int)ARRAY_SIZE(text);
		size_t at = 0;

		make_any(&old, &r, 30);
		copy_any(&t, &old);
		assert_int_equal(trace_name_file(&t, 0, "/srv/data", 9) | trace_name_file(&t, 2, "/srv/data7", 10), 0);
		apply(&t, text[kind]);
		for (size_t i = 0; i < old.count; i++) {
			if (!holds(kind, &old, i))
				continue;
			assert_true(at < t.count);
			assert_true(same_request(&t, at++, &old, i));
		}
		assert_int_equal(at, t.count);
	}
}

static void a_name_is_matched_as_a_whole(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};

	for (size_t i = 0; i < 3; i++)
		assert_int_equal(trace_push(&t, req_make(i, 1, OP_READ)), 0);
	assert_int_equal(trace_need_file(&t), 0);
	t.file[1] = 1;
	t.file[2] = 9; /* has no name */
	assert_int_equal(trace_name_file(&t, 0, "a,b", 3) | trace_name_file(&t, 1, "a,bc", 4), 0);
	apply(&t, "file=a?b*");
	assert_int_equal(t.count, 2);
	apply(&t, "file=a?b");
	assert_int_equal(t.count, 1);
	assert_int_equal(req_offset(t.req[0]), 0);
}

static void what_is_wrong_is_said(void **state _unused_)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", "not one of"},
		{"op", "not one of"},
		{"Op=R", "not one of"},
		{"size=4k", "'size=4k': not one of"},
		{"op=", "missing"},
		{"op=RX", "'RX': not letters"},
		{"op=R,op=W", "'op=W': comes twice"},
		{"op=R,", "not one of"},
		{"offset=", "missing"},
		{"offset=-", "a range needs"},
		{"offset=4-4", "'4-4': the range is empty"},
		{"offset=5-4", "the range is empty"},
		{"offset=-0", "the range is empty"},
		{"offset=1.5", "'1.5': a fraction"},
		{"offset=1-2-3", "'2-3'"},
		{"length=8k-4k", "the range is empty"},
		{"length=1q", "'1q': unknown unit"},
		{"time=1-1", "the range is empty"},
		{"time=1h", "not a time"},
		{"file=", "missing"},
		{"file=1k", "unit"},
		{"file=2-1", "the range is empty"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_(filter_fini) struct filter f = {0};
		struct fault fault = {0};

		if (filter_parse(&f, bad[i].text, PAGE_SHIFT, &fault) != -EINVAL)
			fail_msg("'%s' was taken", bad[i].text);
		if (!strstr(fault.text, bad[i].says))
			fail_msg("'%s': \"%s\" does not say \"%s\"", bad[i].text, fault.text, bad[i].says);
	}
}

/* Last: the flag stays set. */
static void a_signal_ends_it(void **state _unused_)
{
	_cleanup_(filter_fini) struct filter f = {0};
	_cleanup_(trace_fini) struct trace t = {0};
	struct fault fault;

	for (size_t i = 0; i < 200000; i++)
		assert_int_equal(trace_push(&t, req_make(i, 1, OP_READ)), 0);
	assert_int_equal(filter_parse(&f, "op=R", 0, &fault), 0);
	stop_request(SIGINT);
	assert_int_equal(filter_apply(&f, &t), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_keeps_what_holds_and_its_order),
		cmocka_unit_test(a_name_is_matched_as_a_whole),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(a_signal_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
