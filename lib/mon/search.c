/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mon/search.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/macro.h"
#include "mon/near.h"

struct search {
	struct columns *columns;
	const char *name;      /* or a glob, without the prefix */
	bool glob;
	bool prefixed;         /* names of operands have the prefix */
	size_t first;          /* operand */
	bool suggests;         /* nothing was found: look for names that are near */
	struct near near;
	bool lines;            /* some file had a field */
	bool named;            /* some file has the name, with another value than vmstat_next() takes */
	unsigned looked;       /* files */
	const char *path;      /* of the last; of the first that had no field, or could not be read: */
	int error;             /* why, -errno */
};

static bool matches(const struct search *s, const struct source_field *f)
{
	char name[256];

	if (!s->glob)
		return strlen(s->name) == f->name_length && !memcmp(s->name, f->name, f->name_length);
	if (f->name_length >= sizeof(name))
		return false;
	memcpy(name, f->name, f->name_length);
	name[f->name_length] = '\0';
	return fnmatch(s->name, name, 0) == 0;
}

static bool has_operand(const struct search *s, size_t source, size_t want)
{
	for (size_t i = s->first; i < s->columns->operand_count; i++)
		if (s->columns->operand[i].source == source && s->columns->operand[i].want == want)
			return true;
	return false;
}

static int add_operand(struct search *s, size_t index, const struct vmstat_line *line, const struct source_field *f)
{
	struct columns *c = s->columns;
	struct source *source = &c->sources.source[index];
	long want = source_want(source, line);
	struct operand *operand, new = {.source = index, .want = (size_t)want};

	if (want < 0)
		return -ENOMEM;
	if (has_operand(s, index, (size_t)want))
		return 0;
	operand = reallocarray(c->operand, c->operand_count + 1, sizeof(*operand));
	if (!operand)
		return -ENOMEM;
	c->operand = operand;
	new.class = f->class;
	new.fresh = f->fresh;
	new.unit = f->unit;
	new.divisor = f->divisor;
	new.decimals = f->decimals;
	new.narrow = f->narrow;
	if (asprintf(&new.name, "%s%s%s%s%.*s", s->prefixed ? source->kind->prefix : "", s->prefixed ? ":" : "",
		     s->prefixed ? source->instance : "", s->prefixed && source->kind->noun ? ":" : "",
		     (int)f->name_length, f->name) < 0)
		return -ENOMEM;
	operand[c->operand_count++] = new;
	return 0;
}

/* A file that may not be read is no reason not to find a name that it cannot have. */
static bool may_have(struct search *s, const struct source *source)
{
	const char *name;

	for (size_t i = 0; (name = source_unread(source, i)) != NULL; i++) {
		if (s->suggests)
			near_consider(&s->near, name, strlen(name));
		else if (s->glob ? fnmatch(s->name, name, 0) == 0 : strcmp(s->name, name) == 0)
			return true;
	}
	return !source_knows_unread(source);
}

static int look(void *ctx, size_t index)
{
	struct search *s = ctx;
	const struct source *source = &s->columns->sources.source[index];
	size_t n;
	const char *text = source_text(source, &n);
	struct vmstat_line line = {0};
	bool any = false;

	while (!source->error && vmstat_next(text, n, line.next, &line)) {
		struct source_field field;
		int r;

		any = true;
		if (!s->glob && !s->suggests && !source_may_be(source, &line, s->name))
			continue;
		if (!source_describe(source, &line, &field))
			continue;
		if (s->suggests)
			near_consider(&s->near, field.name, field.name_length);
		if (s->suggests || !matches(s, &field))
			continue;
		r = add_operand(s, index, &line, &field);
		if (r < 0)
			return r;
		source = &s->columns->sources.source[index];
		if (!s->glob)
			break;
	}
	s->looked++;
	if (source->error && !may_have(s, source))
		return 0;
	s->lines |= any;
	if (!source->error)
		s->named |= vmstat_names(text, n, s->name, strlen(s->name));
	if (!s->error)
		s->path = source->file.path;
	if (!any && !s->error)
		s->error = source->error ? source->error : -ENODATA;
	return 0;
}

static int not_found(struct search *s, const struct source_scope *scope, struct fault *fault)
{
	/* what a cgroup or a node does not have may well be in /proc/vmstat */
	const char *history = strcmp(scope->kind->prefix, "vmstat") == 0 ? field_history(s->name) : NULL;
	char quoted[64], near[NEAR_TEXT];
	bool one = s->looked == 1 && s->path;
	struct fault ignored;

	fault_quote(quoted, sizeof(quoted), s->name, strlen(s->name));
	if (s->error == -ENODATA && !s->lines)
		return fault_set(fault, s->error, "%s: no line of the form 'name number'", s->path);
	if (s->error == -EOPNOTSUPP && scope->kind->needs)
		return fault_set(fault, s->error, "%s: %s; it takes %s", s->path, strerror(-s->error),
				 scope->kind->needs);
	if (s->error && s->error != -ENODATA)
		return fault_set(fault, s->error, "%s: %s", s->path, strerror(-s->error));
	if (s->named)
		return fault_set(fault, -ENODATA, "%s: the value of field %s is no number from 0 to 2^64 - 1", s->path,
				 quoted);
	s->suggests = true;
	(void)sources_each(&s->columns->sources, scope, look, s, &ignored);
	return fault_set(fault, -ENXIO, "%s%sno field %s%s%s%s", one ? s->path : "", one ? ": " : "", quoted,
			 history ? "; " : "", history ? history : "", near_text(&s->near, near));
}

int search_operands(struct columns *c, struct spec *spec, struct fault *fault)
{
	struct source_scope scope;
	struct search s = {.columns = c, .first = c->operand_count};
	int r = sources_scope(&c->sources, spec->name, &scope, fault);

	if (r < 0)
		return r;
	s.name = s.near.asked = scope.name;
	s.glob = spec->sum || strpbrk(scope.name, "*?[");
	s.prefixed = scope.name != spec->name;
	r = sources_each(&c->sources, &scope, look, &s, fault);
	if (r == 0 && c->operand_count == s.first && !spec->several && !spec->sum) {
		spec->alias = field_alias(scope.name);
		s.glob = true;
		if (spec->alias) {
			s.name = spec->alias;
			r = sources_each(&c->sources, &scope, look, &s, fault);
			s.name = scope.name;
		}
	}
	if (r == -ENOMEM)
		return fault_set(fault, r, "%s", strerror(ENOMEM));
	if (r < 0)
		return r;
	return c->operand_count == s.first ? not_found(&s, &scope, fault) : 0;
}
