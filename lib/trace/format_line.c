/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/format_line.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"

static const char *const names[TRACE_COL_COUNT] = {
	[TRACE_COL_OFFSET] = "offset", [TRACE_COL_LENGTH] = "length", [TRACE_COL_OP] = "op",
	[TRACE_COL_TIME] = "time",     [TRACE_COL_FILE] = "file",     [TRACE_COL_STEP] = "step",
};

const struct trace_layout trace_layout_default = {.column = {TRACE_COL_OFFSET, TRACE_COL_LENGTH}, .count = 2};

struct token {
	const char *s;
	size_t n;
};

/* A request before it is appended: what a line does not name keeps its default. */
struct record {
	uint64_t offset, length, step;
	int64_t time;
	uint32_t file;
	enum op op;
};

const char *trace_column_name(enum trace_column c)
{
	return names[c];
}

bool trace_layout_is_default(const struct trace_layout *l)
{
	return l->count == 2 && l->column[0] == TRACE_COL_OFFSET && l->column[1] == TRACE_COL_LENGTH;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word of [*s, end); false at the end or where a comment begins. */
static bool next_token(const char **s, const char *end, struct token *out)
{
	const char *p = *s, *begin;

	while (p < end && is_blank(*p))
		p++;
	begin = p;
	if (p == end || *p == '#')
		return false;
	while (p < end && !is_blank(*p))
		p++;
	*out = (struct token){begin, (size_t)(p - begin)};
	*s = p;
	return true;
}

static int bad_token(struct fault *fault, const char *what, struct token k, const char *why)
{
	char quoted[80];

	return fault_set(fault, -EINVAL, "%s %s: %s", what, fault_quote(quoted, sizeof(quoted), k.s, k.n), why);
}

static int take_field(enum trace_column c, struct token k, unsigned shift, struct record *r, struct fault *fault)
{
	const char *why = NULL;
	uint64_t number;
	int op;

	switch (c) {
	case TRACE_COL_OFFSET:
		units_bytes(k.s, k.n, shift, &r->offset, &why);
		break;
	case TRACE_COL_LENGTH:
		units_bytes(k.s, k.n, shift, &r->length, &why);
		break;
	case TRACE_COL_OP:
		op = k.n == 1 ? op_of_letter(*k.s) : -1;
		if (op < 0)
			why = "not one of R W T S D";
		else
			r->op = (enum op)op;
		break;
	case TRACE_COL_TIME:
		if (k.n != 1 || *k.s != '-')
			units_time(k.s, k.n, NS_PER_SEC, &r->time, &why);
		break;
	case TRACE_COL_FILE:
		if (units_count(k.s, k.n, &number, &why))
			break;
		if (number > TRACE_FILE_MAX)
			why = "over 65535";
		else
			r->file = (uint32_t)number;
		break;
	case TRACE_COL_STEP:
		units_count(k.s, k.n, &r->step, &why);
		break;
	case TRACE_COL_COUNT:
		break;
	}
	return why ? bad_token(fault, names[c], k, why) : 0;
}

static int append(struct trace *t, const struct record *r)
{
	if ((r->time != TIME_NONE && trace_need_time(t)) || (r->file && trace_need_file(t)) ||
	    (r->step && trace_need_step(t)) || trace_push(t, req_make(r->offset, r->length, r->op)))
		return -ENOMEM;
	if (t->time)
		t->time[t->count - 1] = r->time;
	if (t->file)
		t->file[t->count - 1] = r->file;
	if (t->step)
		t->step[t->count - 1] = r->step;
	return 0;
}

/* The names of the columns in a row, for messages. */
static char *layout_text(const struct trace_layout *l, char *buf, size_t cap)
{
	size_t at = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < l->count && at < cap; i++)
		at += (size_t)snprintf(buf + at, cap - at, "%s%s", i ? " " : "", names[l->column[i]]);
	return buf;
}

static int take_request(const char *s, const char *end, unsigned shift, const struct trace_layout *l, struct trace *t,
			struct fault *fault)
{
	struct record r = {.length = PAGE_BYTES, .time = TIME_NONE};
	struct token k = {0};
	char columns[64];
	size_t i;

