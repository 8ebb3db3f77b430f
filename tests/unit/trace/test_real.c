/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"
#include "trace/real.h"

static void assert_near(double got, long double want)
{
	if (fabsl((long double)got - want) > 1e-15L * fabsl(want))
		fail_msg("%a is not near %La", got, want);
}

static void agrees_with_libm_to_the_last_bits(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 1);
	for (int i = 0; i < 100000; i++) {
		double u = rng_unit(&r);
		double wide = ldexp(1 + u, (int)rng_below(&r, 2000) - 1000), near_1 = 0.75 + u / 2;
		double x = (u - 0.5) * 1400, small = ldexp(u - 0.5, -(int)rng_below(&r, 60));

		assert_near(real_log(wide), logl((long double)wide));
		assert_near(real_log(near_1), logl((long double)near_1));
		assert_near(real_exp(x), expl((long double)x));
		assert_near(real_log1p(small), log1pl((long double)small));
		assert_near(real_expm1(small * 8), expm1l((long double)small * 8));
	}
}

static void power_is_as_exact_as_its_exponent_is_small(void **state _unused_)
{
	struct rng r;

	rng_init(&r, 2);
	for (int i = 0; i < 100000; i++) {
		double x = 1 + rng_unit(&r) * 1e6, y = (rng_unit(&r) - 0.5) * 20;
		long double want = powl((long double)x, (long double)y);

		assert_true(fabsl((long double)real_pow(x, y) - want) <=
				1e-15L * (1 + fabsl((long double)y * logl((long double)x))) * want);
	}
}

static void edges(void **state _unused_)
{
	assert_true(isinf(real_log(0)) && real_log(0) < 0);
	assert_true(isinf(real_log((double)INFINITY)));
	assert_true(real_log(1) == 0 && real_exp(0) == 1 && real_log1p(0) == 0 && real_expm1(0) == 0);
	assert_near(real_log(0x1p-1074), logl(0x1p-1074L));
	assert_true(real_exp(-1e300) == 0 && real_exp((double)-INFINITY) == 0);
	assert_true(isinf(real_exp(1e300)));
	assert_true(real_expm1(-50) == -1 || real_expm1(-50) > -1.0000000001);
	assert_true(isinf(real_log1p((double)INFINITY)));
}

/* The bits themselves: a processor or compiler that makes others makes other traces. */
static void the_bits_never_change(void **state _unused_)
{
	assert_true(real_log(3) == 0x1.193ea7aad030bp+0);
	assert_true(real_log(1e-300) == -0x1.5963447f87fb5p+9);
	assert_true(real_exp(1) == 0x1.5bf0a8b14576ap+1);
	assert_true(real_exp(-700.3) == 0x1.9a5615b10648ap-1011);
	assert_true(real_log1p(1e-5) == 0x1.4f8aea9ae7317p-17);
	assert_true(real_expm1(0.3) == 0x1.6641632306a57p-2);
	assert_true(real_pow(17.5, -1.2) == 0x1.0815d8866fe77p-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_libm_to_the_last_bits),
		cmocka_unit_test(power_is_as_exact_as_its_exponent_is_small),
		cmocka_unit_test(edges),
		cmocka_unit_test(the_bits_never_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
