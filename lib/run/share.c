/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/share.h"

#include "run/flight.h"
#include "run/targets.h"

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* How often each request of the trace is played in a loop. */
static uint64_t copies(const struct play_params *p)
{
	return p->split == SPLIT_COPY ? p->jobs : 1;
}

uint64_t share_all(const struct play_params *p, const struct trace *t)
{
	if (t->count == 0)
		return 0;
	return p->loops == 0 ? UINT64_MAX : times(times(t->count, copies(p)), p->loops);
}

static uint64_t moves(const struct trace *t, size_t i, const struct targets *targets)
{
	struct req r = t->req[i];

	return req_is_sync(r) ? 0 : flight_inside(targets_size(targets, t, i), req_offset(r), req_length(r));
}

/* Requests, in order, that move no more than max bytes together. */
static uint64_t within(const struct play_params *p, const struct trace *t, const struct targets *targets, uint64_t max)
{
	uint64_t n = copies(p), sum = 0, loops, requests = 0;

	for (size_t i = 0; i < t->count && sum != UINT64_MAX; i++)
		if (__builtin_add_overflow(sum, moves(t, i, targets), &sum))
			sum = UINT64_MAX;
	sum = times(sum, n);
	if (sum == 0)
		return UINT64_MAX;
	loops = sum == UINT64_MAX ? 0 : max / sum;
	max -= loops * sum;
	for (size_t i = 0; i < t->count; i++) {
		uint64_t each = moves(t, i, targets), fit = each ? MIN(max / each, n) : n;

		requests += fit;
		if (fit < n)
			break;
		max -= n * each;
	}
	return times(times(t->count, n), loops) == UINT64_MAX ? UINT64_MAX : t->count * n * loops + requests;
}

uint64_t share_limit(const struct play_params *p, const struct trace *t, const struct targets *targets)
{
	uint64_t limit = MIN(share_all(p, t), p->max_requests);

	if (p->max_bytes != PLAY_UNLIMITED && limit > 0)
		limit = MIN(limit, within(p, t, targets, p->max_bytes));
	return limit;
}

/* Of the first n requests of a loop, how many are in this share, which has each of the whole loop? */
static uint64_t part(const struct source *s, enum play_split split, uint64_t n)
{
	if (split == SPLIT_CHUNK)
		return n < s->first ? 0 : MIN(n - s->first, s->each);
	return n < s->first ? 0 : (n - s->first + s->step - 1) / s->step;
}

void share_of_job(struct source *s, const struct play_params *p, const struct trace *t, uint64_t limit, unsigned job)
{
	uint64_t jobs = p->jobs, count = t->count;

	*s = (struct source){.trace = t, .step = 1, .each = t->count, .left = limit};
	if (count == 0 || jobs == 1)
		return;
	switch (p->split) {
	case SPLIT_COPY:
		if (limit != UINT64_MAX)
			s->left = limit / jobs + (job < limit % jobs);
		return;
	case SPLIT_ROUND_ROBIN:
		s->first = job;
		s->step = jobs;
		s->each = (size_t)part(s, p->split, count);
		break;
	case SPLIT_CHUNK:
		/* Less than a loop is shared as if the trace were so short, or the first job would have all of it. */
		count = MIN(count, limit);
		s->first = (size_t)(count / jobs * job + MIN(job, count % jobs));
		s->each = (size_t)(count / jobs + (job < count % jobs));
		break;
	}
	if (limit != UINT64_MAX)
		s->left = limit == 0 ? 0 : limit / count * s->each + part(s, p->split, limit % count);
}
