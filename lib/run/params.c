/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/macro.h"
#include "base/units.h"
#include "run/ahead.h"
#include "run/rows.h"
#include "run/step.h"

void params_init(struct params *p)
{
	*p = (struct params){
	    .shift = PAGE_SHIFT,
	    .seed = rng_draw_seed(),
	    .play =
		{
		    .engine = "pread",
		    .max_ns = INT64_MAX,
		    .depth = 1,
		    .jobs = 1,
		    .loops = 1,
		    .speed = 1,
		    .latency = true,
		},
	    .repeat = 1,
	    .readahead = AHEAD_AS_IT_IS,
	};
	gen_params_init(&p->gen);
}

int params_refuse(struct fault *fault, const char *s, size_t n, const char *why)
{
	char quoted[80];

	return fault_set(fault, -EINVAL, "%s: %s", fault_quote(quoted, sizeof(quoted), s, n), why);
}

int params_bytes(const struct params *p, const char *s, size_t n, uint64_t *bytes, struct fault *fault)
{
	const char *why;

	return units_bytes(s, n, p->shift, bytes, &why) < 0 ? params_refuse(fault, s, n, why) : 0;
}

int params_count(const char *s, size_t n, uint64_t *count, struct fault *fault)
{
	const char *why;

	return units_count(s, n, count, &why) < 0 ? params_refuse(fault, s, n, why) : 0;
}

int params_bytes_signed(const struct params *p, const char *s, size_t n, int64_t *bytes, struct fault *fault)
{
	const char *why;

	return units_bytes_signed(s, n, p->shift, bytes, &why) < 0 ? params_refuse(fault, s, n, why) : 0;
}

int params_billionths(const char *s, uint64_t *billionths, struct fault *fault)
{
	const char *why;
	size_t n = strlen(s);

	return units_billionths(s, n, billionths, &why) < 0 ? params_refuse(fault, s, n, why) : 0;
}

int params_time(const char *s, int64_t scale, int64_t *ns, struct fault *fault)
{
	const char *why;
	size_t n = strlen(s);

	return units_time(s, n, scale, ns, &why) < 0 ? params_refuse(fault, s, n, why) : 0;
}

const char *params_split(const char *text, size_t *first)
{
	const char *comma = strchr(text, ',');

	*first = comma ? (size_t)(comma - text) : strlen(text);
	return comma ? comma + 1 : NULL;
}

struct params *row_params(void *ctx, const struct cli_row *row)
{
	struct program *p = ctx;

	p->idle = row;
	return &p->params;
}

int params_take_number(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	const struct number *number = row->data;
	size_t n = strlen(text);
	uint64_t value;
	uint32_t narrow;
	char why[48];
	int64_t ns;
	int err;

	if (number->none && strcmp(text, "none") == 0) {
		memcpy((char *)p + number->where, &number->none, sizeof(number->none));
		return 0;
	}
	if (number->kind == TIME) {
		err = params_time(text, number->scale, &ns, fault);
		value = (uint64_t)ns;
	} else {
		err = number->kind == BYTES ? params_bytes(p, text, n, &value, fault)
					    : params_count(text, n, &value, fault);
	}
	if (err < 0)
		return err;
	if (value < number->min)
		return params_refuse(fault, text, n, "must be more than 0");
	if (number->max && value > number->max) {
		snprintf(why, sizeof(why), "is more than %" PRIu64, number->max);
		return params_refuse(fault, text, n, why);
	}
	narrow = (uint32_t)value;
	if (number->width == sizeof(narrow))
		memcpy((char *)p + number->where, &narrow, sizeof(narrow));
	else
		memcpy((char *)p + number->where, &value, sizeof(value));
	return 0;
}

int params_take_flag(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault _unused_)
{
	const struct flag *flag = row->data;

	*(bool *)((char *)row_params(ctx, row) + flag->where) = !flag->off;
	return 0;
}

int params_take_choice(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	const struct choice *choice = row->data;
	char why[120] = "not one of";
	size_t used = strlen(why);

	for (int i = 0; choice->name[i]; i++) {
		if (strcmp(text, choice->name[i]) == 0) {
			memcpy((char *)row_params(ctx, row) + choice->where, &i, sizeof(i));
			return 0;
		}
		used += (size_t)snprintf(why + used, sizeof(why) - used, " %s", choice->name[i]);
	}
	return params_refuse(fault, text, strlen(text), why);
}
