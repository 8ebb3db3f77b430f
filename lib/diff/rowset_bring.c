/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a run, brought into figures. */
#include "diff/rowset.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "diff/recording_forms.h"

#define ALL UINT32_MAX /* phases */

static double value_at(const struct rowset_column *c, size_t row)
{
	return row >= c->first && row - c->first < c->count ? c->value[row - c->first] : NAN;
}

/* What has fractions can be no counter, and rates are printed without: a formula of the user's, say. */
static bool is_whole(const struct rowset_column *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (isfinite(c->value[i]) && c->value[i] != floor(c->value[i]))
			return false;
	return true;
}

static bool falls(const struct rowset_column *c, bool below_zero)
{
	double last = below_zero ? 0 : -INFINITY;

	for (size_t i = 0; i < c->count; i++) {
		if (c->value[i] < last)
			return true;
		if (!below_zero && isfinite(c->value[i]))
			last = c->value[i];
	}
	return false;
}

/*
 * Columns of which nobody said what they are. Those of gauges stay as they were printed, so that two recordings of one
 * command are compared alike, whatever happened in them.
 */
static int find_modes(struct rowset *s)
{
	static const char rates[] = "differences per second", values[] = "values";
	enum rowset_mode mode = ROWSET_VALUE;
	bool any = false;

	for (size_t i = 0; i < s->columns; i++) {
		const struct rowset_column *c = &s->column[i];

		any |= c->mode == ROWSET_UNKNOWN;
		if (c->mode == ROWSET_UNKNOWN && is_whole(c) && (falls(c, true) || (c->counter && falls(c, false))))
			mode = ROWSET_RATE;
	}
	for (size_t i = 0; i < s->columns; i++)
		if (s->column[i].mode == ROWSET_UNKNOWN)
			s->column[i].mode = s->column[i].counter && is_whole(&s->column[i]) ? mode : ROWSET_VALUE;
	if (!any)
		return 0;
	return recording_tell(s->to, "rows", mode == ROWSET_RATE ? rates : values,
			      strlen(mode == ROWSET_RATE ? rates : values));
}

/* Seconds since the row before; 0: there is none. Without times a row is a second. */
static double seconds_before(const struct rowset *s, size_t row)
{
	if (row == 0)
		return 0;
	return isnan(s->time[row]) || isnan(s->time[row - 1]) ? 1 : s->time[row] - s->time[row - 1];
}

/* What a column comes to in one phase of the run. */
struct sums {
	struct stats rows;
	double counted;
};

/*
 * The figure of each row goes into s->scratch, in order, and what it weighs into s->weight: of rates the time that they
 * went on, so that a row that came late counts for as much as it saw. Returns how many.
 */
static size_t sum_up(const struct rowset *s, const struct rowset_column *c, unsigned phase, bool rate, struct sums *out)
{
	size_t n = 0;

	*out = (struct sums){0};
	for (size_t i = 0; i < s->rows; i++) {
		double now = value_at(c, i), seconds = seconds_before(s, i), weight = 1;

		if (phase != ALL && s->phase[i] != phase)
			continue;
		if (rate) {
			double difference = i ? now - value_at(c, i - 1) : NAN;

			/* a counter that went back began anew, and no clock has a picosecond */
			if (!(seconds > 1e-12) || !(difference >= 0))
				continue;
			out->counted += difference;
			weight = seconds;
			now = difference / seconds;
		} else if (isnan(now)) {
			continue;
		} else if (c->mode == ROWSET_RATE) {
			/* that of the first row is not known, but it is the interval too */
			weight = i ? seconds : s->rows > 1 ? seconds_before(s, 1) : 1;
			weight = MAX(weight, 1e-12);
			out->counted += now * weight;
		} else if (c->mode == ROWSET_DELTA) {
			out->counted += now;
		}
		stats_add(&out->rows, now);
		s->weight[n] = weight;
		s->scratch[n++] = now;
	}
	return n;
}

static double mean(const double *v, const double *weight, size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += weight[i];
		mean += (v[i] - mean) * weight[i] / sum;
	}
	return mean;
}

