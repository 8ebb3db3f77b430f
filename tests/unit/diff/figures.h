/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of recordings share: recordings from texts, and what they have come to. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "diff/recording.h"

static inline void parse(struct recording *r, const char *text)
{
	struct fault fault = {0};

	if (recording_parse(r, text, strlen(text), &fault) < 0)
		fail_msg("%s", fault.text);
}

static inline const struct figure *figure(const struct recording *r, const char *phase, const char *name,
				   enum figure_kind kind)
{
	const struct figure *f = recording_find(r, phase, name, kind);

	if (!f)
		fail_msg("no figure %s in phase '%s'", name, phase);
	return f;
}

static inline const char *fact(const struct recording *r, const char *name)
{
	for (size_t i = 0; i < r->facts; i++)
		if (strcmp(r->fact[i].name, name) == 0)
			return r->fact[i].text;
	fail_msg("nothing is said of %s", name);
	return NULL;
}

static inline void near(double told, double truth)
{
	if (!(fabs(told - truth) <= 1e-9 * (1 + fabs(truth))))
		fail_msg("%.12g, not %.12g", told, truth);
}
