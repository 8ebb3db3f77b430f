/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/rowset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "mon/source.h"
#include "diff/recording_forms.h"

#define ALL UINT32_MAX /* phases */

static void forget_rows(struct rowset *s)
{
	s->rows = 0;
	for (size_t i = 0; i < s->columns; i++)
		s->column[i].count = 0;
}

void rowset_fini(struct rowset *s)
{
	for (size_t i = 0; i < s->columns; i++) {
		free(s->column[i].name);
		free(s->column[i].value);
	}
	for (size_t i = 0; i < s->phases; i++)
		free(s->phase_name[i]);
	free(s->column);
	free(s->phase_name);
	free(s->time);
	free(s->phase);
	free(s->scratch);
	*s = (struct rowset){0};
}

static enum rowset_mode mode_of(const char *title, size_t *n, enum rowset_mode mode)
{
	static const struct {
		const char *suffix;
		enum rowset_mode mode;
	} suffixes[] = {{":raw", ROWSET_VALUE}, {":rate", ROWSET_RATE}, {":delta", ROWSET_DELTA}};

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t length = strlen(suffixes[i].suffix);

		if (*n <= length || memcmp(title + *n - length, suffixes[i].suffix, length) != 0)
			continue;
		*n -= length;
		return suffixes[i].mode;
	}
	return mode;
}

static bool is_name(const char *name, const char *text, size_t n)
{
	return strncmp(name, text, n) == 0 && !name[n];
}

