/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"

/* A column of zeros reads "nothing happened", where the kernel has stopped counting. */
static void tell_constants(const struct columns *c)
{
	for (size_t i = 0; i < c->operand_count; i++) {
		const struct operand *o = &c->operand[i];
		const struct source *s = &c->sources.source[o->source];
		const struct vmstat_want *w = &s->want[o->want];
		const char *history = field_history(w->name);

		if (o->class != FIELD_CONSTANT || !history)
			continue;
		if (w->found && !w->value)
			fprintf(stderr, "vmmon: %s: %s\n", o->name, history);
	}
}

static void tell_aliases(const struct columns *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->column[i].alias)
			fprintf(stderr, "vmmon: %s: on this kernel the sum of '%s'\n", c->column[i].name,
				c->column[i].alias);
}

/* What a write to stat_refresh makes fresh. */
static bool is_refreshed(const struct source_kind *kind)
{
	return !strcmp(kind->prefix, "vmstat") || !strcmp(kind->prefix, "node") || !strcmp(kind->prefix, "meminfo");
}

static void tell_freshness(const struct columns *c, int64_t interval_ns)
{
	int64_t fold_ns;

	if (c->sources.fresh)
		return;
	for (size_t i = 0; i < c->operand_count; i++) {
		const struct operand *o = &c->operand[i];

		if (o->fresh != FIELD_FOLDED || !is_refreshed(c->sources.source[o->source].kind))
			continue;
		fold_ns = sources_fold_ns(&c->sources);
		if (interval_ns < fold_ns)
			fprintf(stderr,
				"vmmon: %s and its like may lag behind: they are gathered from the CPUs each %g s"
				" (vm.stat_interval), or before each reading with --fresh\n",
				o->name, (double)fold_ns / (double)NS_PER_SEC);
		return;
	}
}

void notes_tell(const struct columns *c, int64_t interval_ns)
{
	tell_constants(c);
	tell_aliases(c);
	tell_freshness(c, interval_ns);
}

static bool is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool notes_is_program(const char *word)
{
	const char *dir = getenv("PATH");
	char path[4096];

	if (strchr(word, '/'))
		return is_executable(word);
	for (; dir && *dir; dir += *dir == ':') {
		int length = (int)strcspn(dir, ":");
		int n = snprintf(path, sizeof(path), "%.*s/%s", length, dir, word);

		if (length && n < (int)sizeof(path) && is_executable(path))
			return true;
		dir += length;
	}
	return false;
}
