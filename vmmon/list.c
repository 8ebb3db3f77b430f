/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vmmon/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"
#include "mon/column.h"
#include "mon/vmstat.h"

static int complain(const struct fault *fault, int status)
{
	fprintf(stderr, "vmmon: --list: %s\n", fault->text);
	return status;
}

static int show(struct columns *c, const struct vmstat *v)
{
	_cleanup_free_ uint64_t *values = calloc(c->term_count + 1, sizeof(*values));
	_cleanup_free_ bool *missing = calloc(c->term_count + 1, sizeof(*missing));
	int width = (int)strlen("name");

	if (!values || !missing)
		return -1;
	columns_values(c, v->buf, v->used, values, missing);
	for (size_t i = 0; i < c->count; i++)
		width = MAX(width, (int)strlen(c->column[i].title));
	printf("%-*s %-8s %-10s %20s\n", width, "name", "class", "unit", "value");
	for (size_t i = 0; i < c->count; i++)
		printf("%-*s %-8s %-10s %20" PRIu64 "\n", width, c->column[i].title,
		       field_class_name(c->column[i].class), c->column[i].unit, values[c->column[i].term]);
	return 0;
}

int list_fields(const struct options *o)
{
	_cleanup_(vmstat_close) struct vmstat v = {.fd = -1};
	_cleanup_(columns_fini) struct columns c = {0};
	static char all[] = "*", *every[] = {all};
	char *const *word = o->word_count ? o->word : every;
	struct fault fault;

	if (vmstat_open(&v, o->proc, &fault) < 0)
		return complain(&fault, 1);
	for (size_t i = 0; i < MAX(o->word_count, (size_t)1); i++)
		if (columns_add(&c, word[i], COLUMN_RAW, v.buf, v.used, &fault) < 0)
			return complain(&fault, 2);
	if (show(&c, &v) < 0) {
		fault_set(&fault, 0, "no memory");
		return complain(&fault, 1);
	}
	return 0;
}
