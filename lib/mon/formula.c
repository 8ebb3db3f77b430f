/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/formula.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/units.h"

struct parser {
	struct formula formula;
	const char *text;
	size_t at;
	unsigned depth;
	formula_resolve *resolve;
	void *ctx;
	struct fault *fault;
};

void formula_fini(struct formula *f)
{
	free(f->op);
	*f = (struct formula){0};
}

static int add(struct parser *p, struct formula_op op)
{
	struct formula *f = &p->formula;
	struct formula_op *more = reallocarray(f->op, f->count + 1, sizeof(*more));

	if (!more)
		return fault_set(p->fault, -ENOMEM, "%s", strerror(ENOMEM));
	f->op = more;
	more[f->count++] = op;
	return 0;
}

static int refuse(struct parser *p, const char *why)
{
	char quoted[128];

	return fault_set(p->fault, -EINVAL, "%s, character %zu: %s",
			 fault_quote(quoted, sizeof(quoted), p->text, strlen(p->text)), p->at + 1, why);
}

static char next(struct parser *p)
{
	while (p->text[p->at] == ' ' || p->text[p->at] == '\t')
		p->at++;
	return p->text[p->at];
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int field(struct parser *p, size_t from, size_t n)
{
	struct formula_op op = {.kind = FORMULA_FIELD};
	int r = p->resolve(p->ctx, p->text + from, n, &op.field, p->fault);

	return r < 0 ? r : add(p, op);
}

static int take_number(struct parser *p)
{
	struct formula_op op = {.kind = FORMULA_NUMBER};
	size_t n = strspn(p->text + p->at, "0123456789.");
	const char *why;

	if (units_fraction(p->text + p->at, n, &op.number, &why) < 0)
		return refuse(p, why);
	p->at += n;
	return add(p, op);
}

static int take_name(struct parser *p)
{
	size_t from = p->at, n;
	const char *text = p->text + from;

	while (is_letter(p->text[p->at]) || is_digit(p->text[p->at]) || p->text[p->at] == ':' || p->text[p->at] == '.')
		p->at++;
	n = p->at - from;
	if (n == 3 && !memcmp(text, "sum", 3) && p->text[p->at] == '(') {
		const char *end = strchr(text, ')');

		if (!end)
			return refuse(p, "sum( without its )");
		p->at = (size_t)(end - p->text) + 1;
		return field(p, from, p->at - from);
	}
	if (n == strlen("seconds") && !memcmp(text, "seconds", n))
		return add(p, (struct formula_op){.kind = FORMULA_SECONDS});
	if (n == strlen("page_size") && !memcmp(text, "page_size", n))
		return add(p, (struct formula_op){.kind = FORMULA_NUMBER, .number = (double)sysconf(_SC_PAGESIZE)});
	return field(p, from, n);
}

static int take_string(struct parser *p)
{
	size_t from = p->at + 1;
	const char *end = strchr(p->text + from, '"');

	if (!end)
		return refuse(p, "a \" without its second");
	p->at = (size_t)(end - p->text) + 1;
	return field(p, from, (size_t)(end - p->text) - from);
}

static int sum(struct parser *p);

static int factor(struct parser *p)
{
	char c = next(p);
	int r;

	if (is_digit(c))
		return take_number(p);
	if (is_letter(c))
		return take_name(p);
	if (c == '"')
		return take_string(p);
	if (c != '(' && c != '-')
		return refuse(p, "a field, a number or a ( is missing");
	if (p->depth == FORMULA_DEPTH)
		return refuse(p, "nested too deeply");
	p->depth++;
	p->at++;
	r = c == '(' ? sum(p) : factor(p);
	p->depth--;
	if (r < 0)
		return r;
	if (c == '-')
		return add(p, (struct formula_op){.kind = FORMULA_NEGATE});
	if (next(p) != ')')
		return refuse(p, "a ) or an operator is missing");
	p->at++;
	return 0;
}

static int product(struct parser *p)
{
	int r = factor(p);

	while (r == 0) {
		char c = next(p);

		if (c != '*' && c != '/')
			return 0;
		p->at++;
		r = factor(p);
		if (r == 0)
			r = add(p, (struct formula_op){.kind = c == '*' ? FORMULA_MULTIPLY : FORMULA_DIVIDE});
	}
	return r;
}

static int sum(struct parser *p)
{
	int r = product(p);

	while (r == 0) {
		char c = next(p);

		if (c != '+' && c != '-')
			return 0;
		p->at++;
		r = product(p);
		if (r == 0)
			r = add(p, (struct formula_op){.kind = c == '+' ? FORMULA_ADD : FORMULA_SUBTRACT});
	}
	return r;
}

int formula_parse(struct formula *out, const char *text, formula_resolve *resolve, void *ctx, struct fault *fault)
{
	struct parser p = {.text = text, .resolve = resolve, .ctx = ctx, .fault = fault};
	int r = sum(&p);

	if (r == 0 && next(&p))
		r = refuse(&p, "an operator is missing");
	if (r < 0) {
		formula_fini(&p.formula);
		return r;
	}
	*out = p.formula;
	return 0;
}

static bool operate(const struct formula_op *op, double *left, double right)
{
	switch (op->kind) {
	case FORMULA_ADD:
		*left += right;
		return true;
	case FORMULA_SUBTRACT:
		*left -= right;
		return true;
	case FORMULA_MULTIPLY:
		*left *= right;
		return true;
	default:
		*left /= right;
		return right != 0;
	}
}

/* Each pending operator of each nesting holds one number, and one more is on its way. */
#define STACK (2 * (FORMULA_DEPTH + 1) + 2)

bool formula_value(const struct formula *f, double seconds, formula_number *number, void *ctx, double *out)
{
	double stack[STACK] = {0};
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct formula_op *op = &f->op[i];

		switch (op->kind) {
		case FORMULA_NUMBER:
			stack[n++] = op->number;
			break;
		case FORMULA_SECONDS:
			stack[n++] = seconds;
			break;
		case FORMULA_FIELD:
			if (!number(ctx, op->field, &stack[n++]))
				return false;
			break;
		case FORMULA_NEGATE:
			stack[n - 1] = -stack[n - 1];
			break;
		default:
			n--;
			if (!operate(op, &stack[n - 1], stack[n]))
				return false;
			break;
		}
	}
	*out = stack[0];
	return isfinite(stack[0]);
}
