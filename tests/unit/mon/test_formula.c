/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "mon/formula.h"

/* Fields "f0" to "f9", of which f9 is not there; and one with odd characters. */
static const double numbers[] = {0, 10, 4, 0.5, -3, 1e300};

static int resolve(void *ctx, const char *text, size_t n, size_t *field, struct fault *fault)
{
	char *seen = ctx;

	snprintf(seen, 64, "%.*s", (int)n, text);
	if (n == 2 && text[0] == 'f' && text[1] >= '0' && text[1] <= '9') {
		*field = (size_t)(text[1] - '0');
		return 0;
	}
	if ((n == 3 && !memcmp(text, "a-b", 3)) || (n == 9 && !memcmp(text, "sum(f*-1)", 9))) {
		*field = 1;
		return 0;
	}
	return fault_set(fault, -ENXIO, "no field %.*s", (int)n, text);
}

static bool number(void *ctx _unused_, size_t field, double *out)
{
	if (field >= ARRAY_SIZE(numbers))
		return false;
	*out = numbers[field];
	return true;
}

static bool evaluate(const char *text, double *value)
{
	_cleanup_(formula_fini) struct formula f = {0};
	struct fault fault;
	char seen[64];

	if (formula_parse(&f, text, resolve, seen, &fault) < 0)
		fail_msg("%s: %s", text, fault.text);
	return formula_value(&f, 2.5, number, NULL, value);
}

static void operators_bind_as_in_arithmetic(void **state _unused_)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{"1+2*3", 7}, {"(1+2)*3", 9}, {"10-2-3", 5}, {"16/4/2", 2}, {"2*-3", -6}, {"--3", 3}, {"-f1+1", -9},
		{" f1 / f2 ", 2.5}, {"f3*100", 50}, {"0.25 + 1.5", 1.75}, {"\"a-b\"-1", 9}, {"sum(f*-1)+0", 10},
		{"seconds*2", 5}, {"f1-(f2-(f3-1))", 5.5}, {"((((1))))", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double value;

		assert_true(evaluate(cases[i].text, &value));
		if (value != cases[i].value)
			fail_msg("%s gives %g", cases[i].text, value);
	}
}

static void the_size_of_a_page_is_that_of_the_kernel(void **state _unused_)
{
	double value;

	assert_true(evaluate("page_size", &value));
	assert_true(value == (double)sysconf(_SC_PAGESIZE));
}

static void what_is_not_defined_has_no_value(void **state _unused_)
{
	static const char *const texts[] = {"1/0", "f0/f0", "1/(f1-10)", "f9", "0*f9", "f5*f5", "f5*f5-f5*f5", "f1+f9/f1"};
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (evaluate(texts[i], &value))
			fail_msg("%s gives %g", texts[i], value);
}

static void refuse(const char *text, int error, const char *part)
{
	struct formula f = {0};
	struct fault fault;
	char seen[64];

	assert_int_equal(formula_parse(&f, text, resolve, seen, &fault), error);
	assert_null(f.op);
	if (!strstr(fault.text, part))
		fail_msg("%s: '%s' lacks '%s'", text, fault.text, part);
}

static void a_fault_names_its_place(void **state _unused_)
{
	refuse("", -EINVAL, "character 1: a field, a number or a ( is missing");
	refuse("f1+", -EINVAL, "character 4: a field");
	refuse("f1 f2", -EINVAL, "character 4: an operator is missing");
	refuse("(f1", -EINVAL, "character 4: a ) or an operator");
	refuse("f1)", -EINVAL, "character 3: an operator");
	refuse("f1+*2", -EINVAL, "character 4: a field");
	refuse("1.2.3", -EINVAL, "character 1");
	refuse("\"f1", -EINVAL, "second");
	refuse("sum(f1", -EINVAL, "without its )");
	refuse("f1/unknown", -ENXIO, "no field unknown");
	refuse("\"\"", -ENXIO, "no field");
	refuse("1 + \x01", -EINVAL, "character 5");
}

static void nesting_has_an_end(void **state _unused_)
{
	char text[3 * FORMULA_DEPTH + 2];
	double value;

	memset(text, '(', FORMULA_DEPTH);
	text[FORMULA_DEPTH] = '1';
	memset(text + FORMULA_DEPTH + 1, ')', FORMULA_DEPTH);
	text[2 * FORMULA_DEPTH + 1] = '\0';
	assert_true(evaluate(text, &value));
	memset(text, '-', FORMULA_DEPTH + 1);
	text[FORMULA_DEPTH + 1] = '1';
	text[FORMULA_DEPTH + 2] = '\0';
	refuse(text, -EINVAL, "too deeply");
}

/* Every level holds a sum and a product open, which is what the evaluation has room for. */
static void the_deepest_formula_is_evaluated(void **state _unused_)
{
	char text[8 * FORMULA_DEPTH + 8] = "";
	double value;

	for (int i = 0; i < FORMULA_DEPTH; i++)
		strcat(text, "1+1*(");
	strcat(text, "1+1*1");
	for (int i = 0; i < FORMULA_DEPTH; i++)
		strcat(text, ")");
	assert_true(evaluate(text, &value));
	assert_true(value == FORMULA_DEPTH + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_bind_as_in_arithmetic),
		cmocka_unit_test(the_size_of_a_page_is_that_of_the_kernel),
		cmocka_unit_test(what_is_not_defined_has_no_value),
		cmocka_unit_test(a_fault_names_its_place),
		cmocka_unit_test(nesting_has_an_end),
		cmocka_unit_test(the_deepest_formula_is_evaluated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
