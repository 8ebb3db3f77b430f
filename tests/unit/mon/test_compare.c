/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/macro.h"
#include "base/rng.h"
#include "mon/compare.h"

/* Student (1908), "The probable error of a mean", Biometrika 6: hours of sleep gained by ten patients on two drugs. */
static const double drug1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double drug2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void near(double told, double truth, double error)
{
	if (!(fabs(told - truth) <= error))
		fail_msg("%.15g, not %.15g", told, truth);
}

static struct stats of(const double *values, size_t n)
{
	struct stats s = {0};

	for (size_t i = 0; i < n; i++)
		stats_add(&s, values[i]);
	return s;
}

static double welch(const double *a, size_t na, const double *b, size_t nb)
{
	struct stats sa = of(a, na), sb = of(b, nb);

	return compare_welch(&sa, &sb);
}

/* With one and two degrees of freedom the distribution has a closed form; the rest is of the tables of t. */
static void the_tails_of_t_are_those_of_the_tables(void **state _unused_)
{
	for (double t = 0; t < 100; t += 0.37) {
		near(compare_t_tails(t, 1), 1 - 2 / M_PI * atan(t), 1e-13);
		near(compare_t_tails(t, 2), 1 - t / sqrt(2 + t * t), 1e-13);
		near(compare_t_tails(-t, 7.5), compare_t_tails(t, 7.5), 0);
	}
	near(compare_t_tails(2.228, 10), 0.05, 2e-5);
	near(compare_t_tails(2.750, 30), 0.01, 1e-5);
	near(compare_t_tails(4.604, 4), 0.01, 1e-5);
	/* with many degrees it is the normal distribution */
	near(compare_t_tails(1.959964, 1e9), 0.05, 1e-7);
	near(compare_t_tails(0, 3), 1, 0);
	assert_true(compare_t_tails(1e9, 5) < 1e-30);
}

/* The example of R's help for t.test(), extra ~ group of the data set sleep: t = -1.8608, df = 17.776, p = 0.07939. */
static void welch_gives_what_r_gives_for_students_sleep(void **state _unused_)
{
	near(welch(drug1, 10, drug2, 10), 0.07939, 5e-6);
	near(welch(drug2, 10, drug1, 10), welch(drug1, 10, drug2, 10), 1e-15);
}

static void without_deviation_only_equal_means_are_equal(void **state _unused_)
{
	static const double three[] = {3, 3, 3}, four[] = {4, 4, 4};

	near(welch(three, 3, three, 3), 1, 0);
	near(welch(three, 3, four, 3), 0, 0);
}

/* U of the smaller group under one division of the values, straight from its definition, doubled. */
static unsigned twice_u(const double *v, size_t n, unsigned chosen)
{
	unsigned u = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if ((chosen >> i & 1) && !(chosen >> j & 1))
				u += v[i] > v[j] ? 2 : v[i] < v[j] ? 0 : 1;
	return u;
}

static double by_enumeration(const double *v, size_t na, size_t n)
{
	unsigned mean = (unsigned)(na * (n - na)), all = 0, far = 0;
	unsigned found = twice_u(v, n, (1u << na) - 1);

	for (unsigned set = 0; set < 1u << n; set++) {
		unsigned u;

		if ((size_t)__builtin_popcount(set) != na)
			continue;
		u = twice_u(v, n, set);
		all++;
		far += MAX(u, mean) - MIN(u, mean) >= MAX(found, mean) - MIN(found, mean);
	}
	return (double)far / (double)all;
}

static void ranks_give_what_counting_all_divisions_gives(void **state _unused_)
{
	struct rng rng;
	double v[12];

	rng_init(&rng, 20090508);
	for (size_t na = 1; na <= 6; na++) {
		for (size_t nb = 1; nb <= 6; nb++) {
			for (int round = 0; round < 6; round++) {
				/* from no ties to nothing but ties */
				for (size_t i = 0; i < na + nb; i++)
					v[i] = (double)rng_below(&rng, (uint64_t)1 << 2 * round);
				near(compare_mann_whitney(v, na, v + na, nb), by_enumeration(v, na, na + nb), 1e-12);
			}
		}
	}
}

/* Mann and Whitney (1947), table for n = 4: P(U = 0) = .014 with m = 4; m = n = 5 has P(U <= 2) = 4/252. */
static void ranks_give_what_the_table_of_1947_gives(void **state _unused_)
{
	static const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};
	static const double a[] = {1, 2, 3, 4, 7}, b[] = {5, 6, 8, 9, 10};

	near(compare_mann_whitney(low, 4, high, 4), 2.0 / 70, 1e-12);
	near(compare_mann_whitney(a, 5, b, 5), 8.0 / 252, 1e-12);
}

