/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the loops of synchronous engines share. */
#pragma once

#include "run/job.h"

/* The requests of a batch: 1 when they are done, 0 when the play ends, -errno with the fault set. */
typedef int sync_loop(struct job *j, const struct batch *b);

/*
 * Many requests in a call of the engine: without times, and with the time of some, which need all to be of one op, as
 * what is timed stands for the others. OP_COUNT: they are not.
 */
sync_loop many_untimed, many_sampled;
enum op many_op(const struct job *j);

/*
 * One request with everything that can be about it: cut at the end, long, short, failed. issued: f->io was issued
 * already, with an unusual result, and only the rest is to be done. 1: go on, 0: the play ends, -errno.
 */
int sync_one(struct job *j, struct flight *f, struct req r, uint64_t number, bool issued);

/* Count a request that moved all its bytes. */
static inline void count_plain(struct job_count *c, uint64_t offset, uint64_t length)
{
	c->requests++;
	c->bytes += length;
	c->seeks += offset != c->expect;
	c->expect = offset + length;
}

/*
 * Does a request lie whole inside the target and fit one call? One that is no read does not: the bits of other ops make
 * offset or length look too large.
 */
static inline bool is_plain(const struct flight_rules *rules, uint64_t offset, uint64_t length)
{
	return length - 1 < rules->piece_max && offset + length <= rules->plain_end;
}

/* The same of a write, whose bit has been taken away; that of another op has been put there. */
static inline bool is_plain_write(const struct flight_rules *rules, uint64_t offset, uint64_t length)
{
	return length - 1 < rules->piece_max && offset + length <= rules->zero_end;
}
