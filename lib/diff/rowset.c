/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/rowset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "mon/source.h"
#include "diff/recording_forms.h"

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
	free(s->weight);
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
	scratch = reallocarray(s->weight, capacity, sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	s->weight = scratch;
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

void rowset_close_run(struct rowset *s)
{
	s->to->runs += s->rows > 0;
	s->to->rows += s->rows;
	forget_rows(s);
}

int rowset_end_run(struct rowset *s)
{
	int err = rowset_bring(s);

	rowset_close_run(s);
	return err;
}