/* The pairs of which the first is greater, doubled. */
static unsigned pairs(const double *a, size_t na, const double *b, size_t nb)
{
	unsigned u = 0;

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			u += a[i] > b[j] ? 2 : a[i] < b[j] ? 0 : 1;
	return u;
}

/* By drawing divisions; 4000 of them are good for an error of 0.008 at one sigma. */
static double by_drawing(double *v, size_t na, size_t nb, struct rng *rng)
{
	unsigned mean = (unsigned)(na * nb), found = pairs(v, na, v + na, nb), far = 0, all = 4000;

	for (unsigned round = 0; round < all; round++) {
		unsigned u;

		for (size_t i = na + nb - 1; i > 0; i--) {
			size_t j = rng_below(rng, i + 1);
			double t = v[i];

			v[i] = v[j];
			v[j] = t;
		}
		u = pairs(v, na, v + na, nb);
		far += MAX(u, mean) - MIN(u, mean) >= MAX(found, mean) - MIN(found, mean);
	}
	return (double)far / all;
}

static void the_approximation_goes_on_where_counting_ends(void **state _unused_)
{
	double v[40];
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t round = 0; round < 12; round++) {
		size_t na = 5 + round, nb = 20;
		double told;

		for (size_t i = 0; i < na + nb; i++)
			v[i] = (double)rng_below(&rng, round % 2 ? 8 : 1000000) * (i < na ? 1 : 1.2);
		told = compare_mann_whitney(v, na, v + na, nb);
		near(told, by_drawing(v, na, nb, &rng), 0.035);
	}
}

static void the_number_of_values_chooses_the_test(void **state _unused_)
{
	struct comparison c;

	compare_samples(drug1, 5, drug2, 5, &c);
	assert_int_equal(c.test, COMPARE_MANN_WHITNEY);
	compare_samples(drug1, 4, drug2, 10, &c);
	assert_int_equal(c.test, COMPARE_WELCH);
	near(c.p, welch(drug1, 4, drug2, 10), 0);
	compare_samples(drug1, 1, drug2, 10, &c);
	assert_int_equal(c.test, COMPARE_NONE);
	near(c.p, 1, 0);
	near(c.a.mean, 0.7, 0);
	near(c.b.mean, 2.33, 1e-12);
}

static void a_sample_does_not_differ_from_itself(void **state _unused_)
{
	for (size_t n = 0; n <= 10; n++) {
		struct comparison c;

		compare_samples(drug1, n, drug1, n, &c);
		near(c.p, 1, 1e-12);
		near(c.a.mean, c.b.mean, 0);
	}
}

static void a_shift_beyond_the_noise_is_found_and_its_sides_can_be_swapped(void **state _unused_)
{
	struct rng rng;
	double a[8], b[8];

	rng_init(&rng, 7);
	for (size_t n = 3; n <= 8; n++) {
		struct comparison there, back;

		for (size_t i = 0; i < n; i++) {
			a[i] = 100 + rng_unit(&rng);
			b[i] = 110 + rng_unit(&rng);
		}
		compare_samples(a, n, b, n, &there);
		compare_samples(b, n, a, n, &back);
		assert_true(there.p < 0.01);
		near(there.p, back.p, 1e-12);
		assert_true(there.b.mean > there.a.mean);
		assert_true(back.b.mean < back.a.mean);
	}
}

/* Of samples of one distribution one in a hundred, not more by much, may have a p under 0.01. */
static void chance_is_seldom_taken_for_a_change(void **state _unused_)
{
	struct rng rng;
	double v[12];

	rng_init(&rng, 42);
	for (size_t n = 2; n <= 6; n++) {
		unsigned found = 0;

		for (int round = 0; round < 2000; round++) {
			struct comparison c;

			for (size_t i = 0; i < 2 * n; i++)
				v[i] = rng_unit(&rng) + rng_unit(&rng) + rng_unit(&rng);
			compare_samples(v, n, v + n, n, &c);
			found += c.p < 0.01;
		}
		if (found > 40)
			fail_msg("%u of 2000 for %zu values a side", found, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tails_of_t_are_those_of_the_tables),
		cmocka_unit_test(welch_gives_what_r_gives_for_students_sleep),
		cmocka_unit_test(without_deviation_only_equal_means_are_equal),
		cmocka_unit_test(ranks_give_what_counting_all_divisions_gives),
		cmocka_unit_test(ranks_give_what_the_table_of_1947_gives),
		cmocka_unit_test(the_approximation_goes_on_where_counting_ends),
		cmocka_unit_test(the_number_of_values_chooses_the_test),
		cmocka_unit_test(a_sample_does_not_differ_from_itself),
		cmocka_unit_test(a_shift_beyond_the_noise_is_found_and_its_sides_can_be_swapped),
		cmocka_unit_test(chance_is_seldom_taken_for_a_change),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
