/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of pattern generators share; include after cmocka.h. */
#pragma once

#include "trace/gen.h"

#define SEED 77

static inline struct gen_params defaults(void)
{
	struct gen_params p;

	gen_params_init(&p);
	return p;
}

/* The whole pattern, or a failed test. */
static inline void generate(struct trace *t, const struct gen_params *p)
{
	struct fault f = {.text = ""};
	struct rng r;

	trace_init(t);
	rng_init(&r, SEED);
	if (gen_check(p, &f))
		fail_msg("%s", f.text);
	assert_int_equal(gen_append(t, p, &r), 0);
}

/* What a pattern must be, request for request. */
struct pair {
	uint64_t offset, length;
};

static inline void assert_requests(const struct gen_params *p, const struct pair *want, size_t n)
{
	_cleanup_(trace_fini) struct trace t = {0};

	generate(&t, p);
	assert_int_equal(t.count, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(req_offset(t.req[i]), want[i].offset);
		assert_int_equal(req_length(t.req[i]), want[i].length);
		assert_int_equal(req_op(t.req[i]), p->op);
	}
}
