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
