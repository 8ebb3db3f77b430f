/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/flight.h"

#include <errno.h>

#include "run/payload.h"

_Static_assert((int)IO_READ == OP_READ && (int)IO_WRITE == OP_WRITE && (int)IO_TRIM == OP_TRIM &&
	       (int)IO_SYNC == OP_SYNC && (int)IO_DATASYNC == OP_DATASYNC, "an op of a trace is that of an io");

uint64_t flight_inside(uint64_t size, uint64_t offset, uint64_t length)
{
	return offset >= size ? 0 : MIN(length, size - offset);
}

static void next_piece(struct flight *f, const struct flight_rules *rules)
{
	uint64_t left = f->want - f->moved;

	f->io.offset = f->offset + f->moved;
	f->io.length = left;
	if (f->io.op != IO_READ && f->io.op != IO_WRITE)
		return;
	left = MIN(left, rules->piece_max);
	/* Direct reads of a file's unaligned tail must ask for the whole block; the kernel stops at the end. */
	f->io.length = (left + rules->align - 1) & ~(rules->align - 1);
}

bool flight_begin(struct flight *f, const struct flight_rules *rules, struct req r, uint64_t number,
		  struct play_result *tally)
{
	f->offset = req_offset(r);
	f->length = req_is_sync(r) ? 0 : req_length(r);
	f->number = number;
	f->want = flight_inside(rules->size, f->offset, f->length);
	f->moved = 0;
	f->error = 0;
	f->added = f->missed = f->bad = false;
	f->issues = true;
	f->io.op = (enum io_op)req_op(r);
	f->io.wait = false;
	if (req_is_sync(r)) {
		f->io.offset = f->offset;
		f->io.length = 0;
		return true;
	}
	if (f->want < f->length) {
		tally->past_end_requests++;
		tally->past_end_bytes += f->length - f->want;
	}
	f->issues = f->want > 0;
	if (f->issues)
		next_piece(f, rules);
	return f->issues;
}

void flight_begin_sync(struct flight *f, uint64_t number, struct play_result *tally)
{
	f->offset = f->length = f->want = f->moved = 0;
	f->number = number;
	f->error = 0;
	f->issues = f->added = true;
	f->io.op = IO_SYNC;
	f->io.offset = f->io.length = 0;
	tally->added_syncs++;
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

/* Part of a read, asked bytes long, is not in the page cache. */
static enum flight_state miss(struct flight *f, const struct flight_rules *rules, struct play_result *tally)
{
	tally->misses += !f->missed;
	f->missed = true;
	tally->miss_bytes += f->want - f->moved;
	if (!rules->reread)
		return FLIGHT_DONE;
	next_piece(f, rules);
	f->io.wait = true;
	return FLIGHT_AGAIN;
}

static void verify(struct flight *f, uint64_t got, struct play_result *tally)
{
	struct payload_bad bad;

	payload_check(f->io.buf, got, f->io.offset, &bad);
	if (bad.words == 0)
		return;
	if (tally->bad_words == 0 || f->number < tally->first_bad_request) {
		tally->first_bad_request = f->number;
		tally->first_bad_offset = bad.offset;
		tally->first_bad_value = bad.value;
	}
	tally->bad_words += bad.words;
	tally->bad_requests += !f->bad;
	f->bad = true;
}

static void count_bytes(struct flight *f, const struct flight_rules *rules, uint64_t got, struct play_result *tally)
{
	if (f->io.op == IO_READ && rules->verify)
		verify(f, got, tally);
	f->moved += got;
	if (f->io.op != IO_READ)
		tally->op[f->io.op].bytes += got;
	if (f->io.op != IO_TRIM)
		tally->bytes += got;
}

enum flight_state flight_land(struct flight *f, const struct flight_rules *rules, struct play_result *tally)
{
	uint64_t asked = MIN(f->io.length, f->want - f->moved), got;
	bool may_miss = rules->nowait && !f->io.wait && f->io.op == IO_READ;

	if (f->io.res == -EAGAIN && may_miss)
		return miss(f, rules, tally);
	if (f->io.res < 0) {
		f->error = (int)f->io.res;
		count_error(tally, -f->error, f);
		return FLIGHT_FAILED;
	}
	/* More than asked: the tail of a direct read, in a file that grew after the open. */
	got = MIN((uint64_t)f->io.res, asked);
	count_bytes(f, rules, got, tally);
	if (got < asked && may_miss)
		return miss(f, rules, tally);
	/* What kept a write from being whole is told by the next one (ENOSPC, say). */
	if (got < asked && (f->io.op != IO_WRITE || got == 0)) {
		tally->short_reads++;
		tally->short_bytes += f->want - f->moved;
		return FLIGHT_DONE;
	}
	if (f->moved == f->want)
		return FLIGHT_DONE;
	next_piece(f, rules);
	return FLIGHT_AGAIN;
}