	for (i = 0; i < l->count && next_token(&s, end, &k); i++) {
		int err = take_field(l->column[i], k, shift, &r, fault);

		if (err)
			return err;
	}
	/* Only a length that comes last may be left out: anything else would be a guess. */
	if (i < l->count && !(i == l->count - 1 && l->column[i] == TRACE_COL_LENGTH))
		return fault_set(fault, -EINVAL, "'%s' is missing (the columns are: %s)", names[l->column[i]],
				 layout_text(l, columns, sizeof(columns)));
	if (i == l->count && next_token(&s, end, &k)) {
		char quoted[80];

		return fault_set(fault, -EINVAL, "%s is one field too many (the columns are: %s)",
				 fault_quote(quoted, sizeof(quoted), k.s, k.n),
				 layout_text(l, columns, sizeof(columns)));
	}
	if (r.offset + r.length > REQ_MAX)
		return fault_set(fault, -EINVAL, "offset + length does not fit into 63 bits");
	if ((r.op == OP_SYNC || r.op == OP_DATASYNC) && r.length > REQ_SYNC_LENGTH_MAX)
		return fault_set(fault, -EINVAL, "the length of a sync does not fit into 62 bits");
	return append(t, &r) ? fault_set(fault, -ENOMEM, "out of memory") : 0;
}

static int take_columns(const char *s, const char *end, struct trace_layout *l, struct fault *fault)
{
	struct trace_layout made = {.count = 0};
	bool seen[TRACE_COL_COUNT] = {false};
	struct token k;

	while (next_token(&s, end, &k)) {
		enum trace_column c = 0;

		while (c < TRACE_COL_COUNT && (strlen(names[c]) != k.n || memcmp(names[c], k.s, k.n) != 0))
			c++;
		if (c == TRACE_COL_COUNT)
			return bad_token(fault, "#columns", k, "not one of offset length op time file step");
		if (seen[c])
			return bad_token(fault, "#columns", k, "named twice");
		seen[c] = true;
		made.column[made.count++] = c;
	}
	if (!seen[TRACE_COL_OFFSET])
		return fault_set(fault, -EINVAL, "#columns without offset");
	*l = made;
	return 0;
}

static int take_file(const char *s, const char *end, struct trace *t, struct fault *fault)
{
	const char *why;
	struct token k, name;
	uint64_t n;

	if (!next_token(&s, end, &k))
		return fault_set(fault, -EINVAL, "#file without a number");
	if (units_count(k.s, k.n, &n, &why))
		return bad_token(fault, "#file", k, why);
	if (n > TRACE_FILE_MAX)
		return bad_token(fault, "#file", k, "over 65535");
	/* the name is the rest of the line, blanks and '#' in it too */
	while (s < end && is_blank(*s))
		s++;
	while (end > s && is_blank(end[-1]))
		end--;
	name = (struct token){s, (size_t)(end - s)};
	if (!name.n)
		return bad_token(fault, "#file", k, "without a name");
	switch (trace_name_file(t, (uint32_t)n, name.s, name.n)) {
	case 0:
		return 0;
	case -ENOMEM:
		return fault_set(fault, -ENOMEM, "out of memory");
	default:
		if (memchr(name.s, '\0', name.n) || memchr(name.s, '\r', name.n))
			return bad_token(fault, "#file", name, "a control character in the name");
		return bad_token(fault, "#file", name, "that number has another name already");
	}
}

/* Is it the directive of that name? Sets *s behind it. */
static bool is_directive(const char **s, const char *end, const char *name)
{
	size_t n = strlen(name), have = (size_t)(end - *s);

	if (have < n || memcmp(*s, name, n) != 0 || (have > n && !is_blank((*s)[n])))
		return false;
	*s += n;
	return true;
}

bool format_is_comment(const char *s, size_t n)
{
	const char *end = s + n, *p = s;

	while (p < end && is_blank(*p))
		p++;
	return p < end && *p == '#' && !is_directive(&s, end, "#columns") && !is_directive(&s, end, "#file");
}

int format_line(const char *s, size_t n, unsigned shift, struct trace_layout *l, struct trace *t, struct fault *fault)
{
	const char *end = s + n, *p = s;

	if (is_directive(&s, end, "#columns"))
		return take_columns(s, end, l, fault);
	if (is_directive(&s, end, "#file"))
		return take_file(s, end, t, fault);
	while (p < end && is_blank(*p))
		p++;
	if (p == end || *p == '#')
		return 0;
	return take_request(p, end, shift, l, t, fault);
}
