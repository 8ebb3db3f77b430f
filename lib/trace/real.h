/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logarithms and exponentials that give the same bits on every machine.
 *
 * libm may differ from one C library or processor to the next by the last bit, and a trace made from a seed must
 * not. These use IEEE 754 additions, subtractions, multiplications and divisions of doubles alone (compile without
 * contraction). Relative error below 1e-15, for real_pow below 1e-15 * (1 + |y ln x|).
 * No errno, no floating-point exceptions to look at.
 */
#pragma once

/* Natural logarithm, x >= 0; -inf for 0, inf for inf. */
double real_log(double x);

/* ln(1 + x), exact to the last bits also for small x; x >= -1. */
double real_log1p(double x);

/* e to the power x; 0 or inf where a normal double cannot hold it. */
double real_exp(double x);

/* e to the power x, less 1, exact to the last bits also for small x. */
double real_expm1(double x);

/* x to the power y; x > 0. */
double real_pow(double x, double y);
