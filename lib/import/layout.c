/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/layout.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "import/scan.h"

static int time_unit(struct word unit, struct layout *l)
{
	static const struct {
		char name[6];
		int64_t scale;
	} known[] = {{"s", NS_PER_SEC}, {"ms", NS_PER_MSEC}, {"us", NS_PER_USEC}, {"ns", 1}, {"100ns", LAYOUT_TICK}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!word_is(unit, known[i].name))
			continue;
		l->time_scale = known[i].scale;
		return 0;
	}
	return -EINVAL;
}

static int size_unit(struct word unit, uint64_t *bytes)
{
	const char *why;
	int shift = unit.n == 1 && !scan_digit(unit.s[0]) ? units_shift(unit.s[0]) : -1;

	if (shift >= 0) {
		*bytes = UINT64_C(1) << shift;
		return 0;
	}
	return units_bytes(unit.s, unit.n, 0, bytes, &why) || !*bytes ? -EINVAL : 0;
}

static int op_unit(struct word unit, struct layout *l)
{
	static const char *const known[] = {
	    [LAYOUT_OP_READ0] = "read0", [LAYOUT_OP_READ1] = "read1", [LAYOUT_OP_BIT0] = "bit0"};

	for (size_t i = LAYOUT_OP_READ0; i < ARRAY_SIZE(known); i++) {
		if (!word_is(unit, known[i]))
			continue;
		l->ops = (enum layout_op)i;
		return 0;
	}
	return -EINVAL;
}

static int *place_of(struct layout *l, struct word name)
{
	if (word_is_caseless(name, "time"))
		return &l->time;
	if (word_is_caseless(name, "offset"))
		return &l->offset;
	if (word_is_caseless(name, "length"))
		return &l->length;
	if (word_is_caseless(name, "op"))
		return &l->op;
	if (word_is_caseless(name, "file"))
		return l->file < 0 ? &l->file : &l->file2;
	return NULL;
}

static int refuse(struct fault *fault, struct word w, const char *why)
{
	char quoted[64];

	return fault_set(fault, -EINVAL, "column %s: %s", fault_quote(quoted, sizeof(quoted), w.s, w.n), why);
}

/* One column. strict: a name that is not known is an error. */
static int column(struct layout *l, int number, struct word w, bool strict, struct fault *fault)
{
	const char *colon = memchr(w.s, ':', w.n);
	struct word name = {w.s, colon ? (size_t)(colon - w.s) : w.n}, unit = {NULL, 0};
	int *place = place_of(l, name);
	int r = 0;

	if (colon)
		unit = (struct word){colon + 1, w.n - name.n - 1};
	if (!place && word_is(w, "-"))
		return 0;
	if (!place && strict)
		return refuse(fault, w, "not one of time offset length op file -");
	if (!place) {
		l->unknown++;
		return 0;
	}
	if (*place >= 0)
		return refuse(fault, w, "stands there twice");
	*place = number;
	l->columns = number + 1;
	if (!colon)
		return 0;
	if (place == &l->time)
		r = time_unit(unit, l);
	else if (place == &l->offset || place == &l->length)
		r = size_unit(unit, place == &l->offset ? &l->offset_unit : &l->length_unit);
	else
		r = place == &l->op ? op_unit(unit, l) : -EINVAL;
	return r ? refuse(fault, w, "unknown unit") : 0;
}

static void layout_init(struct layout *l)
{
	*l = (struct layout){.time = -1, .offset = -1, .length = -1, .op = -1, .file = -1, .file2 = -1};
	l->time_scale = NS_PER_SEC;
	l->offset_unit = l->length_unit = 1;
}

int layout_parse(const char *text, struct layout *out, struct fault *fault)
{
	const char *at = text;

	layout_init(out);
	for (int number = 0; at; number++) {
		size_t n = strcspn(at, ",");
		int r;

		if (number == LAYOUT_COLUMNS)
			return fault_set(fault, -EINVAL, "more than %d columns", LAYOUT_COLUMNS);
		r = column(out, number, scan_trim(at, at + n), true, fault);
		if (r)
			return r;
		at = at[n] ? at + n + 1 : NULL;
	}
	return out->offset >= 0 ? 0 : fault_set(fault, -EINVAL, "the columns '%s' have no offset", text);
}

int layout_of_header(const struct word *cells, int count, struct layout *out, struct fault *fault)
{
	layout_init(out);
	for (int i = 0; i < count; i++) {
		int r = column(out, i, cells[i], false, fault);

		if (r)
			return r;
	}
	return out->offset >= 0 ? 0 : fault_set(fault, -EINVAL, "the first line names no column offset");
}