ssize_t rowset_column(struct rowset *s, const char *title, size_t n, enum rowset_mode mode, int counter)
{
	struct rowset_column *more, new = {0};

	new.mode = mode_of(title, &n, mode);
	for (size_t i = 0; i < s->columns; i++) {
		size_t at = (s->last + 1 + i) % s->columns;

		if (s->column[at].mode == new.mode && is_name(s->column[at].name, title, n))
			return (ssize_t)(s->last = at);
	}
	if (s->columns == RECORDING_COLUMNS_MAX)
		return -E2BIG;
	more = reallocarray(s->column, s->columns + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->column = more;
	new.name = recording_copy(title, n);
	if (!new.name)
		return -ENOMEM;
	new.counter = counter < 0 ? source_class_of(new.name) == FIELD_COUNTER : counter > 0;
	s->column[s->columns] = new;
	s->last = s->columns++;
	return (ssize_t)s->last;
}

ssize_t rowset_phase(struct rowset *s, const char *name, size_t n)
{
	char **more;

	for (size_t i = s->phases; i-- > 0;)
		if (is_name(s->phase_name[i], name, n))
			return (ssize_t)i;
	if (s->phases == RECORDING_PHASES_MAX)
		return -E2BIG;
	more = reallocarray(s->phase_name, s->phases + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->phase_name = more;
	more[s->phases] = recording_copy(name, n);
	if (!more[s->phases])
		return -ENOMEM;
	return (ssize_t)s->phases++;
}

static int grow(struct rowset *s)
{
	size_t capacity = s->capacity ? 2 * s->capacity : 64;
	double *time = reallocarray(s->time, capacity, sizeof(*time)), *scratch;
	unsigned *phase;

	if (!time)
		return -ENOMEM;
	s->time = time;
	scratch = reallocarray(s->scratch, capacity, sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	s->scratch = scratch;
	phase = reallocarray(s->phase, capacity, sizeof(*phase));
	if (!phase)
		return -ENOMEM;
	s->phase = phase;
	s->capacity = capacity;
	return 0;
}

int rowset_row(struct rowset *s, double time, size_t phase)
{
	int err = fabs(time) > RECORDING_VALUE_MAX ? -ERANGE : 0;

	if (!err && s->rows && time < s->time[s->rows - 1])
		err = rowset_end_run(s);
	if (!err && s->rows == s->capacity)
		err = grow(s);
	if (err)
		return err;
	s->time[s->rows] = time;
	s->phase[s->rows++] = (unsigned)phase;
	return 0;
}

int rowset_set(struct rowset *s, size_t column, double value)
{
	struct rowset_column *c = &s->column[column];
	size_t want;

	if (fabs(value) > RECORDING_VALUE_MAX)
		return -ERANGE;
	if (c->count == 0)
		c->first = s->rows - 1;
	want = s->rows - c->first;
	if (want > c->capacity) {
		size_t capacity = MAX(want, 2 * c->capacity);
		double *more = reallocarray(c->value, capacity, sizeof(*more));

		if (!more)
			return -ENOMEM;
		c->value = more;
		c->capacity = capacity;
	}
	while (c->count < want)
		c->value[c->count++] = NAN;
	c->value[want - 1] = value;
	return 0;
}

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
	return recording_tell(s->to, "rows", mode == ROWSET_RATE ? rates : values, strlen(mode == ROWSET_RATE ? rates : values));
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
	double counted, seconds;
};

/* The figure of each row goes into s->scratch, in order; returns how many. */
static size_t sum_up(const struct rowset *s, const struct rowset_column *c, unsigned phase, bool rate, struct sums *out)
{
	size_t n = 0;

	*out = (struct sums){0};
	for (size_t i = 0; i < s->rows; i++) {
		double now = value_at(c, i), seconds = seconds_before(s, i);

		if (phase != ALL && s->phase[i] != phase)
			continue;
		if (rate) {
			double difference = i ? now - value_at(c, i - 1) : NAN;

			/* a counter that went back began anew, and no clock has a picosecond */
			if (!(seconds > 1e-12) || !(difference >= 0))
				continue;
			out->counted += difference;
			out->seconds += seconds;
			now = difference / seconds;
		} else if (isnan(now)) {
			continue;
		} else if (c->mode != ROWSET_VALUE) {
			out->counted += c->mode == ROWSET_RATE ? now * (seconds > 0 ? seconds : 1) : now;
		}
		stats_add(&out->rows, now);
		s->scratch[n++] = now;
	}
	return n;
}

static double mean(const double *v, size_t n)
{
	struct stats s = {0};

	for (size_t i = 0; i < n; i++)
		stats_add(&s, v[i]);
	return s.mean;
}

/* Stretches of at least two rows; fewer than three of them tell nothing of the noise. */
static int add_parts(struct figure *f, const double *v, size_t n)
{
	size_t parts = MIN(n / 2, (size_t)RECORDING_PARTS);
	double *more;

	if (parts < 3)
		return 0;
	more = reallocarray(f->part, f->parts + parts, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->part = more;
	for (size_t i = 0; i < parts; i++)
		more[f->parts++] = mean(v + i * n / parts, (i + 1) * n / parts - i * n / parts);
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

static int reduce(struct rowset *s, const struct rowset_column *c, unsigned phase)
{
	bool rate = c->mode == ROWSET_VALUE && c->counter && is_whole(c);
	enum figure_kind kind = c->mode == ROWSET_DELTA		    ? FIGURE_DELTA
				: rate || c->mode == ROWSET_RATE ? FIGURE_RATE
								    : FIGURE_LEVEL;
	struct figure *f;
	struct sums sums;
	size_t n = sum_up(s, c, phase, rate, &sums);
	int err;

	if (n == 0)
		return 0;
	err = recording_add(s->to, phase == ALL ? "" : s->phase_name[phase], c->name, kind, "",
			    rate ? sums.counted / sums.seconds : sums.rows.mean,
			    c->counter && kind != FIGURE_LEVEL ? fabs(sums.counted) : -1, &f);
	if (err || !f)
		return err;
	merge(&f->rows, &sums.rows);
	return add_parts(f, s->scratch, n);
}

int rowset_end_run(struct rowset *s)
{
	int err = s->rows ? find_modes(s) : 0;

	for (unsigned phase = 0; s->rows && phase <= s->phases && !err; phase++) {
		/* all of it first; rows without a phase make none */
		if (phase == 1)
			continue;
		for (size_t i = 0; i < s->columns && !err; i++)
			err = reduce(s, &s->column[i], phase ? phase - 1 : ALL);
	}
	s->to->runs += s->rows > 0;
	s->to->rows += s->rows;
	forget_rows(s);
	return err;
}