/* Stretches of at least two rows; fewer than three of them tell nothing of the noise. */
static int add_parts(struct figure *f, const double *v, const double *weight, size_t n)
{
	size_t parts = MIN(n / 2, (size_t)RECORDING_PARTS);
	double *more;

	if (parts < 3)
		return 0;
	more = reallocarray(f->part, f->parts + parts, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->part = more;
	for (size_t i = 0; i < parts; i++) {
		size_t from = i * n / parts;

		more[f->parts++] = mean(v + from, weight + from, (i + 1) * n / parts - from);
	}
	return 0;
}

static void merge(struct stats *to, const struct stats *from)
{
	double n = (double)(to->n + from->n), distance = from->mean - to->mean;

	/* Chan, Golub and LeVeque (1979), as for two parts of one sample */
	to->squares += from->squares + distance * distance * (double)to->n * (double)from->n / n;
	to->mean += distance * (double)from->n / n;
	to->n += from->n;
}

/* One row of a counter gives no difference. Told is the run, or the phase of a run of more. */
static void note_mute(struct rowset *s, const char *phase)
{
	struct recording *r = s->to;
	size_t run = r->runs - r->before + 1;

	if (r->mute++ > 0)
		return;
	r->mute_run = run;
	snprintf(r->mute_phase, sizeof(r->mute_phase), "%s", phase);
}

/* Is all that this phase has of a counter the one row from which it begins? */
static bool is_mute(const struct rowset *s, const struct rowset_column *c, unsigned phase)
{
	size_t rows = 0;

	for (size_t i = 0; i < s->rows && !s->totals_known; i++)
		rows += (phase == ALL || s->phase[i] == phase) && !isnan(value_at(c, i));
	return rows == 1;
}

static int add_total(struct rowset *s, const struct rowset_column *c, const char *phase, double total)
{
	struct figure *ignored;

	if (s->totals_known || !phase[0] || !c->counter || c->mode == ROWSET_RATE)
		return 0;
	return recording_add(s->to, phase, c->name, FIGURE_TOTAL, "", total, fabs(total), &ignored);
}

static int add_length(struct rowset *s, unsigned phase)
{
	struct figure *ignored;
	double seconds = 0;

	if (s->totals_known || phase == ALL || !s->phase_name[phase][0])
		return 0;
	for (size_t i = 0; i < s->rows; i++)
		seconds += s->phase[i] == phase ? seconds_before(s, i) : 0;
	if (!(seconds > 0))
		return 0;
	return recording_add(s->to, s->phase_name[phase], "elapsed", FIGURE_LENGTH, "s", seconds, -1, &ignored);
}

/* *mute: nothing is known of it. */
static int reduce(struct rowset *s, const struct rowset_column *c, unsigned phase, bool *mute)
{
	const char *name = phase == ALL ? "" : s->phase_name[phase];
	bool rate = c->mode == ROWSET_VALUE && c->counter && is_whole(c);
	enum figure_kind kind = c->mode == ROWSET_DELTA		    ? FIGURE_DELTA
				: rate || c->mode == ROWSET_RATE ? FIGURE_RATE
								    : FIGURE_LEVEL;
	struct figure *f;
	struct sums sums;
	size_t n = sum_up(s, c, phase, rate, &sums);
	int err;

	if (n == 0) {
		*mute |= rate && is_mute(s, c, phase);
		return 0;
	}
	err = recording_add(s->to, name, c->name, kind, "", mean(s->scratch, s->weight, n),
			    c->counter && kind != FIGURE_LEVEL ? fabs(sums.counted) : -1, &f);
	if (err || !f)
		return err;
	merge(&f->rows, &sums.rows);
	err = add_parts(f, s->scratch, s->weight, n);
	return err || kind == FIGURE_LEVEL ? err : add_total(s, c, name, sums.counted);
}

static int bring_phase(struct rowset *s, unsigned phase, bool *mute)
{
	int err = add_length(s, phase);

	*mute = false;
	for (size_t i = 0; i < s->columns && !err; i++)
		err = reduce(s, &s->column[i], phase, mute);
	return err;
}

int rowset_bring(struct rowset *s)
{
	bool mute, all_mute;
	int err;

	if (!s->rows)
		return 0;
	err = find_modes(s);
	/* all of it first; rows without a phase make none */
	if (!err)
		err = bring_phase(s, ALL, &all_mute);
	if (!err && all_mute)
		note_mute(s, "");
	for (unsigned phase = 1; phase < s->phases && !err; phase++) {
		err = bring_phase(s, phase, &mute);
		if (!err && mute && !all_mute)
			note_mute(s, s->phase_name[phase]);
	}
	return err;
}
