/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A formula over any text: it is refused with a reason, or has a value that is finite, or none; and the same when
 * blanks stand before and behind it.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "mon/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
	if (!holds)
		abort();
}

/* A field is there when its name begins with a small letter, and then is its length. */
static int resolve(void *ctx, const char *text, size_t n, size_t *field, struct fault *fault)
{
	const char *whole = ctx;

	check(text >= whole && text + n <= whole + strlen(whole));
	if (n && text[0] == 'X')
		return fault_set(fault, -1, "X");
	*field = n && text[0] >= 'a' && text[0] <= 'z' ? n : 0;
	return 0;
}

static bool number(void *ctx, size_t field, double *out)
{
	(void)ctx;
	*out = (double)field;
	return field > 0;
}

static int parse(struct formula *f, char *text)
{
	struct fault fault = {.text = ""};
	int r = formula_parse(f, text, resolve, text, &fault);

	check(r == 0 ? f->count > 0 : r < 0 && fault.text[0] && !f->op);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = calloc(1, size + 1), *padded = NULL;
	_cleanup_(formula_fini) struct formula one = {0}, two = {0};
	double a = 0, b = 0;
	bool defined;

	if (!text)
		return 0;
	memcpy(text, data, size);
	if (asprintf(&padded, " %s ", text) < 0) {
		padded = NULL;
		return 0;
	}
	check(parse(&one, text) == parse(&two, padded));
	if (!one.count)
		return 0;
	defined = formula_value(&one, 0.5, number, NULL, &a);
	check(formula_value(&two, 0.5, number, NULL, &b) == defined);
	check(!defined || (isfinite(a) && !memcmp(&a, &b, sizeof(a))));
	return 0;
}
