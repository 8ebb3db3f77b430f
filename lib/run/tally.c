/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/tally.h"

static void add_error(struct play_result *to, const struct play_error *from)
{
	struct play_error *e = to->error, *end = to->error + to->error_kinds;

	while (e < end && e->error != from->error)
		e++;
	if (e == end) {
		if (to->error_kinds == PLAY_ERRNOS)
			return;
		to->error_kinds++;
		*e = *from;
		return;
	}
	e->count += from->count;
	if (from->first_request < e->first_request) {
		e->first_request = from->first_request;
		e->first_offset = from->first_offset;
		e->first_length = from->first_length;
	}
}

static void add_bad(struct play_result *to, const struct play_result *from)
{
	if (from->bad_words && (to->bad_words == 0 || from->first_bad_request < to->first_bad_request)) {
		to->first_bad_request = from->first_bad_request;
		to->first_bad_offset = from->first_bad_offset;
		to->first_bad_value = from->first_bad_value;
	}
	to->bad_words += from->bad_words;
	to->bad_requests += from->bad_requests;
}

void tally_add(struct play_result *to, const struct play_result *from)
{
	to->requests += from->requests;
	to->bytes += from->bytes;
	to->seeks += from->seeks;
	to->short_reads += from->short_reads;
	to->short_bytes += from->short_bytes;
	to->past_end_requests += from->past_end_requests;
	to->past_end_bytes += from->past_end_bytes;
	to->misses += from->misses;
	to->miss_bytes += from->miss_bytes;
	add_bad(to, from);
	to->errors += from->errors;
	for (unsigned i = 0; i < from->error_kinds; i++)
		add_error(to, &from->error[i]);
	to->minor_faults += from->minor_faults;
	to->major_faults += from->major_faults;
	to->user_ns += from->user_ns;
	to->system_ns += from->system_ns;
	to->stopped_by_error |= from->stopped_by_error;
	for (enum op op = OP_READ; op < OP_COUNT; op++) {
		to->op[op].requests += from->op[op].requests;
		to->op[op].bytes += from->op[op].bytes;
	}
	to->behind_calls += from->behind_calls;
	to->behind_bytes += from->behind_bytes;
	to->behind_ns += from->behind_ns;
	to->added_syncs += from->added_syncs;
	to->most_in_flight = MAX(to->most_in_flight, from->most_in_flight);
	to->ramp_requests += from->ramp_requests;
	to->timed += from->timed;
}
