/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patterns that do more than read. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/gen.h"

#include "patterns.h"

#define PAGE PAGE_BYTES

static size_t count_op(const struct trace *t, enum op op)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		n += req_op(t->req[i]) == op;
	return n;
}

static void writes_are_mixed_in_by_their_part(void **state _unused_)
{
	for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++) {
		_cleanup_(trace_fini) struct trace t = {0};
		struct gen_params p = defaults();

		p.pattern = pattern;
		p.stride = pattern == PATTERN_STRIDE ? PAGE : 0;
		p.end = 10000 * PAGE;
		p.max_requests = 10000;
		p.write_part = 0.3;
		generate(&t, &p);
		assert_int_equal(t.count, 10000);
		assert_int_equal(count_op(&t, OP_READ) + count_op(&t, OP_WRITE), t.count);
		/* six standard deviations of 45.8 */
		assert_in_range(count_op(&t, OP_WRITE), 2725, 3275);
	}
}

static void a_mix_leaves_the_places_of_a_walk_alone(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace plain = {0}, mixed = {0}, written = {0};
	struct gen_params p = defaults();

	p.pattern = PATTERN_BACKWARD;
	generate(&plain, &p);
	p.write_part = 0.5;
	generate(&mixed, &p);
	p.write_part = 1;
	generate(&written, &p);
	assert_int_equal(count_op(&written, OP_WRITE), plain.count);
	for (size_t i = 0; i < plain.count; i++) {
		assert_int_equal(req_offset(mixed.req[i]), req_offset(plain.req[i]));
		assert_int_equal(req_length(mixed.req[i]), req_length(plain.req[i]));
		assert_int_equal(req_offset(written.req[i]), req_offset(plain.req[i]));
	}
}

static void one_op_for_all(void **state _unused_)
{
	struct gen_params p = defaults();

	p.end = 3 * PAGE;
	for (enum op op = OP_READ; op <= OP_TRIM; op++) {
		p.op = op;
		assert_requests(&p, (struct pair[]){{0, PAGE}, {PAGE, PAGE}, {2 * PAGE, PAGE}}, 3);
	}
}

static void syncs_have_no_place_and_no_length(void **state _unused_)
{
	struct gen_params p = defaults();
	struct fault fault;

	for (enum op op = OP_SYNC; op <= OP_DATASYNC; op++) {
		p.op = op;
		p.max_requests = GEN_UNLIMITED;
		assert_int_equal(gen_check(&p, &fault), -EINVAL);
		assert_non_null(strstr(fault.text, "--max-requests"));
		p.max_requests = 2;
		assert_int_equal(gen_check(&p, &fault), 0);
		assert_requests(&p, (struct pair[]){{0, 0}, {0, 0}}, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_are_mixed_in_by_their_part),
		cmocka_unit_test(a_mix_leaves_the_places_of_a_walk_alone),
		cmocka_unit_test(one_op_for_all),
		cmocka_unit_test(syncs_have_no_place_and_no_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
