/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "trace/dist.h"

static struct dist_params parse(const char *text)
{
	struct dist_params p;
	struct fault f = {.text = ""};

	if (dist_parse(text, &p, &f))
		fail_msg("%s", f.text);
	return p;
}

static void init(struct dist *d, const char *text, uint64_t n, struct rng *rng)
{
	struct dist_params p = parse(text);

	dist_init(d, &p, n, rng);
}

static void names_and_parameters_are_read(void **state _unused_)
{
	assert_int_equal(parse("uniform").kind, DIST_UNIFORM);
	assert_int_equal(parse("clustered").kind, DIST_CLUSTERED);
	assert_int_equal(parse("zipf:1.2").kind, DIST_ZIPF);
	assert_true(parse("zipf:1.2").value == 1.2);
	assert_int_equal(parse("pareto:0.5").kind, DIST_PARETO);
	assert_true(parse("pareto:0.5").value == 0.5);
	assert_int_equal(parse("normal:0").kind, DIST_NORMAL);
	assert_true(parse("normal:99.5").value == 99.5);
}

static void what_is_no_distribution_is_refused(void **state _unused_)
{
	static const char *const bad[] = {
		"",         "zip",      "zipfx:1.2",  "Zipf:1.2",     "zipf",        "zipf:",
		"zipf:x",   "zipf:0",   "zipf:1",     "zipf:1.0",     "zipf:-1",     "zipf:nan",
		"zipf:1e1", "zipf:1.2 ", "pareto",    "zipf:1.2:0.5", "pareto:0",    "pareto:1",
		"normal",   "uniform:", "pareto:1.5", "normal:100",   "normal:-0.1", "uniform:1",
		" uniform", "uniform ", "pareto:,5",  "clustered:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct dist_params p;
		struct fault f = {.text = ""};

		assert_int_equal(dist_parse(bad[i], &p, &f), -EINVAL);
		assert_true(strlen(f.text) > 0);
	}
}

static void every_draw_is_below_its_limit(void **state _unused_)
{
	static const char *const kinds[] = {
		"uniform",         "clustered",       "zipf:0.01",   "zipf:0.999999999",
		"zipf:1.000000001", "zipf:1.2",       "zipf:30",     "zipf:1000",
		"pareto:0.0001",   "pareto:0.2",      "pareto:0.99", "normal:0",
		"normal:0.1",      "normal:50",       "normal:99.9",
	};
	struct rng r;

	rng_init(&r, 5);
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (unsigned bits = 0; bits <= 63; bits++)
			for (int round = 0; round < 20; round++) {
				uint64_t n = round < 2 ? UINT64_C(1) << bits : rng_between(&r, 1, UINT64_C(1) << bits);
				uint64_t limit = round % 2 ? n : rng_between(&r, 1, n);
				struct dist d;

				init(&d, kinds[k], n, &r);
				for (int i = 0; i < 10; i++)
					assert_true(dist_draw(&d, limit, &r) < limit);
			}
}

/* Draws from fio 3.33: 2 million of a file of 1000 blocks, the ten blocks hit most; zipf and pareto rotated by 250. */
static const struct {
	const char *text;
	struct {
		unsigned slot, count;
	} top[10];
} fio[] = {
	{"zipf:1.2",
     {{250, 470511},
      {381, 208146},
      {512, 146177},
      {27, 104746},
      {158, 76295},
      {289, 56433},
      {804, 52116},
      {935, 42651},
      {450, 40546},
      {581, 34996}}},
	{"zipf:0.8",
     {{250, 142308},
      {381, 84634},
      {512, 61363},
      {27, 59500},
      {158, 44119},
      {804, 38216},
      {450, 34593},
      {289, 32824},
      {935, 31155},
      {581, 30307}}},
	{"pareto:0.2",
     {{250, 776598},
      {381, 83717},
      {512, 48733},
      {27, 44578},
      {158, 33210},
      {804, 27633},
      {289, 24638},
      {450, 24511},
      {935, 22785},
      {581, 20985}}},
	{"normal:10",
     {{352, 31923},
      {952, 31824},
      {729, 31818},
      {152, 31769},
      {775, 31506},
      {529, 31251},
      {329, 30987},
      {975, 30942},
      {175, 30740},
      {906, 30719}}},
};

static void hot_slots_are_as_hot_and_where_fio_has_them(void **state _unused_)
{
	const double theirs = 2e6, ours = 5e5;

	for (size_t k = 0; k < ARRAY_SIZE(fio); k++) {
		unsigned count[1000] = {0};
		struct dist d;
		struct rng r;

		rng_init(&r, 11);
		init(&d, fio[k].text, 1000, &r);
		if (d.p.kind != DIST_NORMAL)
			d.rotation = 250;
		for (int i = 0; i < (int)ours; i++)
			count[dist_draw(&d, 1000, &r)]++;
		for (size_t i = 0; i < ARRAY_SIZE(fio[k].top); i++) {
			double a = fio[k].top[i].count / theirs, b = count[fio[k].top[i].slot] / ours;
			double sigma = sqrt(a / theirs + a / ours);

			if (fabs(a - b) > 4.5 * sigma)
				fail_msg("%s: slot %u: %f here, %f there", fio[k].text, fio[k].top[i].slot, b, a);
		}
	}
}

