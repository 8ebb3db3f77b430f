/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/rwbs.h"

#include <errno.h>

int rwbs_choose(struct rwbs_choice *choice, const char *event, struct fault *fault)
{
	*choice = (struct rwbs_choice){.event = event ? event[0] : RWBS_EVENTS[0]};
	if (!event || (event[0] && !event[1]))
		return 0;
	return fault_set(fault, -EINVAL, "--event is Q, D or C here, not '%s'", event);
}

bool rwbs_chosen(struct rwbs_choice *choice, char event)
{
	const char *at;

	if (likely(event == choice->event))
		return choice->met = true;
	at = memchr(RWBS_EVENTS, event, strlen(RWBS_EVENTS));
	if (at)
		choice->others[at - RWBS_EVENTS]++;
	return false;
}

void rwbs_remark(const struct rwbs_choice *choice, struct import *imp)
{
	static const char *const text[] = {
	    "{request is there as it was|requests are there as they were} queued, none as it was chosen (--event Q)",
	    "{request is there as it was|requests are there as they were} issued, none as it was chosen (--event D)",
	    "{request is there as it was|requests are there as they were} completed, none as it was chosen (--event C)",
	};

	for (size_t i = 0; !choice->met && i < ARRAY_SIZE(text); i++)
		if (choice->others[i])
			import_notes(imp, text[i], choice->others[i]);
}

/* Zone commands: append writes, reset, reset all, open, close and finish move no data. */
static size_t zone(const char *s, size_t n, struct rwbs *out)
{
	static const char known[][4] = {"ZRA", "ZA", "ZR", "ZO", "ZC", "ZF"};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t length = strlen(known[i]);

		if (n < length || memcmp(s, known[i], length) != 0)
			continue;
		out->data = length == 2 && s[1] == 'A';
		out->zone = !out->data;
		out->op = OP_WRITE;
		return length;
	}
	return 0;
}

bool rwbs_parse(const char *s, size_t n, struct rwbs *out)
{
	size_t at = 0, taken = 1;

	*out = (struct rwbs){.flush = n > 1 && s[0] == 'F'};
	at += out->flush;
	if (at == n)
		return false;
	switch (s[at]) {
	case 'F':
		out->flush = true;
		break;
	case 'R':
		out->data = true;
		out->op = OP_READ;
		break;
	case 'W':
		out->data = true;
		out->op = OP_WRITE;
		/* write zeroes */
		taken += at + 1 < n && s[at + 1] == 'Z';
		break;
	case 'D':
		out->data = true;
		out->op = OP_TRIM;
		taken += at + 1 < n && s[at + 1] == 'E';
		break;
	case 'N':
		break;
	case 'Z':
		taken = zone(s + at, n - at, out);
		break;
	default:
		taken = 0;
	}
	if (!taken)
		return false;
	for (at += taken; at < n; at++)
		if (!memchr("FASMUB", s[at], 6))
			return false;
	return true;
}

int rwbs_emit(struct import *imp, struct rwbs what, uint64_t offset, uint64_t length, int64_t time, uint32_t id)
{
	int r = 0;

	if (what.zone)
		import_note(imp, "{command to a zone is no request|commands to zones are no requests}");
	if (what.flush)
		r = import_emit(imp, OP_SYNC, 0, 0, time, id);
	if (r || !what.data)
		return r;
	if (length)
		return import_emit(imp, what.op, offset, length, time, id);
	if (!what.flush)
		import_note(imp, "{event without data is no request|events without data are no requests}");
	return 0;
}
