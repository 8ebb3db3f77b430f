/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/dist.h"

#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"
#include "trace/real.h"

static const struct {
	const char *name;  /* up to the parameter */
	const char *value; /* of the parameter; NULL: has none */
	const char *range;
} kinds[] = {
	[DIST_UNIFORM] = {"uniform", NULL, NULL},
	[DIST_CLUSTERED] = {"clustered", NULL, NULL},
	[DIST_ZIPF] = {"zipf", "THETA", "above 0 and not 1"},
	[DIST_PARETO] = {"pareto", "H", "above 0 and below 1"},
	[DIST_NORMAL] = {"normal", "DEV", "at least 0 and below 100 percent"},
};

static int in_range(enum dist_kind kind, double v)
{
	switch (kind) {
	case DIST_ZIPF:
		return v > 0 && (v > 1 || v < 1);
	case DIST_PARETO:
		return v > 0 && v < 1;
	case DIST_NORMAL:
		return v >= 0 && v < 100;
	case DIST_UNIFORM:
	case DIST_CLUSTERED:
		break;
	}
	return 1;
}

int dist_parse(const char *text, struct dist_params *out, struct fault *fault)
{
	size_t len = strcspn(text, ":");
	const char *value = text[len] ? text + len + 1 : NULL, *why;
	char quoted[80];
	double v = 0;
	size_t k = 0;

	while (k < ARRAY_SIZE(kinds) && (strlen(kinds[k].name) != len || memcmp(kinds[k].name, text, len) != 0))
		k++;
	fault_quote(quoted, sizeof(quoted), text, strlen(text));
	if (k == ARRAY_SIZE(kinds))
		return fault_set(fault, -EINVAL,
				 "unknown distribution %s (uniform, clustered, zipf:THETA, pareto:H, normal:DEV)", quoted);
	if (!kinds[k].value && value)
		return fault_set(fault, -EINVAL, "%s: %s takes no parameter", quoted, kinds[k].name);
	if (kinds[k].value && !value)
		return fault_set(fault, -EINVAL, "%s needs a parameter: %s:%s", quoted, kinds[k].name, kinds[k].value);
	if (value && units_fraction(value, strlen(value), &v, &why))
		return fault_set(fault, -EINVAL, "%s: %s: %s", quoted, kinds[k].value, why);
	if (!in_range((enum dist_kind)k, v))
		return fault_set(fault, -EINVAL, "%s: %s must be %s", quoted, kinds[k].value, kinds[k].range);
	*out = (struct dist_params){.kind = (enum dist_kind)k, .value = v};
	return 0;
}

/* fio sums no more terms of the zeta function, whatever the number of slots. */
#define ZETA_TERMS 10000000

/*
 * Sum of k^-theta for k = 3..n: terms one by one up to 64, and the rest by the Euler-Maclaurin formula up to the fifth
 * derivative, whose error is below 1e-15 of the sum for every theta.
 */
static double zeta_tail(uint64_t n, double theta)
{
	const double a = 64, m = (double)n, t = theta;
	double sum = 0, fa, fm;

	for (uint64_t k = 3; k <= n && k < 64; k++)
		sum += real_pow((double)k, -t);
	if (n < 64)
		return sum;
	fa = real_pow(a, -t);
	fm = real_pow(m, -t);
	sum += a * fa * real_expm1((1 - t) * real_log(m / a)) / (1 - t);
	sum += (fa + fm) / 2;
	sum += t * (fa / a - fm / m) / 12;
	sum -= t * (t + 1) * (t + 2) * (fa / (a * a * a) - fm / (m * m * m)) / 720;
	sum +=
	    t * (t + 1) * (t + 2) * (t + 3) * (t + 4) * (fa / (a * a * a * a * a) - fm / (m * m * m * m * m)) / 30240;
	return sum;
}

static void zipf_init(struct dist *d)
{
	double theta = d->p.value, tail = zeta_tail(MIN(d->n, ZETA_TERMS), theta);

	d->second = d->n > 1 ? 1 + real_pow(2, -theta) : 1;
	d->zeta = d->second + tail;
	d->power = 1 / (1 - theta);
	if (tail > 0)
		d->eta = -real_expm1((1 - theta) * real_log(2 / (double)d->n)) * (d->zeta / tail);
}

void dist_init(struct dist *d, const struct dist_params *p, uint64_t n, struct rng *rng)
{
	*d = (struct dist){.p = *p, .n = n};
	switch (p->kind) {
	case DIST_ZIPF:
		zipf_init(d);
		d->rotation = rng_below(rng, n);
		break;
	case DIST_PARETO:
		d->power = real_log(p->value) / real_log1p(-p->value);
		d->rotation = rng_below(rng, n);
		break;
	case DIST_NORMAL: {
		double width = (double)n * p->value / 100;

		d->deviation = (uint64_t)width;
		d->deviation += (double)d->deviation < width;
		d->deviation = MIN(d->deviation, n / 2);
		break;
	}
	case DIST_UNIFORM:
	case DIST_CLUSTERED:
		break;
	}
}

/* The product may round up to n. */
static uint64_t part_of(uint64_t n, double x)
{
	double v = (double)n * x;

	return v < (double)n ? MIN((uint64_t)v, n - 1) : n - 1;
}

static uint64_t zipf_rank(const struct dist *d, struct rng *rng)
{
	double u = rng_unit(rng), z = u * d->zeta;
	uint64_t rank;

	if (z < 1)
		return 0;
	if (z < d->second || d->n < 3)
		return 1;
	rank = part_of(d->n, real_exp(real_log1p(-d->eta * (1 - u)) * d->power));
	return MAX(rank, 2);
}

static uint64_t normal_position(const struct dist *d, struct rng *rng)
{
	unsigned __int128 sum = 0;
	uint64_t mean;
	int64_t move;

	for (int i = 0; i < 12; i++)
		sum += rng_between(rng, 0, d->n);
	mean = (uint64_t)((sum + 11) / 12);
	if (!d->deviation)
		return mean;
	move = (int64_t)rng_below(rng, d->deviation) - (int64_t)(d->deviation / 2);
	/* What would leave the range is moved half as far, as often as it needs; n is a position too (see scatter). */
	while (move && mean + (uint64_t)move >= d->n)
		move /= 2;
	return mean + (uint64_t)move;
}

/* fio's hash of 64 bits: the golden ratio's fraction, negated. */
static uint64_t scatter(const struct dist *d, uint64_t rank)
{
	uint64_t slot = rank * UINT64_C(0x61c8864680b583eb) % d->n;

	return slot >= d->n - d->rotation ? slot - (d->n - d->rotation) : slot + d->rotation;
}

uint64_t dist_draw(const struct dist *d, uint64_t limit, struct rng *rng)
{
	uint64_t slot;
	double u;

	switch (d->p.kind) {
	case DIST_CLUSTERED:
		u = 0.5 - rng_unit(rng);
		return part_of(limit, 0.5 + u * rng_unit(rng));
	case DIST_ZIPF:
		slot = scatter(d, zipf_rank(d, rng));
		break;
	case DIST_PARETO:
		u = rng_unit(rng);
		slot = scatter(d, d->n == 1 ? 0 : part_of(d->n - 1, real_exp(d->power * real_log(u))));
		break;
	case DIST_NORMAL:
		slot = scatter(d, normal_position(d, rng));
		break;
	case DIST_UNIFORM:
	default:
		return rng_below(rng, limit);
	}
	return slot < limit ? slot : slot % limit;
}