/* The sum over all ranks, by libm, term by term. */
static void zeta_is_the_sum_of_its_terms(void **state _unused_)
{
	static const char *const thetas[] = {"0.01", "0.5", "0.99", "0.9999999", "1.0000001", "1.2", "2", "8", "25"};
	static const uint64_t sizes[] = {1, 2, 3, 4, 63, 64, 65, 66, 1000, 200000};

	for (size_t i = 0; i < ARRAY_SIZE(thetas); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			char text[32] = "zipf:";
			long double sum = 0;
			struct dist d;
			struct rng r;

			rng_init(&r, 1);
			init(&d, strcat(text, thetas[i]), sizes[k], &r);
			for (uint64_t n = sizes[k]; n > 0; n--)
				sum += powl((long double)n, -strtold(thetas[i], NULL));
			assert_true(fabsl((long double)d.zeta - sum) < 2e-15L * sum);
		}
}

/* fio stops its sum at 10^7 terms; the ranks above share what the first two leave. */
static void zeta_ends_at_ten_million_ranks(void **state _unused_)
{
	struct dist at, above;
	struct rng r;

	rng_init(&r, 1);
	init(&at, "zipf:0.9", 10000000, &r);
	init(&above, "zipf:0.9", UINT64_C(1) << 40, &r);
	assert_true(at.zeta == above.zeta);
}

/* |x - 1/2| = v u with v uniform to 1/2: below a with probability t (1 - ln t), t = 2 a. */
static void clustered_is_denser_in_the_middle(void **state _unused_)
{
	const int draws = 200000;
	unsigned below[10] = {0}, upper = 0;
	struct dist d;
	struct rng r;

	rng_init(&r, 3);
	init(&d, "clustered", 1000000, &r);
	for (int i = 0; i < draws; i++) {
		double x = ((double)dist_draw(&d, 1000000, &r) + 0.5) / 1e6;

		for (int a = 1; a < 10; a++)
			below[a] += fabs(x - 0.5) < a / 20.0;
		upper += x > 0.5;
	}
	for (int a = 1; a < 10; a++) {
		double t = a / 10.0, p = t * (1 - log(t));

		assert_true(fabs(below[a] - draws * p) < 5 * sqrt(draws * p * (1 - p)));
	}
	assert_true(fabs(upper - draws / 2.0) < 5 * sqrt(draws / 4.0));
}

static void a_lower_limit_moves_no_hot_slot(void **state _unused_)
{
	const uint64_t n = 1000, limit = 600;
	unsigned whole[1000] = {0}, part[1000] = {0};
	struct dist d;
	struct rng r;

	rng_init(&r, 4);
	init(&d, "zipf:1.2", n, &r);
	d.rotation = 250;
	for (int i = 0; i < 100000; i++) {
		whole[dist_draw(&d, n, &r)]++;
		part[dist_draw(&d, limit, &r)]++;
	}
	/* rank 1 stays at 250, and rank 7 comes from 804 to 204 */
	assert_true(fabs((double)whole[250] - part[250]) < 5 * sqrt(whole[250]));
	assert_true(fabs((double)whole[804] + whole[204] - part[204]) < 5 * sqrt(whole[804]));
	/* while the middle of clustered is that of the limit */
	init(&d, "clustered", n, &r);
	memset(part, 0, sizeof(part));
	for (int i = 0; i < 100000; i++)
		part[dist_draw(&d, limit, &r)]++;
	for (uint64_t i = 0; i < limit; i++)
		assert_true(part[300] >= part[i] || (i > 295 && i < 305));
}

static void one_seed_gives_one_sequence_for_ever(void **state _unused_)
{
	static const struct {
		const char *text;
		uint64_t want[8];
	} golden[] = {
		{"uniform", {83862, 378980, 680043, 924692, 991803, 769739, 719258, 850008}},
		{"clustered", {657707, 333515, 121439, 313628, 347527, 446965, 403247, 314659}},
		{"zipf:1.2", {944770, 631216, 175607, 310152, 801361, 624131, 883063, 148846}},
		{"zipf:0.8", {82104, 958712, 303263, 577124, 782541, 914541, 121486, 907603}},
		{"pareto:0.2", {530097, 551920, 625479, 155638, 368113, 81126, 724081, 768170}},
		{"normal:10", {608353, 3089, 303817, 332326, 138543, 782009, 33706, 931634}},
	};

	for (size_t k = 0; k < ARRAY_SIZE(golden); k++) {
		struct dist d;
		struct rng r;

		rng_init(&r, 42);
		init(&d, golden[k].text, 1000000, &r);
		for (size_t i = 0; i < ARRAY_SIZE(golden[k].want); i++)
			assert_int_equal(dist_draw(&d, 1000000, &r), golden[k].want[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_parameters_are_read),
		cmocka_unit_test(what_is_no_distribution_is_refused),
		cmocka_unit_test(every_draw_is_below_its_limit),
		cmocka_unit_test(hot_slots_are_as_hot_and_where_fio_has_them),
		cmocka_unit_test(zeta_is_the_sum_of_its_terms),
		cmocka_unit_test(zeta_ends_at_ten_million_ranks),
		cmocka_unit_test(clustered_is_denser_in_the_middle),
		cmocka_unit_test(a_lower_limit_moves_no_hot_slot),
		cmocka_unit_test(one_seed_gives_one_sequence_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
