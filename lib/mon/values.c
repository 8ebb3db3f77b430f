/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/macro.h"
#include "mon/column.h"

size_t columns_values(const struct columns *c, uint64_t *values, bool *missing)
{
	size_t absent = 0;

	for (size_t i = 0; i < c->sources.count; i++)
		absent += c->sources.source[i].absent;
	for (size_t i = 0; i < c->term_count; i++) {
		const struct term *t = &c->term[i];
		bool lacks = !t->count;
		uint64_t sum = 0;

		for (size_t j = t->first; j < t->first + t->count; j++) {
			const struct operand *o = &c->operand[j];
			const struct vmstat_want *w = &c->sources.source[o->source].want[o->want];

			/* signed: a size may be below zero for a moment, as counts of several CPUs are added up */
			sum += o->divisor > 1 ? (uint64_t)((int64_t)w->value / (int64_t)o->divisor) : w->value;
			lacks |= !w->found;
		}
		values[i] = sum;
		missing[i] = lacks;
	}
	return absent;
}

static const struct cell none = {.kind = CELL_NONE};

static struct cell real(double value, uint32_t decimals)
{
	return (struct cell){.kind = CELL_REAL, .real = value, .decimals = decimals};
}

/* Of numbers in steps of 10^-decimals. */
static double in_steps(double value, uint32_t decimals)
{
	while (decimals--)
		value /= 10;
	return value;
}

static int64_t less(const struct term *t, uint64_t now, uint64_t before)
{
	int64_t difference = (int64_t)(now - before);

	return t->narrow && difference < INT32_MIN ? difference + (INT64_C(1) << 32) : difference;
}

static struct cell term_cell(const struct columns *c, size_t term, enum column_mode mode, const struct sample *prev,
			     const struct sample *now)
{
	uint32_t decimals = c->term[term].decimals;
	int64_t difference, elapsed;

	if (now->missing[term] || (mode != COLUMN_RAW && (!prev || prev->missing[term])))
		return none;
	if (mode == COLUMN_RAW)
		return decimals ? real(in_steps((double)now->values[term], decimals), decimals)
				: (struct cell){.kind = CELL_UNSIGNED, .u = now->values[term]};
	difference = less(&c->term[term], now->values[term], prev->values[term]);
	if (mode == COLUMN_DELTA)
		return decimals ? real(in_steps((double)difference, decimals), decimals)
				: (struct cell){.kind = CELL_SIGNED, .i = difference};
	elapsed = now->when - prev->when;
	return elapsed > 0 ? real(in_steps((double)difference, decimals) * 1e9 / (double)elapsed, decimals) : none;
}

struct pair {
	const struct columns *columns;
	const struct sample *prev, *now;
};

static bool number(void *ctx, size_t term, double *out)
{
	const struct pair *p = ctx;
	const struct cell cell = term_cell(p->columns, term, p->columns->term[term].mode, p->prev, p->now);

	*out = cell_number(&cell);
	return cell.kind != CELL_NONE;
}

static struct cell formula_cell(const struct columns *c, const struct column *column, const struct sample *prev,
				const struct sample *now)
{
	struct pair pair = {.columns = c, .prev = prev, .now = now};
	double value;

	if (!prev || !formula_value(&column->formula, (double)(now->when - prev->when) / 1e9, number, &pair,
				    &value))
		return none;
	if (column->most > 0 && (value > column->most || value < 0))
		return none;
	return real(value, CELL_SIGNIFICANT);
}

struct cell columns_cell_as(const struct columns *c, size_t i, enum column_mode mode, const struct sample *prev,
			    const struct sample *now)
{
	const struct column *column = &c->column[i];

	if (column->class != FIELD_DERIVED)
		return term_cell(c, column->term, mode, prev, now);
	return mode == COLUMN_RAW ? formula_cell(c, column, prev, now) : none;
}

struct cell columns_cell(const struct columns *c, size_t i, const struct sample *prev, const struct sample *now)
{
	return columns_cell_as(c, i, c->column[i].mode, prev, now);
}
