/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/real.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/macro.h"

/* Doubles evaluated in more bits (2: the x87) would give other results; 1 and 16 widen only smaller types. */
static_assert(FLT_EVAL_METHOD >= 0 && FLT_EVAL_METHOD != 2, "doubles are evaluated as doubles");

/* ln 2 in two parts: a multiple of the high one by an exponent is exact (its low 21 bits are 0). */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define LOG2_E 0x1.71547652b82fep+0

static uint64_t bits_of(double x)
{
	uint64_t b;

	memcpy(&b, &x, sizeof(b));
	return b;
}

static double of_bits(uint64_t b)
{
	double x;

	memcpy(&x, &b, sizeof(x));
	return x;
}

/* Value of the polynomial whose n coefficients stand in c, highest power first. */
static double polynomial(const double *c, int n, double x)
{
	double sum = c[0];

	for (int i = 1; i < n; i++)
		sum = sum * x + c[i];
	return sum;
}

/* ln m = 2 artanh((m - 1) / (m + 1)), with m between 1/sqrt 2 and sqrt 2: |s| < 0.172, 11 terms reach 2^-60. */
static const double artanh[] = {
	2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
};

double real_log(double x)
{
	int exponent = 0;
	double s, z;

	if (x == 0)
		return -(double)INFINITY;
	if (isinf(x))
		return x;
	if (x < DBL_MIN) {
		x *= 0x1p54;
		exponent = -54;
	}
	exponent += (int)(bits_of(x) >> 52) - 1023;
	x = of_bits((bits_of(x) & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
	if (x > 0x1.6a09e667f3bcdp+0) {
		x *= 0.5;
		exponent++;
	}
	s = (x - 1) / (x + 1);
	z = s * s;
	return exponent * LN2_HIGH + (exponent * LN2_LOW + (s * z * polynomial(artanh, ARRAY_SIZE(artanh), z) + 2 * s));
}

/* What rounding took from 1 + x is given back by the quotient (W. Kahan's correction). */
double real_log1p(double x)
{
	double u = 1 + x;

	return u == 1 || isinf(u) ? x : real_log(u) * (x / (u - 1));
}

/* 1 / k!; |r| < 0.35, so that the 15th power would add less than 2^-60. */
static const double exponential[] = {
	1.0 / 87178291200,
	1.0 / 6227020800,
	1.0 / 479001600,
	1.0 / 39916800,
	1.0 / 3628800,
	1.0 / 362880,
	1.0 / 40320,
	1.0 / 5040,
	1.0 / 720,
	1.0 / 120,
	1.0 / 24,
	1.0 / 6,
	1.0 / 2,
	1,
	1,
};

double real_exp(double x)
{
	double r;
	int64_t k;

	if (x > 709)
		return (double)INFINITY;
	if (x < -708)
		return 0;
	k = (int64_t)(x * LOG2_E + (x < 0 ? -0.5 : 0.5));
	r = (x - (double)k * LN2_HIGH) - (double)k * LN2_LOW;
	return polynomial(exponential, ARRAY_SIZE(exponential), r) * of_bits((uint64_t)(k + 1023) << 52);
}

double real_expm1(double x)
{
	double u;

	if (x > 1 || x < -1)
		return real_exp(x) - 1;
	u = real_exp(x);
	return u == 1 ? x : (u - 1) * (x / real_log(u));
}

double real_pow(double x, double y)
{
	return real_exp(y * real_log(x));
}
