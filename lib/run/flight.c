/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/flight.h"

uint64_t flight_inside(uint64_t size, uint64_t offset, uint64_t length)
{
	return offset >= size ? 0 : MIN(length, size - offset);
}

static void next_piece(struct flight *f, const struct flight_rules *rules)
{
	uint64_t left = MIN(f->want - f->moved, rules->piece_max);

	f->io.offset = f->offset + f->moved;
	/* Direct reads of a file's unaligned tail must ask for the whole block; the kernel stops at the end. */
	f->io.length = (left + rules->align - 1) & ~(rules->align - 1);
}

bool flight_begin(struct flight *f, const struct flight_rules *rules, struct req r, uint64_t number,
		  struct play_result *tally)
{
	f->offset = req_offset(r);
	f->length = req_length(r);
	f->number = number;
	f->want = flight_inside(rules->size, f->offset, f->length);
	f->moved = 0;
	f->io.op = IO_READ;
	if (f->want < f->length) {
		tally->past_end_requests++;
		tally->past_end_bytes += f->length - f->want;
	}
	if (f->want == 0)
		return false;
	next_piece(f, rules);
	return true;
}

static void count_error(struct play_result *tally, int error, const struct flight *f)
{
	struct play_error *e = tally->error, *end = tally->error + tally->error_kinds;

	tally->errors++;
	while (e < end && e->error != error)
		e++;
	if (e == end) {
		if (tally->error_kinds == PLAY_ERRNOS)
			return;
		tally->error_kinds++;
		*e = (struct play_error){.error = error, .first_request = UINT64_MAX};
	}
	e->count++;
	/* Requests in flight together come back in any order; the first is the first of the trace. */
	if (f->number < e->first_request) {
		e->first_offset = f->offset;
		e->first_length = f->length;
		e->first_request = f->number;
	}
}

enum flight_state flight_land(struct flight *f, const struct flight_rules *rules, struct play_result *tally)
{
	uint64_t asked = MIN(f->io.length, f->want - f->moved), got;

	if (f->io.res < 0) {
		count_error(tally, (int)-f->io.res, f);
		return FLIGHT_FAILED;
	}
	/* More than asked: the tail of a direct read, in a file that grew after the open. */
	got = MIN((uint64_t)f->io.res, asked);
	f->moved += got;
	tally->bytes += got;
	if (got < asked) {
		tally->short_reads++;
		tally->short_bytes += f->want - f->moved;
		return FLIGHT_DONE;
	}
	if (f->moved == f->want)
		return FLIGHT_DONE;
	next_piece(f, rules);
	return FLIGHT_AGAIN;
}
