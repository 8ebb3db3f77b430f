/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as the expression of a filter: what is refused has words, what is taken keeps some requests in their order.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "trace/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right)
{
	if (!right)
		abort();
}

/* Requests of all ops and three files, each numbered by its step. */
static void make(struct trace *t)
{
	check(trace_need_time(t) == 0 && trace_need_file(t) == 0 && trace_need_step(t) == 0);
	check(trace_name_file(t, 0, "a", 1) == 0 && trace_name_file(t, 2, "/b/c", 4) == 0);
	for (uint64_t i = 0; i < 60; i++) {
		check(trace_push(t, req_make(i << (i % 50), i % 7 * 1000, (enum op)(i % OP_COUNT))) == 0);
		t->time[i] = i % 11 ? (int64_t)(i << (i % 40)) : TIME_NONE;
		t->file[i] = (uint32_t)(i % 3);
		t->step[i] = i + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(filter_fini) struct filter f = {0};
	_cleanup_(trace_fini) struct trace t = {0};
	_cleanup_free_ char *text = calloc(1, size + 1);
	struct fault fault = {0};
	uint64_t last = 0;

	check(text);
	memcpy(text, data, size);
	if (filter_parse(&f, text, PAGE_SHIFT, &fault) < 0) {
		check(fault.text[0] != '\0');
		return 0;
	}
	make(&t);
	check(filter_apply(&f, &t) == 0 && t.count <= 60);
	for (size_t i = 0; i < t.count; i++) {
		check(t.step[i] > last);
		last = t.step[i];
	}
	/* what passed once passes again */
	size = t.count;
	check(filter_apply(&f, &t) == 0 && t.count == size);
	return 0;
}
