/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets that are memory, and what jobs do between loops. */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"
#include "io/target.h"
#include "run/rows.h"

/* Below this layer a size without a letter is of bytes. */
static char *with_letter(const char *memory, uint64_t bytes, unsigned shift)
{
	char size[UNITS_TEXT], *text;
	size_t n = units_print(size, bytes, shift);

	return asprintf(&text, "%.*s:%.*s", (int)strcspn(memory, ":"), memory, (int)n, size) < 0 ? NULL : text;
}

int params_target(const struct params *p, const char *text, char **target, struct fault *fault)
{
	uint64_t bytes;
	int r;

	*target = NULL;
	if (!target_is_memory(text)) {
		*target = strdup(text);
	} else {
		r = target_memory_size(text, p->shift, &bytes, fault);
		if (r < 0)
			return r;
		*target = units_shift(text[strlen(text) - 1]) < 0 ? with_letter(text, bytes, p->shift) : strdup(text);
	}
	return *target ? 0 : fault_set(fault, -ENOMEM, "no memory");
}

bool params_only_memory(const struct play_params *p, const char *target)
{
	for (unsigned i = 0; i < p->map_count; i++)
		if (!target_is_memory(p->map[i].target))
			return false;
	return target_is_memory(target);
}

static const char *const after_name[] = {
	[AFTER_BARRIER] = "barrier",
	[AFTER_DONTNEED] = "dontneed",
	[AFTER_COLD] = "cold",
	[AFTER_PAGEOUT] = "pageout",
	[AFTER_FORK] = "fork",
};

const char *params_after_name(enum play_after after)
{
	return after_name[after];
}

int params_take_after_loop(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct play_params *p = &row_params(ctx, row)->play;

	p->after_count = 0;
	do {
		size_t n, i;
		const char *next = params_split(text, &n);

		for (i = 0; i < ARRAY_SIZE(after_name); i++)
			if (strlen(after_name[i]) == n && strncmp(after_name[i], text, n) == 0)
				break;
		if (i == ARRAY_SIZE(after_name))
			return params_refuse(fault, text, n, "not one of barrier dontneed cold pageout fork");
		if (p->after_count == PLAY_AFTER_MAX)
			return fault_set(fault, -EINVAL, "the list is too long");
		p->after[p->after_count++] = (enum play_after)i;
		text = next;
	} while (text);
	return 0;
}

int params_take_barrier(void *ctx, const struct cli_row *row, const char *text _unused_, struct fault *fault)
{
	return params_take_after_loop(ctx, row, after_name[AFTER_BARRIER], fault);
}
